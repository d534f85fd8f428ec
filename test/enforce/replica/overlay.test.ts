import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import type { ProposedChange } from '../../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import type { PlanChange } from '../../../src/permissions/index.ts';
import { createEvaluator, type Policy } from '../../../src/policy/index.ts';
import { liveReplica, question } from './support/replicas.ts';

const allow = (action: string): Policy => ({ statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] });
const state = {
  policies: { reader: allow('orders:read'), writer: allow('orders:write') },
  roles: { viewer: { policies: ['reader'] }, editor: { policies: ['reader', 'writer'] } },
  bindings: [
    { user: 'alice', role: 'viewer', scope: allow('*') },
    { user: 'bob', role: 'editor', scope: allow('*') },
  ],
};
const write = { ...question, action: 'orders:write' };

async function start(mockOptions: Parameters<typeof createMock>[0] = {}) {
  const mock: Mock = await createMock({ ...state, ...mockOptions });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const token = await mock.tokens.issue({ user: null });
  const { authorization } = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  return { mock, authorization, replica: await liveReplica({ transport: mockPool(mock) }) };
}

describe.each(['documented', 'sidecar'] as const)('an overlay in %s fidelity', (fidelity) => {
  test.each<[string, readonly ProposedChange[], object, boolean]>([
    ['a policy that is set', [{ kind: 'policy', name: 'reader', after: allow('orders:write') }], write, true],
    ['a policy that is deleted', [{ kind: 'policy', name: 'reader', after: null }], question, false],
    ['a role that is set', [{ kind: 'role', name: 'viewer', after: { policies: ['writer'] } }], write, true],
    ['a role that is deleted', [{ kind: 'role', name: 'viewer', after: null }], question, false],
    ['a binding that is set', [{ kind: 'binding', user: 'alice', role: 'editor', after: allow('*') }], write, true],
    ['a binding that is deleted', [{ kind: 'binding', user: 'alice', role: 'viewer', after: null }], question, false],
  ])('%s decides, and the replica does not change', async (_what, changes, asked, allowed) => {
    const { replica, mock } = await start({ fidelity });
    const ask = asked as typeof question;
    const before = replica.isAllowed(ask);
    expect(before).not.toBe(allowed);
    const overlay = replica.overlay(changes);
    const { user, ...item } = ask;
    expect([overlay.isAllowed(ask), overlay.evaluate(ask).allowed]).toEqual([allowed, allowed]);
    expect(overlay.evaluateMany({ user, items: [item, item] }).items.map((one) => one.allowed)).toEqual([
      allowed,
      allowed,
    ]);
    expect(overlay.explain(ask).decision.allowed).toBe(allowed);
    expect(overlay.evaluator().isAllowed(ask)).toBe(allowed);
    expect([replica.isAllowed(ask), replica.evaluator().isAllowed(ask)]).toEqual([before, before]);
    expect(mock.requests.filter(({ method, path }) => method !== 'GET' && path.startsWith('/_management'))).toEqual([]);
  });

  test('an overlay follows the replica, apart from the proposed items', async () => {
    const { replica, authorization } = await start({ fidelity });
    const overlay = replica.overlay([{ kind: 'policy', name: 'reader', after: allow('orders:list') }]);
    const list = { ...question, action: 'orders:list' };
    expect([overlay.isAllowed(list), overlay.isAllowed(question), overlay.isAllowed(write)]).toEqual([
      true,
      false,
      false,
    ]);
    await replica.reached(await authorization.roles.update('viewer', { policies: ['reader', 'writer'] }));
    expect([overlay.isAllowed(list), overlay.isAllowed(write)]).toEqual([true, true]);
    await replica.reached(await authorization.policies.update('reader', allow('orders:read')));
    expect([overlay.isAllowed(list), overlay.isAllowed(question), replica.isAllowed(list)]).toEqual([
      true,
      false,
      false,
    ]);
    await replica.reached(await authorization.bindings.remove({ user: 'alice', role: 'viewer' }));
    expect(overlay.isAllowed(list)).toBe(false);
  });

  test('an overlay follows a replica that reads everything again', async () => {
    const { replica, mock } = await start({ fidelity });
    const overlay = replica.overlay([{ kind: 'role', name: 'viewer', after: { policies: ['writer'] } }]);
    expect(overlay.isAllowed(write)).toBe(true);
    mock.reset();
    const token = await mock.tokens.issue({ user: null });
    const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
    await client.authorization.policies.update('writer', { statements: [] });
    await expect.poll(() => overlay.isAllowed(write)).toBe(false);
    expect(replica.isAllowed(question)).toBe(true);
  });
});

