import type { ServerResponse } from 'node:http';
import { Database } from 'arangojs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { type ClientOptions, type Credentials, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { serveRaw } from '../../support/server.ts';
import { partOf } from '../../support/thorough.ts';
import { createPlatform, settle } from './platform.ts';

const alice = { username: 'alice', password: 'pw' };
const minute = 60_000;

describe('freshToken', () => {
  test('requests a token if there is none, and shares it with the calls', async () => {
    const { client, sent } = await createPlatform();
    const shared = client({ credentials: credentials.login(alice) });
    const tokens = await Promise.all([shared.freshToken(), shared.freshToken(), shared.database('b').freshToken()]);
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    await shared.route('_echo').get();
    expect(sent).toEqual({ tokens: 1, calls: 1 });
  });

  test('is good for a minute, even while calls still use the previous token', async () => {
    const { client, sent, advance } = await createPlatform();
    const shared = client({ credentials: credentials.minted({ user: 'alice', lifetime: '3m' }) });
    const first = await shared.freshToken();
    advance(118_000);
    expect(await shared.freshToken()).toBe(first);
    advance(2_000);
    expect((await shared.route('_echo').get()).status).toBe(200);
    expect(sent.tokens).toBe(1);
    const second = await shared.freshToken();
    expect(second).not.toBe(first);
    expect(sent.tokens).toBe(2);
  });

  test('of a shorter lifetime is kept until it is due', async () => {
    const { client, sent, advance } = await createPlatform();
    const shared = client({ credentials: credentials.minted({ user: 'alice', lifetime: '1m' }) });
    const first = await shared.freshToken();
    advance(40_000);
    expect(await shared.freshToken()).toBe(first);
    advance(12_000);
    expect(await shared.freshToken()).not.toBe(first);
    expect(sent.tokens).toBe(2);
  });

  test('rejects if no token can be obtained, without the password', async () => {
    const { client, advance, breakTokens } = await createPlatform();
    const shared = client({ credentials: credentials.login(alice), retry: 0 });
    const first = await shared.freshToken();
    breakTokens(true);
    // The token is valid for less than a minute.
    advance(60 * minute - 30_000);
    const error = await failureOf(shared.freshToken());
    expect(error).toMatchObject({ code: 'CREDENTIALS', cause: { status: 503 } });
    expect(String(error)).not.toContain(first);
    expect((await shared.route('_echo').get()).status).toBe(200);
  });

  test.each<[string, Credentials | undefined]>([
    ['no credentials', undefined],
    ['basic', credentials.basic('alice', 'canary-password')],
  ])('rejects for %s', async (_name, own) => {
    const error = await failureOf(createClient({ url: 'http://localhost:1', credentials: own }).freshToken());
    expect(error).toMatchObject({ code: 'CREDENTIALS', message: 'needs credentials with a bearer token' });
  });

  test('gives a fixed token and the result of a function, and rejects after close', async () => {
    const url = 'http://localhost:1';
    expect(await createClient({ url, credentials: credentials.bearer('fixed') }).freshToken()).toBe('fixed');
    const client = createClient({ url, credentials: credentials.bearer(async () => 'asked') });
    expect(await client.freshToken()).toBe('asked');
    await client.close();
    expect(await failureOf(client.freshToken())).toMatchObject({ code: 'ABORTED' });
  });

  describe('limited like a call', () => {
    const never = () => {};
    const busy = (_: unknown, response: ServerResponse) => void response.writeHead(503, { 'retry-after': '20' }).end();
    const isAborted = { code: 'ABORTED', message: 'was cancelled' };

    test.each([
      ['the timeout', never, { code: 'TIMEOUT', timeout: 100 }],
      [
        'a timeout that is shorter than the pause before a retry',
        busy,
        { code: 'CREDENTIALS', cause: { status: 503 } },
      ],
    ])('by %s', async (_name, listener, expected) => {
      const { url } = await serveRaw(listener);
      const client = createClient({ url, credentials: credentials.login(alice), timeout: 100 });
      expect(await failureOf(client.freshToken())).toMatchObject(expected);
    });

    test.each([
      ['a request', never],
      ['a pause before a retry', busy],
    ])('by a signal and by close, during %s', async (_name, listener) => {
      const controller = new AbortController();
      let requests = 0;
      const { url } = await serveRaw((request, response) => {
        requests += 1;
        listener(request, response);
      });
      const client = createClient({ url, credentials: credentials.login(alice) });
      const cancelled = failureOf(client.with({ signal: controller.signal }).freshToken());
      const closed = failureOf(client.freshToken());
      await expect.poll(() => requests).toBe(1);
      await settle();
      controller.abort();
      expect(await cancelled).toMatchObject(isAborted);
      await client.close({ graceMs: 0 });
      expect(await closed).toMatchObject({ code: 'ABORTED', message: 'was aborted: the client was closed' });
    });

    test('by a signal that has aborted, before anything is sent', async () => {
      const options = { signal: AbortSignal.abort(), credentials: credentials.bearer('fixed') };
      expect(await failureOf(createClient({ url: 'http://a.test', ...options }).freshToken())).toMatchObject(isAborted);
    });

    test('while close waits for it', async () => {
      let answer = (_token: string) => {};
      const token = new Promise<string>((done) => {
        answer = done;
      });
      const client = createClient({ url: 'http://a.test', credentials: credentials.bearer(() => token) });
      const asked = client.freshToken();
      let isClosed = false;
      const closing = client.close().then(() => {
        isClosed = true;
      });
      await settle();
      expect(isClosed).toBe(false);
      answer('late');
      expect(await asked).toBe('late');
      await closing;
    });
  });
});

