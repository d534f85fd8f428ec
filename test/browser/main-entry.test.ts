import * as withKy from 'arango-services';
import { isAbortError, isNetworkError, isRedirectError, isSchemaError, isTimeoutError } from 'arango-services';
import * as withoutKy from 'arango-services/without-ky';
import ky from 'ky';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod/mini';

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

// The guards of one bundle recognize errors of another.
describe.each([
  ['the built main entry in a page', withKy],
  ['the same, bundled without ky', withoutKy],
])('%s', (_name, { createClient }) => {
  const client = (url = inject('serverUrl')) => createClient({ url, database: 'my shop', retry: 0 });

  test('runs in a browser, against another origin', () => {
    expect(navigator.userAgent).toContain('Chrome');
    expect(new URL(inject('serverUrl')).origin).not.toBe(location.origin);
  });

  test('sends a call with query, header and body', async () => {
    const { body, status, url } = await client()
      .route('_echo', { 'x-tenant': 'acme' })
      .post('orders', { item: 'Käse' }, { limit: 5 });
    expect(status).toBe(200);
    expect(new URL(url).pathname).toBe('/_db/my%20shop/_echo/orders');
    expect(body).toMatchObject({
      method: 'POST',
      path: '/_db/my%20shop/_echo/orders',
      query: 'limit=5',
      headers: { 'x-tenant': 'acme', 'content-type': 'application/json', origin: location.origin },
      body: { item: 'Käse' },
    });
  });

  test("runs the hooks of the caller's own ky", async () => {
    const hook = ({ request }: { readonly request: Request }) => request.headers.set('x-traced', 'yes');
    const traced = createClient({ url: inject('serverUrl'), ky: ky.create({ hooks: { beforeRequest: [hook] } }) });
    const { body } = await traced.route('_echo').get();
    expect(body).toMatchObject({ headers: { 'x-traced': 'yes' } });
  });

  test('types the body by its schema, and rejects another shape', async () => {
    const echo = client()
      .route('_echo')
      .with({ schema: z.object({ method: z.literal('GET') }) });
    expect((await echo.get()).body.method).toBe('GET');
    const error = await failure(echo.delete());
    expect(isSchemaError(error) && error.issues.map((issue) => issue.path)).toEqual([['method']]);
  });

  test.each(['slow', 'stalls'])('ends a call to /%s at its timeout', async (path) => {
    const error = await failure(client().route('orders').with({ timeout: 60 }).get(path));
    expect(isTimeoutError(error) && [error.method, error.timeout]).toEqual(['GET', 60]);
  });

  test.each(['slow', 'stalls'])('ends a call to /%s when its signal aborts', async (path) => {
    const controller = new AbortController();
    const call = failure(client().route('orders').with({ signal: controller.signal }).get(path));
    setTimeout(() => controller.abort('enough'), 60);
    const error = await call;
    expect(isAbortError(error) && error.cause).toBe('enough');
  });

  test('an origin without CORS is a network error', async () => {
    const error = await failure(client(inject('closedUrl')).route('_echo').get());
    expect(isNetworkError(error)).toBe(true);
    expect(String(error)).toContain('GET /_db/my%20shop/_echo');
  });

  test('a redirect that the browser hides is a redirect error that says so', async () => {
    const error = await failure(client().route('orders').post('moved', {}));
    expect(isRedirectError(error) && [error.status, error.location]).toEqual([0, undefined]);
    expect(String(error)).toMatch(/redirected: browsers hide its target/);
  });
});
