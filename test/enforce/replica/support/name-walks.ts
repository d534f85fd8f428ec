import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { mockPool } from '../../../../src/console/mock/node.ts';
import { createReplica } from '../../../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../../../src/index.ts';
import { createMock } from '../../../../src/mock/index.ts';
import type { Fidelity, Policy } from '../../../../src/policy/index.ts';

// Histories of bindings with colliding and overlapping names. After every step the replica decides like the mock.

const users = ['a', 'a:b', 'a:b:c', 'a:', 'z'];
const roles = ['r', 'b:r', 'c:r', 'b:c:r', ':r', 'none'];
const allow = (...resources: string[]): Policy => ({ statements: [{ effect: 'Allow', actions: ['*'], resources }] });
const scopes: readonly Policy[] = [
  allow('*'),
  allow('x'),
  allow('y'),
  { statements: [...allow('*').statements, { effect: 'Deny', actions: ['*'], resources: ['x'] }] },
];

interface Step {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly user: string;
  readonly role: string;
  readonly scope: Policy;
}

/** The outcomes of histories. */
interface Seen {
  allowed: number;
  /** Allowed by a binding under another spelling of the user. */
  shared: number;
}

/** The steps of a history. */
interface NameWalk {
  readonly fidelity: Fidelity;
  readonly steps: readonly Step[];
}

/** Histories with this many steps. */
const nameWalkArb = (steps: number): fc.Arbitrary<NameWalk> =>
  fc.record({
    fidelity: fc.constantFrom<Fidelity>('documented', 'sidecar'),
    steps: fc.array(
      fc.record({
        method: fc.constantFrom('POST', 'POST', 'PUT', 'DELETE'),
        user: fc.constantFrom(...users),
        role: fc.constantFrom(...roles),
        scope: fc.constantFrom(...scopes),
      }),
      { minLength: steps, maxLength: steps },
    ),
  });

/** Walks; after each step both decide and explain alike. Returns the numbers of Allows, and of those by other names. */
async function walkNames({ fidelity, steps }: NameWalk): Promise<Seen> {
  await using mock = await createMock({
    fidelity,
    policies: { all: allow('*'), none: { statements: [] } },
    roles: Object.fromEntries(roles.map((role) => [role, { policies: [role === 'none' ? 'none' : 'all'] }])),
  });
  const token = await mock.tokens.issue({ user: null, lifetime: '1000h' });
  const bearer = credentials.bearer(token);
  // Verifies its signature once here: that takes real time, for which virtual time does not wait.
  await createClient({ ...mock.connection, credentials: bearer }).authentication.identity();
  await using replica = createReplica({ transport: mockPool(mock), credentials: bearer });
  for (let waited = 0; waited < 100 && replica.status.state !== 'live'; waited++)
    await vi.advanceTimersByTimeAsync(100);
  await replica.ready();
  let newest = 0;
  const seen = { allowed: 0, shared: 0 };
  for (const { method, user, role, scope } of steps) {
    const path = `user/${encodeURIComponent(user)}/role/${encodeURIComponent(role)}`;
    const response = await mock.fetch(`http://mock.test/_management/permissions/${path}`, {
      method,
      headers: { authorization: `bearer ${token}` },
      ...(method !== 'DELETE' && { body: JSON.stringify({ scope }) }),
    });
    newest = Math.max(newest, ((await response.json()) as { index?: number }).index ?? 0);
    for (let waited = 0; waited < 100 && replica.status.indexes.bindings < newest; waited++) {
      await vi.advanceTimersByTimeAsync(waited);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(replica.status.indexes.bindings).toBeGreaterThanOrEqual(newest);
    for (const one of [...users, 'a:b:c:r']) {
      for (const resource of ['x', 'y']) {
        const question = { user: one, action: 'p:q', resource };
        const { decision, considered, reason } = mock.explain(question);
        const mine = replica.explain(question);
        const context = JSON.stringify({ fidelity, method, user, role, question });
        expect([context, replica.evaluate(question).effect]).toEqual([context, decision.effect]);
        expect([context, mine.reason, mine.considered]).toEqual([context, reason, considered]);
        if (!decision.allowed) continue;
        seen.allowed++;
        const listed = await createClient({ ...mock.connection, credentials: bearer }).authorization.bindings.list(one);
        expect(listed.length).toBe(considered.length);
        if (user !== one && `${user}:${role}:`.startsWith(`${one}:`)) seen.shared++;
      }
    }
  }
  return seen;
}

/** Walks many histories, and sums up their outcomes. */
export async function walkManyNames(parameters: fc.Parameters<[NameWalk]>): Promise<Seen> {
  const seen = { allowed: 0, shared: 0 };
  await fc.assert(
    fc.asyncProperty(nameWalkArb(20), async (one) => {
      const { allowed, shared } = await walkNames(one);
      seen.allowed += allowed;
      seen.shared += shared;
    }),
    parameters,
  );
  return seen;
}
