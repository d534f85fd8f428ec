import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { question } from './support/replicas.ts';
import { everywhere } from './support/scripted-pool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minute = 60_000;
const day = 24 * 60 * minute;
const streams = [
  'PoolPolicyChanges',
  'PoolRoleChanges',
  'PoolUserRoleBindingChanges',
  'PoolGroupRoleBindingChanges',
] as const;

test('24 hours of tokens that last a minute, with streams that break: never a gap', async () => {
  await using mock = await createMock({
    platform: 'next',
    policies: {
      p: everywhere,
      pool: {
        statements: [{ effect: 'Allow', actions: ['rbac:Pool*'], resources: ['*'] }],
      },
    },
    roles: { r: { policies: ['p'] }, sync: { policies: ['pool'] } },
    bindings: [
      { user: 'alice', role: 'r', scope: everywhere },
      { user: 'svc', role: 'sync', scope: everywhere },
    ],
    groupBindings: [{ group: 'dev', role: 'r', scope: everywhere }],
  });
  // Sends the requests of minted credentials to the mock.
  const { authentication } = createClient(mock.connection);
  let held: { readonly token: string; readonly expiresAt: Date } | undefined;
  let asked = 0;
  const own = credentials.bearer(async () => {
    if (held === undefined || held.expiresAt.getTime() <= Date.now()) {
      asked++;
      held = await authentication.createToken({ user: 'svc', lifetime: '1m' });
    }
    return held.token;
  });
  await using replica = createReplica({ transport: mockPool(mock), credentials: own });
  await replica.ready();
  const states: string[] = [];
  replica.on('status', ({ state }) => states.push(state));
  const admin = await mock.tokens.issue({ user: null, lifetime: '1000h' });
  const { authorization } = createClient({ ...mock.connection, credentials: credentials.bearer(admin) });
  let writes = 0;
  for (let passed = 0; passed < day; passed += 15 * minute) {
    for (const stream of streams) mock.fail({ stream, grpcCode: 14 });
    mock.requests.clear();
    await vi.advanceTimersByTimeAsync(500);
    // Creating a token takes real time, so virtual time waits for it.
    const opened = () => mock.requests.filter(({ path, status }) => path.includes('Changes') && status === 200).length;
    await vi.waitFor(() => expect(opened()).toBe(4), { timeout: 10_000 });
    await vi.advanceTimersByTimeAsync(15 * minute - 500);
    const allowed = writes % 2 === 1;
    await authorization.policies.update('p', allowed ? everywhere : { statements: [] });
    writes++;
    await vi.waitFor(() => expect(replica.isAllowed(question), `after ${passed / minute} minutes`).toBe(allowed));
    expect(replica.live).toBe(true);
  }
  mock.assertFaultsUsed();
  expect(states).toEqual([]);
  expect([writes, asked >= 96]).toEqual([96, true]);
}, 120_000);

test('no token, secret or credential is in an error, a status, an event or the log', async () => {
  await using mock = await createMock({ authentication: { keys: { active: 'canary-secret' } } });
  const token = await mock.tokens.forge({ user: 'canary-user', wrongKey: true });
  await using replica = createReplica({
    transport: mockPool(mock),
    credentials: credentials.bearer(token),
    tokens: { secret: 'canary-secret' },
  });
  const seen: unknown[] = [];
  replica.on('status', (status) => seen.push(status));
  const ready = replica.ready().catch((error) => seen.push(error, error.stack, String(error.cause)));
  await vi.advanceTimersByTimeAsync(1_000);
  await ready;
  await replica.authenticate(token).catch((error) => seen.push(error, error.stack));
  seen.push(replica.status, { ...replica }, mock.requests);
  const { inspect } = await import('node:util');
  const text = inspect([seen, replica], { depth: 12, showHidden: true }) + JSON.stringify(seen);
  expect(text).toContain('UNAUTHENTICATED');
  for (const part of [...token.split('.'), 'canary-secret']) expect(text).not.toContain(part);
});
