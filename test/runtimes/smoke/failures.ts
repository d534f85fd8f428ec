import {
  isAbortError,
  isArangoServicesError,
  isHttpError,
  isNetworkError,
  isParseError,
  isRedirectError,
  isTimeoutError,
} from 'arango-services';
import { expect } from 'vitest';
import { clientOf, failure, isPage, type Smoke } from './check.ts';

const drops: readonly Smoke[] = (['GET', 'POST', 'HEAD', 'DELETE'] as const).map((method) => ({
  name: `a dropped ${method} is a network error, and arrives once`,
  async run(platform) {
    const client = clientOf(platform);
    // The connection was used before.
    await client.route('svc').get('text');
    await platform.fail({ path: '/_echo/x', drop: true });
    const error = await failure(client.route('_echo').request({ method, path: 'x' }));
    expect(isNetworkError(error)).toBe(true);
    const arrived = (await platform.requests()).filter(({ path }) => path.endsWith('/x'));
    expect(arrived).toMatchObject([{ method, status: 0 }]);
    expect((await client.route('_echo').get('y')).status).toBe(200);
  },
}));

const deadlines: readonly Smoke[] = [
  ...['slow', 'stalls'].map((path) => ({
    name: `a timeout ends a call to /${path}`,
    async run(platform: Parameters<Smoke['run']>[0]) {
      const error = await failure(clientOf(platform).route('svc').with({ timeout: 100 }).get(path));
      expect(isTimeoutError(error) && [error.method, error.timeout]).toEqual(['GET', 100]);
    },
  })),
  ...['slow', 'stalls'].map((path) => ({
    name: `a signal ends a call to /${path}`,
    async run(platform: Parameters<Smoke['run']>[0]) {
      const controller = new AbortController();
      const call = failure(clientOf(platform).route('svc').with({ signal: controller.signal }).get(path));
      setTimeout(() => controller.abort('enough'), 100);
      const error = await call;
      expect(isAbortError(error) && error.cause).toBe('enough');
    },
  })),
  {
    name: 'an aborted signal sends nothing',
    async run(platform) {
      const error = await failure(clientOf(platform).route('svc').with({ signal: AbortSignal.abort() }).get('fired'));
      expect(isAbortError(error)).toBe(true);
      // A browser may still send the request that the check above aborted.
      const paths = (await platform.requests()).map(({ path }) => path);
      expect(paths).not.toContainEqual(expect.stringContaining('fired'));
    },
  },
  {
    name: 'a stream is cut at its timeout',
    async run(platform) {
      const route = clientOf(platform).route('svc').with({ responseType: 'stream', timeout: 200 });
      const { body } = await route.get('stalls');
      const reader = body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      expect(isTimeoutError(await failure(Promise.resolve(reader?.read())))).toBe(true);
    },
  },
];

export const failureChecks: readonly Smoke[] = [
  ...drops,
  ...deadlines,
  {
    name: 'a status of 400 and more is an HttpError with the server’s message',
    async run(platform) {
      const error = await failure(clientOf(platform).route('nowhere').get());
      expect(isHttpError(error) && [error.status, error.errorNum]).toEqual([404, 404]);
      expect(error.message).toContain('this is a mock');
      const numbered = await failure(clientOf(platform).route('svc').get('numbered'));
      if (platform.kind === 'memory' || !isPage()) expect(numbered).toMatchObject({ requestId: 'r-1' });
    },
  },
  {
    name: 'without credentials a call is a 401',
    async run(platform) {
      const client = clientOf(platform, { credentials: undefined });
      await expect(client.route('_echo').get('x')).rejects.toMatchObject({ code: 'HTTP', status: 401, errorNum: 11 });
      await expect(client.authorization.policies.get('a')).rejects.toMatchObject({ status: 401, grpcCode: 16 });
    },
  },
  {
    name: 'truncated JSON is a ParseError',
    async run(platform) {
      expect(isParseError(await failure(clientOf(platform).route('svc').get('broken')))).toBe(true);
    },
  },
  {
    name: 'a read is retried after 503, up to its limit',
    async run(platform) {
      await platform.fail({ path: '/_echo/x', status: 503, headers: { 'retry-after': '0' }, times: 2 });
      const { status } = await clientOf(platform, { retry: 2 }).route('_echo').get('x');
      expect([status, (await platform.requests()).map((one) => one.status)]).toEqual([200, [503, 503, 200]]);
    },
  },
  {
    name: 'a POST is never sent twice',
    async run(platform) {
      await platform.fail({ path: '/_echo/x', status: 503 });
      const error = await failure(clientOf(platform, { retry: 2 }).route('_echo').post('x', {}));
      expect([error.status, (await platform.requests()).length]).toEqual([503, 1]);
    },
  },
  {
    name: 'a redirect of a GET is followed, or reported as hidden by a browser',
    async run(platform) {
      const call = clientOf(platform).route('svc').get('moved');
      if (platform.kind === 'port' && isPage()) {
        const error = await failure(call);
        expect(isRedirectError(error) && error.status).toBe(0);
      } else {
        expect(await call).toMatchObject({ body: 'Käse 🧀', redirected: true });
      }
    },
  },
  {
    name: 'a redirect of a POST is an error',
    async run(platform) {
      expect(isRedirectError(await failure(clientOf(platform).route('svc').post('moved', {})))).toBe(true);
    },
  },
  {
    name: 'an unreachable server is a network error',
    only: 'port',
    async run(platform) {
      const error = await failure(clientOf(platform, { url: 'http://127.0.0.1:9' }).route('x').get());
      expect(isNetworkError(error)).toBe(true);
      expect(error.message).toContain('GET /_db/shop/x');
    },
  },
  {
    name: 'no error contains a header, a query or a body',
    async run(platform) {
      const secret = 'canary-5d1f';
      const route = clientOf(platform).route('nowhere', { 'x-secret': secret });
      await platform.fail({ method: 'PUT', drop: true });
      for (const method of ['POST', 'PUT']) {
        const error = await failure(route.request({ method, body: { secret }, qs: { secret } }));
        expect(isArangoServicesError(error)).toBe(true);
        expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(secret);
      }
    },
  },
  {
    name: 'a closed client sends nothing',
    async run(platform) {
      const client = clientOf(platform);
      await client.close();
      expect(isAbortError(await failure(client.route('_echo').get('x')))).toBe(true);
      expect(await platform.requests()).toEqual([]);
    },
  },
  {
    name: 'a wrong option is rejected by its name',
    run(platform) {
      expect(() => clientOf(platform, { url: 'no url' })).toThrow('url');
      expect(() => clientOf(platform, { timeout: -1 })).toThrow('timeout');
      expect(() => clientOf(platform, { unknown: 1 } as object)).toThrow('unknown');
    },
  },
];
