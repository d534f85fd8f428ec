import { setTimeout as later } from 'node:timers/promises';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { handlers } from '../../../src/mock/adapters/msw.ts';
import { type CustomResponse, createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import { authn, authz, caller, rbac, shop, tokenFor, type Way } from '../../support/behaviour/check.ts';

// Every test brings a request to a known point, restores the mock, and lets the request continue. No test waits for a
// fixed time.

const open: MockConfig = { authentication: { mode: 'None' } };
const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const slow = '/_db/shop/slow';
const version = '/_api/version';

/** Resolves when everything that needs no further input has run. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await later(0);
}

/** Resolves when a request has consumed every scripted fault. */
async function faultsMet(mock: Way['mock']): Promise<void> {
  for (;;) {
    try {
      return mock.assertFaultsUsed();
    } catch {
      await later(1);
    }
  }
}

/** Pauses the next call of an operation of WebCrypto before it begins. */
function hold(operation: 'sign' | 'verify' | 'importKey') {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const real = crypto.subtle[operation] as (...args: unknown[]) => Promise<never>; // Passes its arguments on.
  let done: Promise<unknown> | undefined;
  vi.spyOn(crypto.subtle, operation).mockImplementationOnce((...args: unknown[]) => {
    reached.resolve();
    const result = gate.promise.then(() => real.apply(crypto.subtle, args));
    done = result;
    return result;
  });
  return {
    reached: reached.promise,
    async release() {
      gate.resolve();
      await done;
      await settled();
    },
  };
}

/** A route whose handler waits for its response. */
function slowRoute(mock: Way['mock']) {
  const reached = Promise.withResolvers<void>();
  const response = Promise.withResolvers<CustomResponse>();
  mock.route('*', slow, () => {
    reached.resolve();
    return response.promise;
  });
  return {
    reached: reached.promise,
    async answer() {
      response.resolve({ body: 'late' });
      await settled();
    },
  };
}

/** A call that must fail with a network error, possibly before it is awaited. */
const cut = (call: Promise<unknown>) => expect(call).rejects.toThrow(TypeError);

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: 'bypass' }));
afterAll(() => server.close());
afterEach(() => {
  vi.restoreAllMocks();
});

interface Entrance {
  readonly url: string;
  readonly fetch: typeof fetch;
}

const entrances: Record<string, (mock: Mock) => Promise<Entrance>> = {
  'mock.fetch': async ({ connection: { url, fetch: inner } }) => ({ url, fetch: inner as typeof fetch }),
  async msw(mock) {
    server.resetHandlers(...handlers(mock));
    return { url: mock.connection.url, fetch: (...args) => fetch(...args) };
  },
  port: async (mock) => ({ url: (await listen(mock)).url, fetch }),
};

