import { describe, expect, test } from 'vitest';
import { credentials, isCredentialsError, isHttpError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from '../services/support.ts';
import { checkRenewals, createPlatform, settle } from './platform.ts';

const alice = { user: 'alice', lifetime: '10m' } as const;
const kinds = [
  ['minted', () => credentials.minted(alice)],
  ['login', () => credentials.login({ username: 'alice', password: 'pw' })],
] as const;

describe.each(kinds)('%s', (_, create) => {
  test('1000 concurrent callers create one token', async () => {
    const { client, sent } = await createPlatform();
    const echo = client({ credentials: create() }).route('_echo');
    const answers = await Promise.all(Array.from({ length: 1000 }, () => echo.get()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(sent).toEqual({ tokens: 1, calls: 1000 });
    await echo.get();
    expect(sent.tokens).toBe(1);
  });

  test('renews an expired token before the call, whatever the database', async () => {
    const { client, sent, advance } = await createPlatform();
    const one = client({ credentials: create() });
    await one.route('_echo').get();
    advance(3_600_000);
    await one.database('other').route('_echo').get();
    expect(sent).toEqual({ tokens: 2, calls: 2 });
  });

  test.each(['2026-11-20T00:00:00Z', '2026-11-22T00:00:00Z'])('ignores the wall clock: %s', async (wall) => {
    const { client, sent, advance } = await createPlatform(wall);
    const echo = client({ credentials: create() }).route('_echo');
    for (let minute = 0; minute < 8; minute++) {
      await echo.get();
      advance(50_000);
    }
    expect(sent).toEqual({ tokens: 1, calls: 8 });
  });

  test('key rotation: tokens of the old key are refused, one renewal serves all callers', async () => {
    const { client, sent, replaceKeys } = await createPlatform();
    const echo = client({ credentials: create() }).route('_echo');
    await echo.get();
    await replaceKeys();
    const answers = await Promise.all(Array.from({ length: 50 }, () => echo.post({ a: 1 })));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(sent).toEqual({ tokens: 2, calls: 101 });
  });
});

describe('renewal', () => {
  test('past 75% of the lifetime the current token serves while one renewal runs', async () => {
    const { client, sent, advance, holdTokens } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    await echo.get();
    advance(449_000);
    await echo.get();
    await settle();
    expect(sent.tokens).toBe(1);
    // From 75 to 85%: jitter.
    advance(61_000);
    const release = holdTokens();
    await Promise.all(Array.from({ length: 100 }, () => echo.get()));
    expect(sent).toEqual({ tokens: 2, calls: 102 });
    release();
    await settle();
    advance(300_000);
    await echo.get();
    expect(sent.tokens).toBe(2);
  });

  test('a failed renewal keeps the current token and backs off; it recovers', async () => {
    const { client, sent, advance, breakTokens } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    await echo.get();
    breakTokens(true);
    advance(511_000);
    for (let call = 0; call < 10; call++) {
      await echo.get();
      await settle();
    }
    expect(sent.tokens).toBe(2);
    // 1 s, 2 s, 4 s, … with jitter: some attempts within the 60 s until expiry, not one for each call.
    for (let second = 0; second < 60; second++) {
      advance(1_000);
      await echo.get();
      await settle();
    }
    expect(sent.tokens).toBeGreaterThanOrEqual(6);
    expect(sent.tokens).toBeLessThanOrEqual(10);
    breakTokens(false);
    advance(60_000);
    await echo.get();
    const { tokens } = sent;
    await echo.get();
    expect(sent.tokens).toBe(tokens);
  });

  test('the backoff beside a valid token is at most a minute', async () => {
    const { client, sent, advance, breakTokens } = await createPlatform();
    const echo = client({ credentials: credentials.minted({ user: 'alice', lifetime: '1h' }) }).route('_echo');
    await echo.get();
    advance(3_100_000);
    breakTokens(true);
    // Eight minutes: 1, 2, 4, 8, 16 and 32 s, then a minute each time, jittered down to a half; without the limit
    // there would be at most 9 attempts.
    for (let second = 0; second < 480; second += 5) {
      await echo.get();
      await settle();
      advance(5_000);
    }
    expect(sent.tokens).toBeGreaterThanOrEqual(12);
  });

  test('the last second of a token is not used: its times are whole seconds', async () => {
    const { client, advance, breakTokens } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    await echo.get();
    breakTokens(true);
    advance(598_900);
    expect((await echo.get()).status).toBe(200);
    await settle();
    advance(200);
    expect(isCredentialsError(await failureOf(echo.get()))).toBe(true);
  });

  test('without a token each call fails with a CredentialsError that names it and its cause, until one is obtained', async () => {
    const { client, breakTokens, advance } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    breakTokens(true);
    const error = await echo.get().catch((failure: unknown) => failure);
    expect(isCredentialsError(error) && isHttpError(error.cause) && error.cause.status).toBe(503);
    expect(error).toMatchObject({ method: 'GET', path: '/_db/_system/_echo' });
    expect(String(error)).toBe(
      'CredentialsError: GET /_db/_system/_echo has no credentials: POST /_integration/authn/v1/createToken failed: 503',
    );
    breakTokens(false);
    advance(1_000);
    expect((await echo.get()).status).toBe(200);
  });

  test('the abort of the first caller does not affect the others', async () => {
    const { client, sent, holdTokens } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    const controller = new AbortController();
    const release = holdTokens();
    const first = echo.with({ signal: controller.signal }).get();
    const others = Promise.all([echo.get(), echo.get()]);
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    release();
    expect((await others).map(({ status }) => status)).toEqual([200, 200]);
    expect(sent.tokens).toBe(1);
  });

  test('only the newest renewal commits: a forgotten token stays forgotten', async () => {
    const { client, sent, holdTokens } = await createPlatform();
    const one = client({ credentials: credentials.minted(alice) });
    const release = holdTokens();
    const before = one.route('_echo').get();
    await settle();
    await one.authentication.logout();
    release();
    await before;
    await one.route('_echo').get();
    expect(sent.tokens).toBe(2);
  });

  test('a forgotten renewal that fails later does not delay the next one', async () => {
    let [ms, tokens] = [0, 0];
    let fail = (): void => undefined;
    const late = new Promise<Response>((resolve) => {
      fail = () => resolve(new Response('{}', { status: 503 }));
    });
    const token = () => (++tokens === 1 ? late : { token: `t${tokens}`, lifetime: '600s' });
    const { client } = clientOver(({ path }) => (path.endsWith('Token') ? token() : {}), {
      credentials: credentials.minted(alice),
      clock: { now: () => ms },
    });
    const before = failureOf(client.route('x').get());
    await settle();
    await client.authentication.logout();
    await client.route('x').get();
    ms = 511_000;
    fail();
    expect((await before).code).toBe('CREDENTIALS');
    await client.route('x').get();
    expect(tokens).toBe(3);
  });

  test('a 401 during a renewal joins it', async () => {
    const { client, sent, advance, holdTokens, mock } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    await echo.get();
    advance(511_000);
    const release = holdTokens();
    await echo.get();
    mock.fail({ path: '/_db/_system/_echo', status: 401, times: 1 });
    const refused = echo.get();
    await settle();
    release();
    expect((await refused).status).toBe(200);
    expect(sent).toEqual({ tokens: 2, calls: 4 });
  });

  test('a clock that jumps back or ahead: calls continue', async () => {
    const { client, sent, advance } = await createPlatform();
    let skew = 0;
    const echo = client({ credentials: credentials.minted(alice), clock: { now: () => skew } }).route('_echo');
    for (const at of [1e9, 0, -1e9, 1e12, 0, 60_000]) {
      skew = at;
      advance(1_000);
      expect((await echo.get()).status).toBe(200);
    }
    expect(sent.tokens).toBeGreaterThanOrEqual(2);
    expect(sent.tokens).toBeLessThanOrEqual(3);
  });

  test('a lifetime of 0: one token a call, shared by concurrent callers', async () => {
    const { client, sent } = clientOver(({ path }) => (path.endsWith('Token') ? { token: 't', lifetime: '0s' } : {}), {
      credentials: credentials.minted(alice),
    });
    for (let round = 0; round < 3; round++) await Promise.all([client.route('x').get(), client.route('y').get()]);
    expect(sent.filter(({ path }) => path.endsWith('/createToken'))).toHaveLength(3);
  });

  // test/deep/credentials.test.ts has a whole day.
  test('1-minute tokens over two virtual hours: no failed call, a renewal each three quarters of a lifetime', async () => {
    await checkRenewals(7_200);
  }, 60_000);

  test('two clients that share credentials do not share tokens', async () => {
    const shared = credentials.minted(alice);
    const [one, two] = [await createPlatform(), await createPlatform()];
    await one.client({ credentials: shared }).route('_echo').get();
    await two.client({ credentials: shared }).route('_echo').get();
    expect([one.sent, two.sent]).toEqual([
      { tokens: 1, calls: 1 },
      { tokens: 1, calls: 1 },
    ]);
  });

  test('close() forgets the token', async () => {
    const shared = credentials.minted(alice);
    const { client } = await createPlatform();
    const one = client({ credentials: shared });
    await one.route('_echo').get();
    one.close();
    await expect(one.route('_echo').get()).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('refusals', () => {
  test('401 once: renews and resends once', async () => {
    const { client, sent, mock } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    await echo.get();
    mock.fail({ path: '/_db/_system/_echo', status: 401, times: 1 });
    expect((await echo.post({ a: 1 })).status).toBe(200);
    expect(sent).toEqual({ tokens: 2, calls: 3 });
  });

  test('401 for many calls at once: one renewal', async () => {
    const { client, sent, mock } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    await echo.get();
    mock.fail({ path: '/_db/_system/_echo', status: 401, times: 100 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => echo.get()));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(sent).toEqual({ tokens: 2, calls: 201 });
  });

  test('permanent 401: one retry, then the 401', async () => {
    const { client, sent, mock } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    mock.fail({ path: '/_db/_system/_echo', status: 401, times: 1_000 });
    await expect(echo.get()).rejects.toMatchObject({ code: 'HTTP', status: 401 });
    expect(sent).toEqual({ tokens: 2, calls: 2 });
  });

  test('401 while no token can be created: the 401 remains', async () => {
    const { client, sent, mock, breakTokens } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    await echo.get();
    breakTokens(true);
    mock.fail({ path: '/_db/_system/_echo', status: 401, times: 1 });
    await expect(echo.get()).rejects.toMatchObject({ code: 'HTTP', status: 401 });
    expect(sent).toEqual({ tokens: 2, calls: 2 });
    // The cached token still serves.
    expect((await echo.get()).status).toBe(200);
  });

  test('403: neither renewed nor retried', async () => {
    const { client, sent, mock } = await createPlatform();
    const echo = client({ credentials: credentials.minted(alice) }).route('_echo');
    mock.fail({ path: '/_db/_system/_echo', status: 403, times: 1 });
    await expect(echo.get()).rejects.toMatchObject({ code: 'HTTP', status: 403 });
    expect(sent).toEqual({ tokens: 1, calls: 1 });
  });

  test('bootstrap credentials authorize the token requests', async () => {
    const { client, mock } = await createPlatform();
    const bootstrap = credentials.login({ username: 'alice', password: 'pw' });
    const one = client({ credentials: credentials.minted({ user: 'svc', bootstrap }) });
    expect(await one.authentication.identity()).toEqual({ user: 'svc' });
    const asked = mock.requests.filter(({ path }) => path.endsWith('/createToken'));
    expect(asked.map(({ headers }) => Object.keys(headers).includes('authorization'))).toEqual([true]);
  });

  test('a deployment without authentication: no header', async () => {
    const { createMock } = await import('../../../src/mock/index.ts');
    const { createClient } = await import('../../../src/index.ts');
    const mock = await createMock({ authentication: { enabled: false } });
    const client = createClient({ ...mock.connection, credentials: credentials.minted({ user: 'svc' }) });
    expect(await client.authentication.identity()).toEqual({ user: 'root' });
    const headers = mock.requests.map((request) => Object.keys(request.headers));
    expect(headers).toHaveLength(2);
    expect(headers.flat()).not.toContain('authorization');
  });
});