describe('freshToken({ after })', () => {
  test('gives another token than the refused one, which all callers share', async () => {
    const { client, sent, advance } = await createPlatform();
    const shared = client({ credentials: credentials.minted({ user: 'alice', lifetime: '10m' }) });
    const first = await shared.freshToken();
    advance(1_000);
    const others = await Promise.all([
      shared.freshToken({ after: first }),
      shared.freshToken({ after: `Bearer ${first}` }),
      shared.freshToken({ after: first }),
    ]);
    expect(new Set(others).size).toBe(1);
    expect(others).not.toContain(first);
    // A late report about the old token costs nothing.
    expect(await shared.freshToken({ after: first })).toBe(others[0]);
    expect(await shared.freshToken({ after: undefined })).toBe(others[0]);
    expect(sent.tokens).toBe(2);
  });

  test('rejects with the failure of the renewal', async () => {
    const { client, breakTokens } = await createPlatform();
    const shared = client({ credentials: credentials.login(alice), retry: 0 });
    const first = await shared.freshToken();
    breakTokens(true);
    const error = await failureOf(shared.freshToken({ after: first }));
    expect(error).toMatchObject({ code: 'CREDENTIALS', cause: { status: 503 } });
    expect(String(error)).not.toContain(first);
  });

  test('asks a function again, and rejects if there is no other token', async () => {
    const url = 'http://localhost:1';
    let asked = 0;
    const client = createClient({ url, credentials: credentials.bearer(() => `t${++asked}`) });
    expect(await client.freshToken()).toBe('t1');
    expect(await client.freshToken({ after: 't1' })).toBe('t2');
    const fixed = createClient({ url, credentials: credentials.bearer('fixed') });
    const error = await failureOf(fixed.freshToken({ after: 'fixed' }));
    expect(error).toMatchObject({ code: 'CREDENTIALS', message: 'no other token' });
    expect(await fixed.freshToken({ after: 'an older one' })).toBe('fixed');
  });

  test.each([[{ after: 5 }], [{ before: 'x' }], ['token']])('refuses %o, without sending anything', async (options) => {
    const { client, sent } = await createPlatform();
    const error = await failureOf(client({ credentials: credentials.login(alice) }).freshToken(options as never));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(sent).toEqual({ tokens: 0, calls: 0 });
  });
});

