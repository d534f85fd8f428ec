import { describe, expect, test } from 'vitest';
import { withResolvers } from '../../src/base/lib/fallbacks.ts';
import { type Client, type ClientOptions, createClient, credentials, isAbortError } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { failureOf } from '../support/failure.ts';

/** A client that records its requests and gets empty responses. */
function recording(options: Partial<ClientOptions> = {}) {
  const seen: { url: string; headers: Headers }[] = [];
  const client = createClient({
    url: 'http://service.test',
    database: 'shop',
    fetch: async (url, init) => {
      seen.push({ url, headers: new Headers(init.headers) });
      return Response.json({});
    },
    ...options,
  });
  return { client, seen };
}

describe('client.with', () => {
  test('changes the given options and shares all others', async () => {
    const { client, seen } = recording({ headers: { a: '1', b: '1' }, credentials: credentials.bearer('parent') });
    const child = client.with({
      database: 'other',
      headers: { b: '2', c: '2' },
      credentials: credentials.bearer('child'),
    });
    await child.route('x').get();
    await client.route('x').get();
    expect(seen.map(({ url }) => url)).toEqual(['http://service.test/_db/other/x', 'http://service.test/_db/shop/x']);
    const of = (index: number) => ['a', 'b', 'c', 'authorization'].map((name) => seen[index]?.headers.get(name));
    expect(of(0)).toEqual(['1', '2', '2', 'Bearer child']);
    expect(of(1)).toEqual(['1', '1', null, 'Bearer parent']);
  });

  test('undefined removes an option: a caller without a token is anonymous, never the service itself', async () => {
    const { client, seen } = recording({ credentials: credentials.bearer('parent') });
    await client.with({ credentials: undefined }).route('x').get();
    expect(seen[0]?.headers.get('authorization')).toBeNull();
  });

  test('undefined removes a timeout: the call of the child lasts longer than that of the parent', async () => {
    const gate = withResolvers<Response>();
    const client = createClient({
      url: 'http://service.test',
      fetch: async () => (await gate.promise).clone(),
      timeout: 5,
    });
    const call = client.with({ timeout: undefined }).route('x').get();
    expect(await failureOf(client.route('x').get())).toMatchObject({ code: 'TIMEOUT' });
    gate.resolve(Response.json({}));
    expect((await call).status).toBe(200);
  });

  test('combines its signal with that of the client', async () => {
    const [outer, inner] = [new AbortController(), new AbortController()];
    const { client } = recording({ signal: outer.signal });
    const child = client.with({ signal: inner.signal }).with({});
    inner.abort('inner');
    expect(await failureOf(child.route().get())).toMatchObject({ code: 'ABORTED', cause: 'inner' });
    expect((await client.route().get()).status).toBe(200);
    outer.abort('outer');
    expect(await failureOf(client.route().get())).toMatchObject({ cause: 'outer' });
  });

  test('closing a child ends it and its descendants, closing the parent ends all', async () => {
    const { client } = recording();
    const child = client.with({});
    const grandchild = child.with({});
    const sibling = client.with({});
    await child.close();
    expect(isAbortError(await failureOf(child.route().get()))).toBe(true);
    expect(isAbortError(await failureOf(grandchild.database('x').route().get()))).toBe(true);
    expect((await sibling.route().get()).status).toBe(200);
    await client.close();
    expect(isAbortError(await failureOf(sibling.route().get()))).toBe(true);
  });

  test.each([
    [{ url: 'http://other.test' }, 'url'],
    [{ database: '' }, 'database'],
    [{ credentials: {} }, 'credentials'],
    [{ waitUntil: 1 }, 'waitUntil'],
    [{ timeout: -1 }, 'timeout'],
  ])('rejects %o', (options, field) => {
    const { client } = recording();
    expect(() => client.with(options as object)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
  });

  test('waitUntil keeps a background renewal alive after its request', async () => {
    await using mock = await createMock({ now: '2026-11-21T00:00:00Z' });
    const source = credentials.minted({ user: 'svc', lifetime: '10m' });
    const client = createClient({ ...mock.connection, clock: mock.clock, credentials: source });
    await client.route('_echo').get();
    mock.clock.advance('9m');
    const waited: Promise<unknown>[] = [];
    await client
      .with({ waitUntil: (promise) => void waited.push(promise) })
      .route('_echo')
      .get();
    expect(waited).toHaveLength(1);
    await Promise.all(waited);
    expect(mock.requests.filter(({ path }) => path.endsWith('/createToken'))).toHaveLength(2);
  });
});

describe('close', () => {
  test('lets a call in flight renew its token and retry, then forgets', async () => {
    await using mock = await createMock();
    const source = credentials.minted({ user: 'svc', lifetime: '10m' });
    const client = createClient({ ...mock.connection, retry: 1, credentials: source });
    await client.route('_echo').get();
    // The token is refused, and the response after its renewal is a 503: both happen while the client closes.
    mock.fail({ path: '/_echo', status: 401 });
    mock.fail({ path: '/_echo', status: 503, headers: { 'retry-after': '0' } });
    const call = client.route('_echo').get();
    const closed = client.close({ graceMs: 10_000 });
    expect((await call).status).toBe(200);
    await closed;
    expect(isAbortError(await failureOf(client.route('_echo').get()))).toBe(true);
  });

  test('swallows an error of forget()', async () => {
    const own = {
      authorize: () => 'Bearer x',
      forget: () => {
        throw new Error('own');
      },
    };
    const { client } = recording({ credentials: own });
    await expect(client.close()).resolves.toBeUndefined();
  });
});

describe('the stack of an error', () => {
  const never = () => new Promise<Response>(() => undefined);

  async function aCallerByName(client: Client) {
    return await client.route().get();
  }

  test('of a timeout and of an abort names the caller', async () => {
    const controller = new AbortController();
    const timed = createClient({ url: 'http://service.test', fetch: never, timeout: 5 });
    const aborted = createClient({ url: 'http://service.test', fetch: never, signal: controller.signal });
    const [first, second] = [failureOf(aCallerByName(timed)), failureOf(aCallerByName(aborted))];
    setTimeout(() => controller.abort(), 1);
    expect((await first).stack).toContain('aCallerByName');
    expect((await second).stack).toContain('aCallerByName');
  });
});
