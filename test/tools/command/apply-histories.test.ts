import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stableJson } from '../../../src/base/lib/stable-json.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { type AuthorizationClient, type Client, createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { exportPermissions, type PermissionsState, readState } from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { questions } from '../../permissions/support/states.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { folderOf } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const quick = ['--settle-ms', '0', '--concurrency', '1'];

const anything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const grantArb = fc
  .subarray(['a:x', 'a:y'], { minLength: 1 })
  .map((actions): Policy => ({ statements: [{ effect: 'Allow', actions, resources: ['*'] }] }));
const itemsArb = fc.record({
  policies: fc.tuple(grantArb, grantArb),
  roles: fc.tuple(...['r1', 'r2'].map(() => fc.subarray(['p1', 'p2'], { minLength: 1 }))),
});
const bindingsArb = fc.subarray(['ann r1', 'ann r2', 'bob r1']);
/** Two states that grant much, and often differ in bindings only. */
const sidesArb = fc.tuple(itemsArb, fc.option(itemsArb), bindingsArb, bindingsArb).map(([items, others, had, has]) =>
  [[items, had] as const, [others ?? items, has] as const].map(
    ([{ policies, roles }, bindings]): PermissionsState => ({
      policies: new Map(policies.map((policy, i) => [`p${i + 1}`, policy])),
      roles: new Map(roles.map((its, i) => [`r${i + 1}`, { policies: its }])),
      bindings: bindings.map((one) => ({ user: one.slice(0, 3), role: one.slice(4), scope: anything })),
      users: 'all',
    }),
  ),
);

interface Foreign {
  readonly kind: 'policy' | 'role' | 'binding';
  readonly name: string;
  readonly isDeletion: boolean;
}

const foreignArb: fc.Arbitrary<Foreign> = fc.record({
  kind: fc.constantFrom('policy' as const, 'role' as const, 'binding' as const, 'binding' as const),
  name: fc.constantFrom('1', '2', '3'),
  isDeletion: fc.boolean(),
});
const nothing: Policy = { statements: [] };

/** Takes access away by hand, as an administrator does in an emergency. */
async function revoke({ policies, roles, bindings }: AuthorizationClient, { kind, name, isDeletion }: Foreign) {
  const missing = () => undefined;
  if (kind === 'policy') {
    const write = isDeletion ? policies.delete(`p${name}`) : policies.update(`p${name}`, nothing);
    await write.catch(missing);
  } else if (kind === 'role') {
    const write = isDeletion ? roles.delete(`r${name}`) : roles.update(`r${name}`, { policies: [] });
    await write.catch(missing);
  } else {
    const at = { user: name === '3' ? 'bob' : 'ann', role: name === '2' ? 'r2' : 'r1' };
    await (isDeletion ? bindings.remove(at) : bindings.replaceScope({ ...at, scope: nothing })).catch(missing);
  }
}

const answersNow = (mock: Mock): boolean[] => questions.map((one) => mock.explain(one).decision.allowed);

/** All that the services tell of policies, roles and the bindings of ann and bob. */
async function readable(client: Client): Promise<string> {
  const { policies, roles, bindings, indexes } = await readState(client, { users: ['ann', 'bob'] });
  const sorted = (map: ReadonlyMap<string, unknown> | undefined) =>
    [...(map ?? [])].map((one) => stableJson(one)).sort();
  const all = [policies, roles, indexes?.policies, indexes?.roles].map(sorted);
  return JSON.stringify([...all, bindings.map((one) => stableJson(one)).sort()]);
}

const manage = 'manage: { policies: ["*"], roles: ["*"], users: ["*"] }\n';

describe('random histories of plan, apply, writes of others, and apply again', () => {
  test.each(['kept', 'lost'] as const)(
    'nothing that was revoked comes back: the record is %s',
    async (record) => {
      const seen = { finished: 0, refused: 0, revoked: 0, back: 0 };
      const history = fc.record({
        sides: sidesArb,
        cutAfter: fc.option(fc.nat(4)),
        foreign: fc.array(foreignArb, { maxLength: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(history, async ({ sides, cutAfter, foreign }) => {
          const [from, to] = sides as [PermissionsState, PermissionsState];
          await using mock = await createMock({
            policies: Object.fromEntries(from.policies),
            roles: Object.fromEntries(from.roles),
            bindings: from.bindings,
          });
          await using server = await listen(mock);
          const token = await mock.tokens.issue({ user: null });
          const client = createClient({ url: server.url, credentials: credentials.bearer(token) });
          const folder = folderOf({ token, 'permissions.yaml': exportPermissions(to).text + manage });
          const flags = ['--url', server.url, '--token-file', join(folder, 'token')];
          const file = ['--file', join(folder, 'permissions.yaml'), '--users', 'ann,bob', '--prune'];
          const plan = join(folder, 'plan.json');
          const made = await permissions(['plan', ...file, ...flags, '--out', plan]);
          expect([made.code, made.err]).toEqual([expect.any(Number), '']);
          const basis = await readable(client);
          const stopping = new AbortController();
          let writes = 0;
          const end = mock.onRequest(({ method }) => {
            if (method !== 'GET' && writes++ === cutAfter) stopping.abort(new Error('stopped'));
          });
          await permissions(['apply', plan, ...quick, ...flags], { signal: stopping.signal });
          end();
          const had = answersNow(mock);
          for (const write of foreign) await revoke(client.authorization, write);
          const left = answersNow(mock);
          if (record === 'lost') rmSync(`${plan}.record`, { force: true });
          const isAsBefore = (await readable(client)) === basis;
          const again = await permissions(['apply', plan, ...quick, ...flags]);
          const now = answersNow(mock);
          const revoked = questions.flatMap((_, i) => (had[i] && !left[i] ? i : []));
          const back = revoked.filter((i) => now[i]);
          seen[again.code === 0 ? 'finished' : 'refused']++;
          if (revoked.length > 0) seen.revoked++;
          if (back.length === 0) return;
          seen.back++;
          // Without the record only where nothing that can be read is other than when the plan was made.
          expect([record, isAsBefore]).toEqual(['lost', true]);
        }),
        runsOf(40),
      );
      expect(Math.min(seen.refused, seen.revoked)).toBeGreaterThanOrEqual(partOf(4));
      if (record === 'kept') expect([seen.back, seen.finished >= partOf(4)]).toEqual([0, true]);
    },
    120_000,
  );
});
