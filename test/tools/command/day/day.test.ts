import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listenGrpc } from '../../../../src/console/mock/node.ts';
import type { MockConfig } from '../../../../src/mock/index.ts';
import type { Policy, Statement } from '../../../../src/policy/index.ts';
import { openDeployment } from '../support/deployment.ts';
import { shell } from '../support/process.ts';

const allow = (actions: readonly string[], resource: string): Statement => ({
  effect: 'Allow',
  actions,
  resources: [resource],
});
const teams = ['orders', 'payments', 'stock', 'keys', 'mail', 'web', 'search', 'tax', 'staff', 'lab'];
const everywhere: Policy = { statements: [allow(['*'], '*')] };
const europe: Policy = { statements: [allow(['*'], '*:eu:*')] };

/** Ten teams with three policies and four roles each, and a hundred users with three roles. */
const company: MockConfig = {
  fidelity: 'sidecar',
  policies: Object.fromEntries(
    teams.flatMap((team) => [
      [`${team}-read`, { statements: [allow([`${team}:read`, `${team}:list`], `${team}:*`)] }],
      [`${team}-write`, { statements: [allow([`${team}:write`, `${team}:refund`], `${team}:*`)] }],
      [`${team}-own`, { statements: [allow([`${team}:*`], `${team}:*`)] }],
    ]),
  ),
  roles: Object.fromEntries(
    teams.flatMap((team) => [
      [`${team}-viewer`, { policies: [`${team}-read`] }],
      [`${team}-editor`, { policies: [`${team}-read`, `${team}-write`] }],
      [`${team}-owner`, { policies: [`${team}-own`] }],
      [`${team}-auditor`, { policies: [`${team}-read`], scope: europe }],
    ]),
  ),
  bindings: Array.from({ length: 100 }, (_, i) => {
    const [own, next, third] = [0, 1, 2].map((step) => teams[(i + step) % teams.length]);
    const user = `user${i}`;
    return [
      { user, role: `${own}-${i % 20 === 1 ? 'owner' : 'editor'}`, scope: i % 2 === 0 ? europe : everywhere },
      { user, role: `${next}-viewer`, scope: everywhere },
      { user, role: `${third}-auditor`, scope: everywhere },
    ];
  }).flat(),
};

test('an operator’s day, from the export to the questions of an auditor', async () => {
  const { mock, url, folder } = await openDeployment(company);
  const { address } = await listenGrpc(mock);
  const script = readFileSync(new URL('day.sh', import.meta.url), 'utf8');
  const { code, out, err } = await shell(script, folder, { URL: url, GRPC: address });
  expect([code, err]).toEqual([0, '']);
  const shown = out.replaceAll(url, 'https://db.example.com:8529').replace(/sha256:[0-9a-f]{64}/g, 'sha256:…');
  await expect(shown).toMatchFileSnapshot('day.txt');
}, 60_000);