describe.each(Object.entries(entrances))('a request that began before a restore, through %s', (name, enter) => {
  async function start(config: MockConfig = open): Promise<Way & { readonly entrance: Entrance }> {
    const mock = await createMock(config);
    onTestFinished(() => mock[Symbol.asyncDispose]());
    const entrance = await enter(mock);
    return { mock, entrance, call: caller(entrance.url, entrance.fetch) };
  }

  test('is cut off while it waits in a fault, and is not logged', async () => {
    const { mock, call } = await start();
    const heard = vi.fn();
    mock.onRequest(heard);
    mock.fail({ delayMs: 600_000 });
    const waiting = cut(call(version));
    await faultsMet(mock);
    mock.reset();
    await waiting;
    await settled();
    expect(mock.requests).toHaveLength(0);
    expect(heard).not.toHaveBeenCalled();
    expect((await call(version)).status).toBe(200);
    expect(mock.requests).toHaveLength(1);
  });

  test('of a caller that gave up during a fault never reaches the handler of a route', async () => {
    const { mock, call } = await start(shop);
    const handler = vi.fn(() => ({ body: 'served' }));
    mock.route('GET', slow, handler);
    const token = await mock.tokens.issue();
    const before = mock.snapshot();
    const checking = hold('verify');
    mock.fail({ delayMs: 600_000 });
    const giveUp = new AbortController();
    const call1 = expect(call(slow, { token, signal: giveUp.signal })).rejects.toThrow(/abort/i);
    await faultsMet(mock);
    giveUp.abort();
    await call1;
    await checking.reached;
    mock.restore(before);
    await checking.release();
    expect(handler).not.toHaveBeenCalled();
    expect(mock.requests).toHaveLength(0);
  });

  test('is cut off while its handler is still running, and its answer is discarded', async () => {
    const { mock, call } = await start();
    const before = mock.snapshot();
    const heard = vi.fn();
    mock.onRequest(heard);
    const route = slowRoute(mock);
    const waiting = cut(call(slow));
    await route.reached;
    mock.restore(before);
    await waiting; // Before the handler has answered.
    await route.answer();
    expect(mock.requests).toHaveLength(0);
    expect(heard).not.toHaveBeenCalled();
  });

  test('is cut off while it is logging in, and starts no session', async () => {
    const { mock, call } = await start(shop);
    const login = { credentials: { username: 'alice', password: 'pa ss"1&x' } };
    // The clock stands, so every login returns the same token, and makes it valid again.
    const { token } = (await call(`${authn}/login`, { body: login })).body as { token: string };
    mock.tokens.revoke(token);
    const before = mock.snapshot();
    const signing = hold('sign');
    const waiting = cut(call(`${authn}/login`, { body: login }));
    await signing.reached;
    mock.restore(before);
    await waiting;
    await signing.release();
    expect(mock.requests.map(({ path }) => path)).toEqual([`${authn}/login`]);
    expect((await call(`${authn}/validate`, { body: { token } })).body).toMatchObject({ message: 'token is revoked' });
  });

  test('is cut off while its new token is being signed', async () => {
    const { mock, call } = await start(shop);
    const signing = hold('sign');
    const waiting = cut(call(`${authn}/createToken`, { body: { user: 'alice' } }));
    await signing.reached;
    mock.reset();
    await waiting;
    await signing.release();
    expect(mock.requests).toHaveLength(0);
  });

  /** Sends a request, restores the mock while the request's token is being verified, and lets the request continue. */
  async function late({ mock, call }: Way, path: string, options: Parameters<Way['call']>[1]): Promise<void> {
    const before = mock.snapshot();
    const checking = hold('verify');
    const waiting = cut(call(path, options));
    await checking.reached;
    mock.restore(before);
    await waiting;
    await checking.release();
  }

  test('writes no policy and no binding once its token has been checked', async () => {
    const way = await start({ ...shop, authorization: { type: 'always' } });
    const token = () => way.mock.tokens.issue({ groups: [crypto.randomUUID()] }); // Its signature is not cached yet.
    await late(way, `${rbac}/policy/late`, { body: { item: everywhere }, token: await token() });
    expect((await way.call(`${rbac}/policy/late`, { token: await token() })).status).toBe(404);
    await late(way, `${rbac}/user/bob/role/late`, { body: { scope: everywhere }, token: await token() });
    expect((await way.call(`${rbac}/user/bob/role`, { token: await token() })).body).toEqual({ bindings: [] });
  });

  test('revokes no token once it has been checked', async () => {
    const way = await start(shop);
    const token = await tokenFor(way, 'alice');
    await late(way, `${authn}/logout`, { headers: { cookie: `X-ArangoDB-Token-JWT=${token}` } });
    expect((await way.call(`${authn}/validate`, { body: { token } })).body).toMatchObject({ isValid: true });
  });

  test('consumes no fault once its token has been checked', async () => {
    const way = await start(shop);
    way.mock.fail({ evaluation: true });
    const question = { action: 'a:b', resource: 'r' };
    await late(way, `${authz}/evaluate-token`, { body: { token: await tokenFor(way, 'alice'), ...question } });
    expect(() => way.mock.assertFaultsUsed()).toThrow('evaluation');
  });

  test.each(['at once', 'after a while'])('is answered when its own handler resets the mock %s', async (when) => {
    const { mock, call } = await start();
    const other = slowRoute(mock);
    mock.route('POST', '/_db/shop/reset', async () => {
      if (when !== 'at once') await settled();
      mock.reset();
      await settled();
      return new Response('done', { status: 201 });
    });
    const waiting = cut(call(slow));
    await other.reached;
    expect(await call('/_db/shop/reset', { body: {} })).toMatchObject({ status: 201, body: 'done' });
    await waiting;
    expect(mock.requests).toHaveLength(0);
    expect((await call(slow)).status).toBe(404);
  });

  test('is cut off by the next restore, even if its own handler made the one before', async () => {
    const { mock, call } = await start();
    const restored = Promise.withResolvers<void>();
    const start0 = mock.snapshot();
    mock.route('GET', slow, () => {
      mock.restore(start0);
      restored.resolve();
      return new Promise(() => {});
    });
    const waiting = cut(call(slow));
    await restored.promise;
    mock.restore(start0);
    await waiting;
  });

  test('is cut off in the middle of the response body', async () => {
    const { mock, entrance } = await start();
    const cancelled = Promise.withResolvers<void>();
    mock.route('GET', slow, () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('first')),
        cancel: () => cancelled.resolve(),
      });
      return new Response(body);
    });
    const response = await entrance.fetch(`${entrance.url}${slow}`);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
    mock.reset();
    // msw ends a broken body in Node without an error.
    if (name === 'msw') expect(await reader?.read()).toMatchObject({ done: true });
    else await expect(reader?.read()).rejects.toThrow(TypeError);
    await cancelled.promise;
  });

  test('is cut off while its body is still arriving', async () => {
    const { mock, entrance } = await start();
    // With `mock.fetch` the request has begun when the call returns; the other adapters read the epoch when they see
    // the request.
    const begun = Promise.withResolvers<void>();
    if (name === 'mock.fetch') begun.resolve();
    const { epoch } = mock;
    vi.spyOn(mock, 'epoch', 'get').mockImplementationOnce(() => {
      begun.resolve();
      return epoch;
    });
    const rest = Promise.withResolvers<void>();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
      async pull(controller) {
        await rest.promise;
        controller.enqueue(new TextEncoder().encode('}'));
        controller.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit; // The DOM's types lack `duplex`.
    const waiting = cut(entrance.fetch(`${entrance.url}/_db/shop/_echo/late`, init));
    await begun.promise;
    mock.reset();
    mock.fail({ status: 503 });
    rest.resolve();
    await waiting;
    expect(mock.requests).toHaveLength(0);
    expect(() => mock.assertFaultsUsed()).toThrow('status 503');
  });
});

