import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { verifyToken } from '../../../src/enforce/guard/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';
import { es256 } from '../../support/calls.ts';
import { failureOf } from '../../support/failure.ts';

/** A mock with an asymmetric key, a client that may fetch its keys, and the number of fetches. */
async function openMock(config: MockConfig = {}) {
  const { privatePem } = await es256();
  const mock = await createMock({ authentication: { keys: { active: privatePem } }, ...config });
  const asked = { keys: 0 };
  const token = await mock.tokens.issue({ user: null, lifetime: '1000h' });
  const client = createClient({
    ...mock.connection,
    fetch: (url, init) => {
      if (url.endsWith('/keys')) asked.keys++;
      return mock.fetch(url, init);
    },
    credentials: credentials.bearer(token),
  });
  return { mock, client, asked };
}

describe('published keys', () => {
  // The monotonic clock, which limits fetches of keys.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());
  const advance = (ms: number) => vi.advanceTimersByTime(ms);

  test('are fetched once for many tokens', async () => {
    const { mock, client, asked } = await openMock();
    const token = await mock.tokens.issue({ user: 'alice' });
    await Promise.all(Array.from({ length: 50 }, () => verifyToken(token, { client })));
    await verifyToken(token, { client });
    expect(asked.keys).toBe(1);
  });

  test('are fetched again after a rotation, at most once in 30 s for tokens that are older', async () => {
    const { mock, client, asked } = await openMock();
    await verifyToken(await mock.tokens.issue({ user: 'a' }), { client });
    await mock.keys.rotate();
    const token = await mock.tokens.issue({ user: 'b' });
    // The tokens are 50 minutes old.
    const options = { client, now: new Date(mock.clock.now() + 3_000_000) };
    advance(29_999);
    expect(await verifyToken(token, options)).toEqual({ valid: false, reason: 'signature is invalid' });
    expect(asked.keys).toBe(1);
    advance(1);
    // All of them wait for the same fetch.
    const answers = await Promise.all(Array.from({ length: 5 }, () => verifyToken(token, options)));
    for (const answer of answers) expect(answer).toMatchObject({ valid: true, user: 'b' });
    expect(asked.keys).toBe(2);
    const wrong = await mock.tokens.forge({ wrongKey: true });
    for (let tries = 0; tries < 5; tries++) await verifyToken(wrong, options);
    expect(asked.keys).toBe(2);
    advance(30_000);
    await Promise.all(Array.from({ length: 5 }, () => verifyToken(wrong, options)));
    expect(asked.keys).toBe(3);
  });

  test('are not fetched again for a token that no published key could have signed', async () => {
    const { mock, client, asked } = await openMock();
    await verifyToken(await mock.tokens.issue(), { client });
    advance(60_000);
    for (const token of [
      'a.b.c',
      await mock.tokens.forge({ none: true }),
      await mock.tokens.forge({ expired: true }),
    ]) {
      expect((await verifyToken(token, { client })).valid).toBe(false);
    }
    expect(await verifyToken(await mock.tokens.forge({ algorithm: 'HS256' }), { client })).toEqual({
      valid: false,
      reason: 'signature is invalid',
    });
    expect(asked.keys).toBe(1);
  });

  test('are not fetched at all for a token without three parts, or with empty ones', async () => {
    const { client, asked } = await openMock();
    for (const token of ['x', 'a.b', 'a.b.c.d', 'e30.e30.e30']) {
      expect(await verifyToken(token, { client })).toMatchObject({ valid: false, reason: /malformed|unverifiable/ });
    }
    expect(asked.keys).toBe(0);
  });

  test('are not fetched again for a token of a shared secret, which is never published', async () => {
    const { mock, client, asked } = await openMock();
    await verifyToken(await mock.tokens.issue({ user: 'a' }), { client });
    const other = await createMock({ authentication: { keys: { active: 'secret' } } });
    advance(30_000);
    const answer = await verifyToken(await other.tokens.issue({ user: 'a' }), { client });
    expect([answer.valid, asked.keys]).toEqual([false, 1]);
  });

  test('that are invalid are the deployment’s mistake: the error names the key', async () => {
    const { mock } = await openMock();
    const client = {
      authentication: { keys: async () => ({ keys: ['-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----'] }) },
    };
    const error = await failureOf(verifyToken(await mock.tokens.issue({ user: 'a' }), { client }));
    expect([error.code, error.field]).toEqual(['INVALID_ARGUMENT', 'client.keys[0]']);
  });

  test('a deployment with symmetric keys publishes none: the error says so', async () => {
    const { mock, client } = await openMock({ authentication: { keys: { active: 'secret' } } });
    const token = await mock.tokens.issue({ user: 'alice' });
    const error = await failureOf(verifyToken(token, { client }));
    expect([error.code, error.field]).toEqual(['INVALID_ARGUMENT', 'client']);
    expect(error.message).toMatch(/signs with a secret/);
    expect(await verifyToken(token, { secret: 'secret' })).toMatchObject({ valid: true, user: 'alice' });
  });

  test('a client without permission fails like keys(); the next call fetches again', async () => {
    const { mock, client } = await openMock();
    const token = await mock.tokens.issue({ user: 'alice' });
    mock.fail({ path: '/_management/authentication/keys', status: 503, times: 1 });
    expect((await failureOf(verifyToken(token, { client }))).status).toBe(503);
    expect((await verifyToken(token, { client })).valid).toBe(true);
  });

  test('may be given as PEM', async () => {
    const { mock, client } = await openMock();
    const { keys } = await client.authentication.keys();
    const token = await mock.tokens.issue({ user: 'alice' });
    expect(await verifyToken(token, { keys })).toMatchObject({ valid: true, user: 'alice' });
    expect(await verifyToken(token, { keys: [(await es256()).publicPem, `\n${keys[0]}\n`] })).toMatchObject({
      user: 'alice',
    });
    await mock.keys.rotate();
    expect((await verifyToken(await mock.tokens.issue({ user: 'b' }), { keys })).valid).toBe(false);
  });

  test('of any object with authentication.keys(), which is not modified', async () => {
    const { mock, client, asked } = await openMock();
    const { keys } = await client.authentication.keys();
    const calls: unknown[] = [];
    const own = Object.freeze({
      authentication: Object.freeze({
        keys: async (options?: unknown) => {
          calls.push(options);
          return { keys };
        },
      }),
    });
    const token = await mock.tokens.issue({ user: 'alice' });
    for (let i = 0; i < 3; i++) expect(await verifyToken(token, { client: own })).toMatchObject({ user: 'alice' });
    // The same deployment in another object: the cache belongs to `authentication`.
    expect((await verifyToken(token, { client: { ...own } })).valid).toBe(true);
    expect(calls).toEqual([{ timeout: 10_000 }]);
    expect(asked.keys).toBe(1);
    expect(Object.keys(client.authentication)).not.toContain('verification');
  });

  test('a fetch that never settles delays other callers for less than the timeout of a guard', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const { mock, client } = await openMock();
    const old = await client.authentication.keys();
    await mock.keys.rotate();
    const fetches: PromiseWithResolvers<typeof old>[] = [];
    const begun = Promise.withResolvers<void>();
    const keys = () => {
      begun.resolve();
      const fetch = Promise.withResolvers<typeof old>();
      fetches.push(fetch);
      return fetch.promise;
    };
    const own = { authentication: { keys } };
    const token = await mock.tokens.issue({ user: 'alice' });
    // In Workers a promise that belongs to a request that has ended never settles.
    const ended = verifyToken(token, { client: own });
    await begun.promise;
    const joined = verifyToken(token, { client: own });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(fetches.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await vi.waitFor(() => expect(fetches.length).toBe(2));
    fetches[1]?.resolve(await client.authentication.keys());
    expect(await joined).toMatchObject({ valid: true, user: 'alice' });
    // If it settles after all, its older keys replace nothing.
    fetches[0]?.resolve(old);
    await ended;
    expect(await verifyToken(token, { client: own })).toMatchObject({ valid: true });
    expect(fetches.length).toBe(2);
  });

  test('that take three seconds verify the tokens of all who wait, when they come', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const { mock, client } = await openMock();
    const published = await client.authentication.keys();
    const keys = () => new Promise<typeof published>((resolve) => setTimeout(() => resolve(published), 3_000));
    const own = { authentication: { keys: vi.fn(keys) } };
    const token = await mock.tokens.issue({ user: 'alice' });
    const ended: boolean[] = [];
    const verify = async () => ended.push((await verifyToken(token, { client: own })).valid);
    const first = verify();
    await vi.waitFor(() => expect(own.authentication.keys).toHaveBeenCalledOnce());
    const others = Array.from({ length: 3 }, verify);
    await vi.advanceTimersByTimeAsync(3_000);
    await vi.waitFor(() => expect(ended).toEqual([true, true, true, true]));
    await Promise.all([first, ...others]);
    expect(own.authentication.keys).toHaveBeenCalledTimes(2);
  });
});

