import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createGuard, createVerifier, isUnknownKeyError, verifyToken } from '../../../src/enforce/guard/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { es256 } from '../../support/calls.ts';
import { base64url } from '../../support/raw-token.ts';
import { runsOf } from '../../support/thorough.ts';

/** A deployment on a port that signs with ES256 keys, and what verifies its tokens by a clock that runs ahead of it. */
async function deploy(aheadMs = 0) {
  const mock = await createMock({
    now: '2031-01-01T00:00:00Z',
    authentication: { keys: { active: (await es256()).privatePem } },
  });
  const server = await listen(mock);
  const client = createClient({
    url: server.url,
    credentials: credentials.bearer(await mock.tokens.issue({ user: null, lifetime: '1000h' })),
  });
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  const verify = createVerifier({ client, clock: { now: () => mock.clock.now() + aheadMs } });
  const guard = createGuard(createEvaluator(), { authenticate: verify });
  return {
    mock,
    client,
    verify,
    /** The number of times that the keys were loaded. */
    loads: () => mock.requests.filter(({ path }) => path === '/_management/authentication/keys').length,
    /** Advances all clocks. */
    advance(seconds: number) {
      vi.advanceTimersByTime(seconds * 1_000);
      mock.clock.advance(`${seconds}s`);
    },
    good: () => mock.tokens.issue({ user: 'alice' }),
    /** A token with a bad signature, issued this many seconds ago, that names any key. */
    forged(age = 0, kid?: string) {
      const now = Math.floor(mock.clock.now() / 1_000);
      const parts = [
        { alg: 'ES256', typ: 'JWT', kid },
        { preferred_username: 'alice', iat: now - age, exp: now + 3_600 },
      ].map((part) => base64url(JSON.stringify(part)));
      return [...parts, base64url(crypto.getRandomValues(new Uint8Array(64)))].join('.');
    },
    /** Status and Retry-After of the guard's answer. */
    async ask(token: string) {
      const access = await guard.authenticate({ headers: { authorization: `Bearer ${token}` } });
      return access.allowed ? [200] : [access.status, access.headers['retry-after']].filter(Boolean);
    },
  };
}

beforeEach(() => {
  // The monotonic clock, by which keys are loaded again.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

describe('a token of a new key is good', () => {
  test.each([1, 10, 29, 31])(
    '%i s after the keys were loaded, although a forged token came just before',
    async (age) => {
      const { mock, good, forged, ask, advance, loads } = await deploy();
      expect(await ask(await good())).toEqual([200]);
      advance(age);
      expect(await ask(forged(100))).toEqual([401]);
      await mock.keys.rotate();
      expect(await ask(await good())).toEqual([200]);
      expect(loads()).toBe(age < 30 ? 2 : 3);
    },
  );

  test('also in the second in which the keys were loaded', async () => {
    const { mock, good, ask } = await deploy();
    await ask(await good());
    await mock.keys.rotate();
    expect(await ask(await good())).toEqual([200]);
  });

  test('also for a verifier whose clock runs ahead of the service by seconds', async () => {
    const { mock, good, forged, ask, advance } = await deploy(4_000);
    await ask(await good());
    advance(1);
    await mock.keys.rotate();
    await ask(forged(100));
    expect(await ask(await good())).toEqual([200]);
  });

  test('also if the load that it waited for began before it was issued', async () => {
    const { mock, client, good } = await deploy();
    const old = await client.authentication.keys();
    const loads: PromiseWithResolvers<typeof old>[] = [];
    const keys = () => (loads[loads.push(Promise.withResolvers()) - 1] as (typeof loads)[number]).promise;
    const verify = createVerifier({ client: { authentication: { keys } }, clock: mock.clock });
    const first = verify(await good());
    await expect.poll(() => loads.length).toBe(1);
    vi.advanceTimersByTime(1);
    await mock.keys.rotate();
    const joined = verify(await good());
    loads[0]?.resolve(old);
    expect(await first).toMatchObject({ valid: true });
    await expect.poll(() => loads.length).toBe(2);
    loads[1]?.resolve(await client.authentication.keys());
    expect(await joined).toMatchObject({ valid: true, user: 'alice' });
  });

  test('with any number of forged tokens: 503 with Retry-After at first, and 200 after that time', async () => {
    const { mock, good, forged, ask, advance, loads } = await deploy();
    expect(await ask(await good())).toEqual([200]);
    advance(1);
    const answers = [];
    for (let i = 0; i < 10; i++) {
      answers.push(await ask(forged()));
      advance(0.01);
    }
    expect(answers.map(([status]) => status)).toEqual([401, 401, 401, 503, 503, 503, 503, 503, 503, 503]);
    await mock.keys.rotate();
    const token = await good();
    expect(await ask(token)).toEqual([503, '5']);
    expect(loads()).toBe(4);
    advance(4);
    expect(await ask(token)).toEqual([503, '1']);
    advance(1);
    expect(await ask(token)).toEqual([200]);
    expect(loads()).toBe(5);
  });
});

describe('a token stays 401, so that clients renew it,', () => {
  test.each<[string, object]>([
    ['older than the keys', { iat: -6 }],
    ['without iat', { iat: undefined }],
    ['issued in the future', { iat: 1 }],
    ['issued beyond all times', { iat: 1e300 }],
    ['with an iat that is no number', { iat: 'now' }],
    ['expired', { exp: -1 }],
    ['not valid yet', { nbf: 60 }],
  ])('if it is %s, whatever is loaded', async (_what, times) => {
    const { mock, good, forged, ask, loads } = await deploy();
    await ask(await good());
    const now = Math.floor(mock.clock.now() / 1_000);
    const claims = Object.fromEntries(
      Object.entries(times).map(([name, value]) => [name, typeof value === 'number' ? now + value : value]),
    );
    const token = await mock.tokens.forge({ wrongKey: true, claims });
    for (let i = 0; i < 5; i++) expect(await ask(token)).toEqual([401]);
    expect(loads()).toBe(1);
    // Nor when no more loads are allowed.
    for (let i = 0; i < 4; i++) await ask(forged());
    expect(await ask(token)).toEqual([401]);
  });

  test('if the keys that were loaded for it do not verify it', async () => {
    const { good, forged, ask, advance, loads } = await deploy();
    await ask(await good());
    advance(10);
    const token = forged();
    expect(await ask(token)).toEqual([401]);
    advance(6);
    expect(await ask(token)).toEqual([401]);
    advance(6);
    for (let i = 0; i < 10; i++) expect(await ask(token)).toEqual([401]);
    expect(loads()).toBe(3);
  });

  test('if it is of another kind than any published key', async () => {
    const { mock, good, ask, loads } = await deploy();
    await ask(await good());
    expect(await ask(await mock.tokens.forge({ algorithm: 'HS256' }))).toEqual([401]);
    expect(loads()).toBe(1);
  });
});

describe('forged tokens cause few loads', () => {
  test.each([
    [1 / 30, 0],
    [1 / 10, 0],
    [1, 0],
    [4, 0],
    [4, 3_600],
  ])('at %d a second with an age of %i s', async (rate, age) => {
    const { mock, good, forged, ask, advance, loads } = await deploy();
    await ask(await good());
    for (let i = 0; i < 60 * rate; i++) {
      advance(1 / rate);
      // Each names another key: the name counts for nothing.
      expect((await ask(forged(age, `key-${i}`)))[0]).toBeOneOf([401, 503]);
    }
    expect(loads()).toBeLessThanOrEqual(age === 0 ? 1 + 3 + 60 / 5 : 1 + 60 / 30);
    await mock.keys.rotate();
    const token = await good();
    const [status, seconds] = await ask(token);
    if (status === 200) return;
    expect([status, Number(seconds)]).toEqual([503, expect.toBeOneOf([1, 2, 3, 4, 5])]);
    advance(Number(seconds));
    expect(await ask(token)).toEqual([200]);
  });

  test('when many arrive at the same time', async () => {
    const { good, forged, ask, loads } = await deploy();
    await ask(await good());
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(forged())));
    for (const status of answers.flat()) expect(status).toBeOneOf([401, 503, '5']);
    expect(loads()).toBeLessThanOrEqual(4);
  });

  test('while they cannot be loaded: tokens of the known keys stay good', async () => {
    const { mock, good, forged, ask, advance, loads } = await deploy();
    const token = await good();
    await ask(token);
    mock.fail({ path: '/_management/authentication/keys', status: 500, times: Number.POSITIVE_INFINITY });
    for (let i = 0; i < 60; i++) {
      advance(0.5);
      expect((await ask(forged()))[0]).toBe(503);
      expect(await ask(token)).toEqual([200]);
    }
    expect(loads()).toBeLessThanOrEqual(1 + 3 + 30 / 5 + 1);
  });
});

