import { expect, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createGuard, createVerifier, verifyToken } from '../../../src/enforce/guard/index.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';

test('with the clock of the mock everything agrees on an expired token', async () => {
  const secret = 'the secret of the deployment';
  const mock = await createMock({
    now: '2031-01-01T00:00:00Z',
    authentication: { keys: { active: secret } },
    policies: { all: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } },
    roles: { admin: { policies: ['all'] } },
    bindings: [
      { user: 'alice', role: 'admin', scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } },
    ],
  });
  const { clock } = mock;
  const token = await mock.tokens.issue({ user: 'alice', lifetime: '10m' });
  const client = createClient({ ...mock.connection, clock });
  await using replica = createReplica({ transport: mockPool(mock), tokens: { secret }, clock });
  await replica.ready();
  const verifier = createVerifier({ secret, clock });
  const guards = [
    createGuard(client, { clock }),
    createGuard(client, { clock, cache: { ttl: '1h' } }),
    createGuard(client, { clock, authenticate: verifier, identify: true }),
    createGuard(replica, { clock }),
    createGuard(replica, { clock, cache: { ttl: '1h' } }),
  ];
  const statuses = async (): Promise<unknown[]> => {
    const request = { headers: { authorization: `Bearer ${token}` } };
    const asked = guards.map((guard) => guard.check(request, { action: 'orders:read', resource: 'o' }));
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  const verdicts = async (): Promise<boolean[]> => [
    (await verifier(token)).valid,
    (await verifyToken(token, { secret, clock })).valid,
    (await client.authentication.validate(token)).valid,
  ];

  expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
  expect(await verdicts()).toEqual([true, true, true]);
  clock.advance('11m');
  expect(await statuses()).toEqual([401, 401, 401, 401, 401]);
  expect(await verdicts()).toEqual([false, false, false]);
  // The credentials of a client renew by the same clock.
  const minted = createClient({
    ...mock.connection,
    clock,
    credentials: credentials.login({ username: 'root', password: '' }),
  });
  await minted.authentication.identity();
  clock.advance('3h');
  expect(await minted.authentication.identity()).toMatchObject({ user: 'root' });
});