describe('onToken', () => {
  test('reports each new token until the listener is removed, also after logout', async () => {
    const { client, advance } = await createPlatform();
    const shared = client({ credentials: credentials.login(alice) });
    const told: string[] = [];
    shared.onToken(() => {
      throw new Error('a listener that fails');
    });
    const stop = shared.onToken((token) => told.push(token));
    const first = await shared.freshToken();
    await shared.freshToken();
    expect(told).toEqual([first]);
    advance(61 * minute);
    const second = await shared.freshToken();
    expect(told).toEqual([first, second]);
    await shared.authentication.logout();
    advance(1_000);
    const third = await shared.freshToken();
    expect(told).toEqual([first, second, third]);
    stop();
    advance(61 * minute);
    await shared.freshToken();
    expect(told).toHaveLength(3);
  });

  test('calls a listener that is registered twice twice, and removes it once at a time', async () => {
    const { client, advance } = await createPlatform();
    const shared = client({ credentials: credentials.login(alice) });
    const told: string[] = [];
    const listener = (token: string) => void told.push(token);
    const stops = [shared.onToken(listener), shared.onToken(listener)];
    const first = await shared.freshToken();
    stops[0]?.();
    advance(61 * minute);
    const second = await shared.freshToken();
    expect(told).toEqual([first, first, second]);
  });

  test('reports a renewal in the background', async () => {
    const { client, advance } = await createPlatform();
    const shared = client({ credentials: credentials.login(alice) });
    const told: string[] = [];
    shared.onToken((token) => told.push(token));
    await shared.route('_echo').get();
    advance(52 * minute);
    await shared.route('_echo').get();
    await expect.poll(() => told.length).toBe(2);
    expect(await shared.freshToken()).toBe(told[1]);
  });

  test('reports a token only to the client that requested it', async () => {
    const { client } = await createPlatform();
    const own = credentials.login(alice);
    const told: string[] = [];
    client({ credentials: own }).onToken((token) => told.push(token));
    await client({ credentials: own }).freshToken();
    expect(told).toEqual([]);
  });

  test('does not report a token again that the deployment returns twice', async () => {
    let logins = 0;
    const fetch = async (url: string): Promise<Response> => {
      if (!url.endsWith('/login')) return new Response(null, { status: 401 });
      logins++;
      return Response.json({ token: 'same' });
    };
    const client = createClient({ url: 'http://mock.test', fetch, credentials: credentials.login(alice) });
    const told: string[] = [];
    client.onToken((token) => told.push(token));
    expect(await failureOf(client.route('x').get())).toMatchObject({ status: 401 });
    expect([logins, told]).toEqual([2, ['same']]);
  });

  test('refuses what is not a function, without showing it', () => {
    const client = createClient({ url: 'http://localhost:1' });
    expect(() => client.onToken('canary' as never)).toThrow('listener: expected a function');
  });
});

/** The recipe of docs/guides/credentials.md. */
function shareWithArangojs(options: ClientOptions) {
  const client = createClient(options);
  let refused: string | undefined;
  const db = new Database({
    url: String(options.url),
    databaseName: 'shop',
    beforeRequest: async (request) => {
      request.headers.set('authorization', `Bearer ${await client.freshToken({ after: refused })}`);
    },
    afterResponse: (_error, response) => {
      if (response?.status === 401) refused = response.request.headers.get('authorization') ?? undefined;
    },
  });
  return { client, db };
}

describe.each(['revoked', 'expired by the clock of the server'])('arangojs, after its token was %s', (how) => {
  test('gets one 401, then 200, without a call of the client', async () => {
    const mock = await createMock({ now: '2026-11-21T00:00:00Z', users: [{ name: 'alice', password: 'pw' }] });
    const server = await listen(mock);
    onTestFinished(() => server.close());
    const { client, db } = shareWithArangojs({ ...server.connection, credentials: credentials.login(alice) });
    onTestFinished(() => db.close());
    await db.version();
    for (let round = 0; round < 3; round++) {
      mock.clock.advance('1m');
      const before = await client.freshToken();
      if (how === 'revoked') mock.tokens.revoke(before);
      else mock.clock.advance('2h');
      mock.requests.clear();
      const statuses = [];
      for (let call = 0; call < 4; call++) {
        statuses.push(
          await db.version().then(
            () => 200,
            (error: { code: number }) => error.code,
          ),
        );
      }
      expect(statuses).toEqual([401, 200, 200, 200]);
      expect(mock.requests.filter(({ path }) => path.endsWith('/login')).length).toBe(1);
    }
  });
});

test('arangojs shares a login through many renewals', { timeout: 60_000 }, async () => {
  const mock = await createMock({ now: '2026-11-21T00:00:00Z', users: [{ name: 'alice', password: 'pw' }] });
  const server = await listen(mock);
  onTestFinished(() => server.close());
  let ms = 0;
  const { client, db } = shareWithArangojs({
    ...server.connection,
    clock: { now: () => ms },
    credentials: credentials.login(alice),
  });
  const told = new Set<string>();
  client.onToken((token) => told.add(token));
  const statuses = new Set<number>();
  for (let step = 0; told.size <= partOf(1_000, 20); step++) {
    // Past the renewal in the background, within the last minute, past the end, or still fresh.
    const by = [53 * minute, 59 * minute + 30_000, 61 * minute, 20 * minute][step % 4] ?? 0;
    ms += by;
    mock.clock.advance(`${by}ms`);
    const [theirs, ours] = await Promise.all([db.route('_echo').get('x'), client.route('_echo').get()]);
    statuses.add(theirs.status).add(ours.status);
    await settle();
  }
  expect([...statuses]).toEqual([200]);
  expect(mock.requests.filter(({ status }) => status === 401)).toEqual([]);
});