test('an evaluator with the same changes decides alike', async () => {
  const { replica } = await start({ fidelity: 'documented' });
  const changes: ProposedChange[] = [
    {
      kind: 'policy',
      name: 'writer',
      after: { statements: [{ effect: 'Deny', actions: ['*'], resources: ['order:7'] }] },
    },
    { kind: 'role', name: 'viewer', after: { policies: ['reader', 'writer'] } },
    { kind: 'binding', user: 'carol', role: 'viewer', after: allow('orders:read') },
  ];
  const expected = createEvaluator(state);
  expected.setPolicy('writer', changes[0]?.after as Policy);
  expected.setRole('viewer', { policies: ['reader', 'writer'] });
  expected.setBinding({ user: 'carol', role: 'viewer', scope: allow('orders:read') });
  const overlay = replica.overlay(changes);
  for (const user of ['alice', 'bob', 'carol', 'dave']) {
    for (const resource of ['order:7', 'order:8']) {
      for (const action of ['orders:read', 'orders:write']) {
        const asked = { user, action, resource };
        expect(overlay.isAllowed(asked), JSON.stringify(asked)).toBe(expected.isAllowed(asked));
      }
    }
  }
});

test('the type of the deployment counts, and a closed replica decides nothing', async () => {
  const { replica } = await start({ authorization: { type: 'always' } });
  const overlay = replica.overlay([{ kind: 'policy', name: 'reader', after: null }]);
  expect([overlay.isAllowed(question), overlay.live]).toEqual([true, true]);
  overlay.assertLive();
  await replica.close();
  const closed = expect.objectContaining({ code: 'REPLICA', reason: 'CLOSED' });
  expect(() => overlay.isAllowed(question)).toThrow(closed);
  expect(() => overlay.assertLive()).toThrow(closed);
  expect(overlay.live).toBe(false);
});

test('later changes of the arguments do not change the overlay', async () => {
  const { replica } = await start();
  const after = { statements: [{ effect: 'Allow' as const, actions: ['orders:read'], resources: ['*'] }] };
  const changes: ProposedChange[] = [{ kind: 'policy', name: 'reader', after }];
  const overlay = replica.overlay(changes);
  after.statements.splice(0);
  changes.splice(0);
  expect(overlay.isAllowed(question)).toBe(true);
});

test.each<[string, unknown, string, RegExp]>([
  ['no list', {}, 'changes', /a list/],
  ['a misspelt field', [{ kind: 'policy', nme: 'p', after: null }], 'changes[0].nme', /name/],
  ['an unknown kind', [{ kind: 'policies', name: 'p', after: null }], 'changes[0].kind', /policy, role, binding/],
  ['a policy without a name', [{ kind: 'policy', after: null }], 'changes[0].name', /needs a name/],
  [
    'a binding without a role',
    [{ kind: 'binding', user: 'u', after: null }],
    'changes[0].user',
    /user or group, and a role/,
  ],
  ['no content', [{ kind: 'policy', name: 'p' }], 'changes[0].after', /null to delete/],
  [
    'content that the fidelity rejects',
    [{ kind: 'policy', name: 'p', after: { statements: [{}] } }],
    'changes[0].after',
    /statements/,
  ],
  [
    'content that is not data',
    [{ kind: 'policy', name: 'p', after: { statements: [], f: () => 1 } }],
    'changes[0].after',
    /data/,
  ],
])('%s is rejected', async (_what, changes, field, problem) => {
  const { replica } = await start({ fidelity: 'documented' });
  const refusal = expect.objectContaining({ code: 'INVALID_ARGUMENT', field, problem: expect.stringMatching(problem) });
  expect(() => replica.overlay(changes as ProposedChange[])).toThrow(refusal);
});

test('replica.overlay takes the changes of a plan as proposed changes', async () => {
  expectTypeOf<PlanChange>().toExtend<ProposedChange>();
  const { replica } = await start();
  const plan: PlanChange = {
    kind: 'role',
    name: 'viewer',
    action: 'update',
    reason: 'differs',
    index: 7,
    before: { policies: ['reader'] },
    after: { policies: ['writer'] },
  };
  expect(replica.overlay([plan]).isAllowed(write)).toBe(true);
});
