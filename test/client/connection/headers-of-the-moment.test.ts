import { describe, expect, test } from 'vitest';
import { type AttemptInfo, createClient, credentials, type HeadersInput } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { inTurn, json, serve } from '../../support/server.ts';
import { clientOf, transports } from '../../support/transports.ts';

describe.each(transports)('Dynamic headers over $name', (transport) => {
  test('calls the function for each attempt, with method, path and number, never with a query', async () => {
    const server = await serve(inTurn(json({}, 503, { 'retry-after': '0' }), json({})));
    const asked: AttemptInfo[] = [];
    const headers = (info: AttemptInfo) => {
      asked.push(info);
      return { 'x-request-id': `r${asked.length}` };
    };
    await clientOf(server, transport, { headers, retry: 1 }).route('svc').get('u', { q: 1 });
    const { origin } = new URL(server.url);
    const call = { method: 'GET', path: '/_db/_system/svc/u', origin };
    expect(asked).toEqual([
      { ...call, attempt: 1 },
      { ...call, attempt: 2 },
    ]);
    expect(server.seen.map((wire) => wire.headers.get('x-request-id'))).toEqual([['r1'], ['r2']]);
  });

  test('client < route < with < call, functions or not; null removes; the body keeps its type', async () => {
    const server = await serve();
    const client = clientOf(server, transport, {
      headers: () => ({ 'x-a': 'client', 'x-b': 'client', 'x-c': 'client' }),
    });
    const route = client
      .route('svc', { 'x-b': 'route' })
      .route(() => ({ 'X-C': 'child', 'x-d': 'child' }))
      .with({ headers: { 'x-d': null } });
    await route.request({ method: 'POST', body: {}, headers: () => new Headers({ 'x-e': 'call' }) });
    const { headers } = server.seen[0] ?? expect.fail('nothing was sent');
    const sent = ['x-a', 'x-b', 'x-c', 'x-d', 'x-e', 'content-type'].map((name) => headers.get(name)?.join());
    expect(sent).toEqual(['client', 'route', 'child', undefined, 'call', 'application/json']);
  });

  test('an authorization from a function overrides the credentials; null sends none', async () => {
    const server = await serve();
    const values: (string | null)[] = ['Bearer own', null];
    const headers = (): HeadersInput => ({ authorization: values.shift() });
    const client = clientOf(server, transport, { headers, credentials: credentials.bearer('token') });
    for (let i = 0; i < 2; i++) await client.route().get();
    expect(server.seen.map((wire) => wire.headers.get('authorization'))).toEqual([['Bearer own'], undefined]);
  });

  test.each<[what: string, headers: () => unknown, field: string]>([
    [
      'throws',
      () => {
        throw new Error('canary');
      },
      'headers',
    ],
    [
      'returns a getter that throws',
      () => ({
        get 'x-key'() {
          throw new Error('canary');
        },
      }),
      'headers',
    ],
    ['returns undefined', () => undefined, 'headers'],
    ['returns a promise', () => Promise.reject(new Error('canary')), 'headers'],
    ['returns a function', () => () => ({}), 'headers'],
    ['returns an invalid value', () => ({ 'x-key': 'canary\n' }), 'headers.x-key'],
  ])('a function that %s: InvalidArgumentError, nothing is sent or retried', async (_what, headers, field) => {
    const server = await serve();
    // The cast: deliberately wrong.
    const client = clientOf(server, transport, { headers: headers as () => HeadersInput, retry: 5 });
    const error = await failureOf(client.route('svc').get());
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field, method: 'GET', path: '/_db/_system/svc' });
    expect(error.message).not.toContain('canary');
    expect(server.seen).toEqual([]);
  });
});

describe('Headers of a service call', () => {
  test('apply to that call only, functions too; evaluations with different headers are not batched', async () => {
    const mock = await createMock({ authentication: { mode: 'None' } });
    const client = createClient(mock.connection);
    const request = { user: 'alice', action: 'orders:read', resource: 'orders' };
    await Promise.all([
      client.authorization.evaluate(request, { headers: { 'x-correlation-id': 'a' } }),
      client.authorization.evaluate(request, { headers: { 'x-correlation-id': 'b' } }),
      client.authorization.evaluate(request, { headers: () => ({ 'x-correlation-id': 'c' }) }),
      client.authorization.evaluate(request),
    ]);
    const sent = mock.requests.map(({ headers }) => headers['x-correlation-id']);
    expect(sent.sort()).toEqual(['a', 'b', 'c', undefined]);
    const refused = client.authorization.evaluate(request, { headers: { 'x-key': '\0' } });
    expect(await failureOf(refused)).toMatchObject({ field: 'headers.x-key' });
  });
});
