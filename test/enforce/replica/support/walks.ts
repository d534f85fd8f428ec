import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { mockPool } from '../../../../src/console/mock/node.ts';
import { createReplica, type Replica, type ReplicaTransport } from '../../../../src/enforce/replica/index.ts';
import { createClient } from '../../../../src/index.ts';
import { createMock, type Mock } from '../../../../src/mock/index.ts';
import type { EvaluationItem, Fidelity, Policy } from '../../../../src/policy/index.ts';
import type { PoolItem } from '../../../../src/policy/pool/pool-items.ts';
import { policyArb, requestFor, scopeArb } from '../../../policy/support/arbitrary.ts';
import { verifiedSuperuser } from './replicas.ts';

// Random walks over the management API of a mock. After each, the replica and the mock must decide alike. Uses
// Vitest's fake timers.

// Names whose bindings collide: user `u` with role `r:r` and user `u:r` with role `r` have one name.
const users = ['u', 'u:r', '__proto__', 'ü'];
const roles = ['r', 'r:r', '__proto__'];
const policies = ['p', 'p:p', '__proto__', '😀'];

interface Write {
  readonly path: string;
  /** Undefined for a deletion. */
  readonly body: object | undefined;
}

const segment = (name: string) => encodeURIComponent(name);
/** Mostly defined: with as many deletions nothing would be allowed. */
const mostly = (body: fc.Arbitrary<object>) => fc.option(body, { nil: undefined, freq: 5 });
const item = <T>(content: fc.Arbitrary<T>) => mostly(content.map((one) => ({ item: one })));

const writeArb: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ path: fc.constantFrom(...policies).map((name) => `policy/${segment(name)}`), body: item(policyArb) }),
  fc.record({
    path: fc.constantFrom(...roles).map((name) => `role/${segment(name)}`),
    body: item(fc.record({ policies: fc.uniqueArray(fc.constantFrom(...policies), { minLength: 1 }) })),
  }),
  fc.record({
    path: fc
      .tuple(fc.constantFrom(...users), fc.constantFrom(...roles))
      .map(([user, role]) => `user/${segment(user)}/role/${segment(role)}`),
    body: mostly(scopeArb.map((scope) => ({ scope }))),
  }),
);

/** The writes of a walk, and a seed for its questions and the disturbances of its streams. */
export interface Walk {
  readonly writes: readonly Write[];
  readonly seed: number;
  readonly fidelity: Fidelity;
}

/** Walks with this many writes. */
export const walkArb = (writes: number): fc.Arbitrary<Walk> =>
  fc.record({
    writes: fc.array(writeArb, { minLength: writes, maxLength: writes }),
    seed: fc.integer(),
    fidelity: fc.constantFrom<Fidelity>('documented', 'sidecar'),
  });