describe('before a restore', () => {
  async function start(config: MockConfig = open): Promise<Mock> {
    const mock = await createMock(config);
    onTestFinished(() => mock[Symbol.asyncDispose]());
    return mock;
  }

  test('a pending waitFor rejects and lists the received requests', async () => {
    const mock = await start();
    await mock.fetch(`http://mock.test${version}`);
    const waiting = expect(mock.waitFor({ path: '/never' }, { timeout: 600_000 })).rejects.toThrow(
      'waitFor(any method /never) ended because the mock was restored or reset; arrived so far: GET /_api/version (200)',
    );
    mock.reset();
    await waiting;
    await mock.fetch('http://mock.test/never');
    expect(await mock.waitFor({ path: '/never' })).toMatchObject({ status: 404 });
  });

  test('a pending delay leaves no timer', async () => {
    const mock = await start();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    mock.fail({ delayMs: 600_000 });
    const waiting = cut(mock.fetch(`http://mock.test${version}`));
    expect(vi.getTimerCount()).toBe(1);
    mock.reset();
    expect(vi.getTimerCount()).toBe(0);
    await waiting;
  });

  test('a token being signed is returned, but stays revoked', async () => {
    const mock = await start(shop);
    mock.tokens.revoke(await mock.tokens.issue());
    const before = mock.snapshot();
    const signing = hold('sign');
    const issuing = mock.tokens.issue();
    await signing.reached;
    mock.restore(before);
    await signing.release();
    const validated = await mock.fetch(`http://mock.test${authn}/validate`, {
      method: 'POST',
      body: JSON.stringify({ token: await issuing }),
    });
    expect(await validated.json()).toMatchObject({ isValid: false, message: 'token is revoked' });
  });

  test('a key being generated does not become active', async () => {
    const mock = await start(shop);
    const token = await mock.tokens.issue();
    const importing = hold('importKey');
    const rotating = mock.keys.rotate();
    await importing.reached;
    mock.reset();
    await importing.release();
    await rotating;
    expect(await mock.tokens.issue()).toBe(token); // The clock stands: the same key signs the same text.
  });

  test('a redirect from a handler that reset the mock is followed', async () => {
    const mock = await start();
    mock.route('POST', '/_db/shop/reset', () => {
      mock.reset();
      return { status: 303, headers: { location: version } };
    });
    expect((await mock.fetch('http://mock.test/_db/shop/reset', { method: 'POST' })).status).toBe(200);
    expect(mock.requests.map(({ path }) => path)).toEqual([version]);
  });

  test('a handler may return a Response if AbortController has been replaced, as by jsdom', async () => {
    class OtherSignal extends EventTarget {
      readonly aborted = false;
    }
    vi.stubGlobal(
      'AbortController',
      class {
        readonly signal = new OtherSignal();
        abort(): void {}
      },
    );
    onTestFinished(() => void vi.unstubAllGlobals());
    const mock = await start();
    mock.route('GET', slow, () => new Response('served'));
    expect(await (await mock.fetch(`http://mock.test${slow}`)).text()).toBe('served');
  });

  test.each([version, slow])(
    'a request of %s whose listener resets the mock is answered and not logged',
    async (path) => {
      const mock = await start();
      mock.route('GET', slow, () => ({ body: 'served' }));
      mock.onRequest(() => mock.reset());
      expect((await mock.fetch(`http://mock.test${path}`)).status).toBe(200);
      expect(mock.requests).toHaveLength(0);
    },
  );
});
