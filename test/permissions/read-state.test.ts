import { expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { plan, readState } from '../../src/permissions/index.ts';
import { createEvaluator } from '../../src/policy/index.ts';
import { everything } from '../support/calls.ts';

const state = {
  policies: { p: everything },
  roles: { r: { policies: ['p'] } },
  bindings: [{ user: 'ann', role: 'r', scope: everything }],
};

test('a replica knows all bindings, `users` some of them; otherwise the states are equal', async () => {
  const mock = await createMock({ ...state, authentication: { enabled: false } });
  const client = createClient({ ...mock.connection });
  const evaluator = createEvaluator(state);
  const all = await readState(client, { replica: { evaluator: () => evaluator } });
  const some = await readState(client, { users: ['ann', 'bob', 'ann'] });
  expect([all.users, some.users]).toEqual(['all', ['ann', 'bob']]);
  expect(some.indexes?.policies.get('p')).toBeGreaterThan(0);
  expect(plan(some, all).changes).toEqual([]);
  expect((await readState(client, { users: ['bob'] })).bindings).toEqual([]);
});

test('exactly one of users and replica is required', async () => {
  const client = createClient({ ...(await createMock()).connection });
  await expect(readState(client, {})).rejects.toThrow('options: expected one of users and replica');
  await expect(readState(client, undefined as never)).rejects.toThrow('options: expected an object, got undefined');
  await expect(readState(client, { user: ['ann'] } as never)).rejects.toThrow('user: unknown (did you mean "users"?)');
  await expect(readState(client, { users: 'ann' } as never)).rejects.toThrow('users: expected a list, got a string');
});
