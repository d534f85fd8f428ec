import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDeploymentConsole } from '../../../src/console/deployment-api.ts';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { credentials } from '../../../src/index.ts';
import type { MockConfig } from '../../../src/mock/index.ts';
import type { Policy, Statement } from '../../../src/policy/index.ts';
import { openDeployment } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const statement = (effect: 'Allow' | 'Deny', action: string, resource: string): Statement => ({
  effect,
  actions: [action],
  resources: [resource],
});
const policy = (...statements: Statement[]): Policy => ({ statements });
const everywhere = policy(statement('Allow', '*', '*'));

const state = {
  policies: {
    reader: policy(statement('Allow', '*:read', 'orders:*')),
    writer: policy(statement('Allow', 'orders:*', 'orders:eu:*'), statement('Deny', 'orders:delete', '*')),
    all: everywhere,
  },
  roles: {
    viewer: { policies: ['reader', 'missing'].slice(0, 1) },
    editor: { policies: ['reader', 'writer'] },
    admin: { policies: ['all'] },
    'a:b': { policies: ['all'] },
    narrow: { policies: ['all'], scope: policy(statement('Allow', '*', 'orders:us:*')) },
  },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'bob', role: 'editor', scope: policy(statement('Allow', '*', 'orders:eu:*')) },
    { user: 'bob', role: 'viewer', scope: policy(statement('Deny', '*', 'orders:eu:7'), statement('Allow', '*', '*')) },
    { user: 'carol', role: 'admin', scope: policy() },
    // By the rules of the deployed services this one counts for "team", too.
    { user: 'team:x', role: 'admin', scope: everywhere },
    { user: 'dave', role: 'a:b', scope: everywhere },
    { user: 'erin', role: 'narrow', scope: everywhere },
  ],
};

const users = ['alice', 'bob', 'carol', 'team', 'team:x', 'dave', 'dave:a', 'erin'];
const pairs = [
  ['orders:read', 'orders:eu:7'],
  ['orders:write', 'orders:eu:8'],
  ['orders:delete', 'orders:eu:8'],
  ['goods:read', 'orders:us:1'],
  ['goods:write', 'goods:1'],
] as const;

test.each(['documented', 'sidecar'] as const)(
  'forty questions: explain, who, the console and the mock give one answer (%s)',
  async (fidelity) => {
    // The cast: the configuration is as above.
    const { mock, url, token, folder, client } = await openDeployment({ ...state, fidelity } as MockConfig);
    const { address } = await listenGrpc(mock);
    const flags = ['--url', url, '--token-file', join(folder, 'token')];
    const replica = createReplica({ address, url, credentials: credentials.bearer(token), fidelity });
    await replica.ready({ timeout: 10_000 });
    const page = createDeploymentConsole({ url, client, replica });
    const answers: Record<string, readonly boolean[]> = {};
    for (const [action, resource] of pairs) {
      const who = await permissions(['who', action, resource, '--users', users.join(), '--json', ...flags]);
      const holders = (JSON.parse(who.out) as { holders: { user?: string }[] }).holders.map(({ user }) => user);
      for (const user of users) {
        const explained = await permissions(['explain', user, action, resource, '--json', ...flags]);
        const shown = await page.explain({ subject: { user }, action, resource });
        answers[`${user} ${action} ${resource}`] = [
          (await client.authorization.evaluate({ user, action, resource })).allowed,
          JSON.parse(explained.out).explanation.decision.allowed,
          holders.includes(user),
          shown.tree?.effect === 'Allow',
        ];
      }
    }
    page.close();
    await replica.close();
    const all = Object.entries(answers);
    expect(all).toHaveLength(40);
    expect(all.filter(([, given]) => new Set(given).size > 1)).toEqual([]);
    expect(new Set(all.map(([, [first]]) => first))).toEqual(new Set([true, false]));
    expect(answers['team goods:write goods:1']?.[0]).toBe(fidelity === 'sidecar');
  },
);