/** Writes as the superuser: creates or replaces an item. Returns the index. */
async function write(mock: Mock, { path, body }: Write, token: string): Promise<number> {
  const send = (method: string) =>
    mock.fetch(`http://mock.test/_management/permissions/${path}`, {
      method,
      headers: { authorization: `bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  let response = await send(body === undefined ? 'DELETE' : 'POST');
  if (response.status === 409) response = await send('PUT');
  const { index = 0 } = (await response.json()) as { index?: number };
  return index;
}

/** The final state of the writes, from which questions are derived. */
function lastState(writes: readonly Write[]) {
  const last = new Map(writes.map(({ path, body }) => [path, body]));
  const state = {
    policies: new Map<string, Policy>(),
    roles: new Map<string, { policies: readonly string[] }>(),
    bindings: [] as { user: string; role: string; scope: Policy }[],
  };
  for (const [path, body] of last) {
    if (body === undefined) continue;
    const [kind, name = '', , role = ''] = path.split('/').map(decodeURIComponent);
    // The casts: the arbitrary of the kind made it.
    if (kind === 'policy') state.policies.set(name, (body as { item: Policy }).item);
    else if (kind === 'role') state.roles.set(name, (body as { item: { policies: string[] } }).item);
    else state.bindings.push({ user: name, role, scope: (body as { scope: Policy }).scope });
  }
  return state;
}

/** Compares both on this many questions. Returns the number of Allows. */
async function decideAlike(mock: Mock, replica: Replica, { writes, seed }: Walk, count: number): Promise<number> {
  const state = lastState(writes);
  if (state.bindings.length === 0) return 0;
  const groups = new Map<string, { user: string; roles?: readonly string[]; items: EvaluationItem[] }>();
  for (let i = 0; i < count; i++) {
    const { user, roles, action, resource } = requestFor(state, seed + i);
    if (user === '' || action === '') continue;
    const key = JSON.stringify([user, roles]);
    const group = groups.get(key) ?? { user, ...(roles && { roles: [...roles] }), items: [] };
    groups.set(key, group);
    group.items.push({ action, resource });
  }
  const { authorization } = createClient(mock.connection);
  let allowed = 0;
  for (const request of groups.values()) {
    const local = replica.evaluateMany(request);
    expect(local).toEqual(await authorization.evaluateMany(request));
    allowed += local.items.filter((one) => one.allowed).length;
  }
  return allowed;
}

/** Writes one by one, then advances time until the replica has caught up and both decide alike. */
export async function walk(
  one: Walk,
  questions: number,
  transportOf: (mock: Mock, walking: () => boolean) => ReplicaTransport = mockPool,
  between: (mock: Mock, replica: Replica, at: number) => void = () => {},
  pass: (ms: number) => Promise<unknown> = (ms) => vi.advanceTimersByTimeAsync(ms),
): Promise<number> {
  await using mock = await createMock({ fidelity: one.fidelity });
  const token = await mock.tokens.issue({ user: null, lifetime: '1000h' });
  let walking = true;
  await using replica = createReplica({
    transport: transportOf(mock, () => walking),
    credentials: await verifiedSuperuser(mock),
  });
  await pass(300);
  for (const [i, each] of one.writes.entries()) {
    await write(mock, each, token);
    between(mock, replica, i);
    if (i % 10 === 0) await pass(0);
  }
  walking = false;
  // One more write of each kind: a lost change is detected by a later one.
  const last = {
    policies: await write(mock, { path: 'policy/last', body: { item: {} } }, token),
    roles: await write(mock, { path: 'role/last', body: { item: {} } }, token),
    bindings: await write(mock, { path: 'user/last/role/last', body: { scope: { statements: [] } } }, token),
  };
  for (let waited = 0; waited < 1_000 && !(replica.live && knows(replica, last)); waited++) await pass(500);
  expect(replica.status).toMatchObject({ state: 'live', indexes: last });
  return await decideAlike(mock, replica, one, questions);
}

const knows = (replica: Replica, last: Readonly<Record<string, number>>): boolean =>
  Object.entries(replica.status.indexes).every(([kind, index]) => index === last[kind]);

/** A disturbance of the messages of a stream of changes. */
export type Disturb = (items: readonly PoolItem[], random: () => number) => readonly (readonly PoolItem[])[];

/** The pool of a mock whose streams of changes are disturbed while `on` is true. */
export function disturbed(mock: Mock, seed: number, disturb: Disturb, on: () => boolean): ReplicaTransport {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
  const plain = mockPool(mock);
  return {
    ...plain,
    async *open(call, authorization, signal) {
      for await (const items of plain.open(call, authorization, signal)) {
        if (call.changes === undefined || !on() || random() < 0.8) yield items;
        else for (const message of disturb([...items], random)) yield message;
      }
    },
  };
}

/** Walks many times with 1 000 questions after each; the number of those that were allowed. */
export async function walkMany(parameters: fc.Parameters<[Walk]>): Promise<number> {
  let allowed = 0;
  await fc.assert(
    fc.asyncProperty(walkArb(50), async (one) => {
      allowed += await walk(one, 1_000);
    }),
    parameters,
  );
  return allowed;
}
