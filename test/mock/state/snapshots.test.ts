import { describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { authz, caller, rbac } from '../../support/behaviour/check.ts';
import { everything } from '../../support/calls.ts';

const people = 10_000;

const large = () =>
  createMock({
    now: '2026-11-20T12:00:00Z',
    policies: { all: everything },
    roles: { admin: { policies: ['all'] } },
    bindings: Array.from({ length: people }, (_, i) => ({ user: `user-${i}`, role: 'admin', scope: everything })),
  });

const way = (mock: Mock) => caller(mock.connection.url, mock.connection.fetch as typeof fetch);

describe('200 snapshots and restores of 10 000 bindings', () => {
  test('restore every state, with a change and a decision in between', async () => {
    const mock = await large();
    const call = way(mock);
    const token = await mock.tokens.issue({ user: null });
    const effect = async (user: string) =>
      (await call(`${authz}/evaluate`, { body: { user, action: 'a:b', resource: 'r' } })).body;
    const snapshots = [];
    for (let i = 0; i < 200; i += 1) {
      snapshots.push(mock.snapshot());
      const removed = await call(`${rbac}/user/user-${i}/role/admin`, { method: 'DELETE', token });
      expect(removed.status).toBe(200);
    }
    for (const [i, snapshot] of [...snapshots.entries()].reverse()) {
      mock.restore(snapshot);
      expect(await effect(`user-${i}`)).toMatchObject({ effect: 'Allow' });
      expect(await effect(`user-${i - 1}`)).toMatchObject({ effect: 'Deny' });
      expect(await effect(`user-${people - 1}`)).toMatchObject({ effect: 'Allow' });
    }
  });
});