test('the error says when to verify again, and nothing of the token', async () => {
  const { mock, client, good, forged, verify } = await deploy();
  await verify(await good());
  for (let i = 0; i < 3; i++) await verify(forged());
  const token = forged();
  for (const fail of [() => verify(token), () => verifyToken(token, { client, clock: mock.clock })]) {
    const error = await fail().catch((thrown: unknown) => thrown);
    expect(isUnknownKeyError(error)).toBe(true);
    expect(error).toMatchObject({ name: 'UnknownKeyError', code: 'UNKNOWN_KEY', retryAfterMs: 5_000 });
    expect(error).toMatchObject({
      message: 'no known key verifies the token; the keys can be loaded again in 5000 ms',
    });
    for (const part of token.split('.')) expect(JSON.stringify(error)).not.toContain(part);
  }
});

test('no other failure counts as an unknown key', async () => {
  const { client } = await deploy();
  const invalid = await client.authentication.createToken({ user: '' }).catch((thrown: unknown) => thrown);
  expect([invalid, { code: 'UNKNOWN_KEY' }].map(isUnknownKeyError)).toEqual([false, false]);
});

test('in any history no good token is refused, no forged one accepted, and loads stay few', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('advance' as const), by: fc.integer({ min: 1, max: 400 }) }),
    fc.record({ kind: fc.constant('forged' as const), by: fc.integer({ min: -5, max: 60 }) }),
    fc.record({ kind: fc.constantFrom('rotate' as const, 'good' as const), by: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const { advance, loads, mock, good, forged, ask } = await deploy();
      await ask(await good());
      let seconds = 0;
      for (const { kind, by } of steps) {
        if (kind === 'advance') {
          advance(by / 10);
          seconds += by / 10;
        } else if (kind === 'rotate') await mock.keys.rotate();
        else if (kind === 'forged') expect((await ask(forged(by)))[0]).toBeOneOf([401, 503]);
        else {
          const token = await good();
          const [status, wait] = await ask(token);
          if (status === 200) continue;
          expect(status).toBe(503);
          advance(Number(wait));
          seconds += Number(wait);
          expect(await ask(token)).toEqual([200]);
        }
      }
      expect(loads()).toBeLessThanOrEqual(1 + 3 + seconds / 5);
    }),
    runsOf(30),
  );
});