test.each<[unknown, unknown, string]>([
  [5, { secret: 's' }, 'token'],
  ['', { secret: 's' }, 'token'],
  ['x'.repeat(16_385), { secret: 's' }, 'token'],
  ['t', undefined, 'options'],
  ['t', {}, 'options'],
  ['t', { secret: 's', keys: [] }, 'options'],
  ['t', { secret: '' }, 'secret'],
  ['t', { secret: new Uint8Array() }, 'secret'],
  ['t', { secret: 31_337 }, 'secret'],
  ['t', { secret: [115] }, 'secret'],
  ['t', { keys: [] }, 'keys'],
  ['t', { keys: 'pem' }, 'keys'],
  ['t', { keys: [5] }, 'keys[0]'],
  ['t', { keys: ['canary'] }, 'keys[0]'],
  ['t', { keys: ['-----BEGIN PUBLIC KEY-----\ncanary\n-----END PUBLIC KEY-----'] }, 'keys[0]'],
  ['t', { client: {} }, 'client'],
  ['t', { client: { authentication: {} } }, 'client'],
  ['t', { client: null }, 'client'],
  ['t', { secret: 's', now: 5 }, 'now'],
  ['t', { secret: 's', now: new Date(Number.NaN) }, 'now'],
  ['t', { secret: 's', key: 's' }, 'key'],
])('rejects %j with %j', async (token, options, field) => {
  // The cast: deliberately wrong.
  const error = await failureOf(verifyToken(token as never, options as never));
  expect([error.code, error.field]).toEqual(['INVALID_ARGUMENT', field]);
  expect(error.message).not.toMatch(/canary|31337/);
});

describe('a key that cannot be read is rejected', () => {
  const body = Buffer.alloc(40, 7).toString('base64');
  const pem = `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----`;
  const refusal = async (...keys: string[]) => (await failureOf(verifyToken('t', { keys }))).message;

  test('with what is accepted, if it is not a PEM of a public key', async () => {
    const { publicPem, privatePem } = await es256();
    for (const other of ['x', body, privatePem, `# a key\n${publicPem}`]) {
      expect(await refusal(publicPem, other)).toBe('keys[1]: expected a public ES256 key as PEM ("BEGIN PUBLIC KEY")');
    }
  });

  test('with the runtime’s reason', async () => {
    expect(await refusal(pem)).toMatch(/; the runtime says: \S+/);
    expect(await refusal(pem)).not.toContain(body);
  });

  test.each([
    [`bad: ${body}`, 'DataError'],
    [`bad: ${body.slice(8, 24)}`, 'DataError'],
    ['', 'DataError'],
    ['no such curve', 'no such curve'],
  ])('unless that quotes the key: %j', async (message, said) => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException(message, 'DataError'));
    onTestFinished(() => importKey.mockRestore());
    expect(await refusal(pem)).toMatch(new RegExp(`; the runtime says: ${said}$`));
  });
});
