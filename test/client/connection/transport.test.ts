import { describe, expect, test } from 'vitest';
import { withResolvers } from '../../../src/base/lib/fallbacks.ts';
import { type ClientOptions, createClient, type Transport, type TransportResponse } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';

const url = 'http://host.test';

/** A response that is not a `Response`: its headers are a Map. */
const answer = (body: string, status = 200, headers: Record<string, string> = {}): TransportResponse => ({
  status,
  statusText: '',
  headers: new Map(Object.entries({ 'content-type': 'application/json', ...headers })),
  url,
  redirected: false,
  type: 'basic',
  get body() {
    return new Blob([body]).stream();
  },
  text: async () => body,
  bytes: async () => new TextEncoder().encode(body),
  blob: async () => new Blob([body]),
});

/** A transport that counts its closes. */
function closable(send: Transport['send'] = async () => answer('{}')) {
  const transport = { closes: 0, send, close: async () => void transport.closes++ };
  return transport;
}

describe('A custom transport', () => {
  test('needs no Response: a response with a Map of headers is read, failures too', async () => {
    const answers = [answer('{"a":1}', 200, { 'x-b': '2' }), answer('{"message":"no"}', 404, { 'x-request-id': 'r' })];
    const transport: Transport = { send: async () => answers.shift() ?? answer('') };
    const R = createClient({ url, transport }).route('svc');
    const { body, headers } = await R.get();
    expect([body, headers.get('x-b'), headers instanceof Headers]).toEqual([{ a: 1 }, '2', true]);
    expect(await failureOf(R.get())).toMatchObject({ status: 404, message: /404 no$/, requestId: 'r' });
  });

  test('is rejected beside fetch, or without send; undefined counts as absent', async () => {
    const transport = closable();
    const fetch = async () => Response.json({});
    const refused: unknown[] = [{ transport, fetch }, { transport: {} }, { transport: Object.freeze(closable()) }];
    for (const options of refused) {
      expect(() => createClient({ ...(options as ClientOptions), url })).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'transport' }),
      );
    }
    const environment: Partial<ClientOptions> = { transport };
    const mock = await createMock({ authentication: { mode: 'None' } });
    const client = createClient({ ...environment, ...mock.connection });
    expect((await client.route().request({ path: '/_api/version', absolutePath: true })).status).toBe(200);
  });
});

describe('close()', () => {
  test('rejects further calls at once and closes the transport after the calls in flight', async () => {
    const gate = withResolvers<TransportResponse>();
    const transport = closable(() => gate.promise);
    const client = createClient({ url, transport });
    const call = client.route('svc').get();
    const closed = client.close();
    expect(await failureOf(client.database('other').route().get())).toMatchObject({ code: 'ABORTED' });
    expect(transport.closes).toBe(0);
    gate.resolve(answer('{}'));
    expect((await call).status).toBe(200);
    await closed;
    expect(transport.closes).toBe(1);
  });

  test('a failed call counts as ended', async () => {
    const transport = closable(() => Promise.reject(new Error('reset')));
    const client = createClient({ url, transport, retry: 0 });
    await failureOf(client.route().get());
    await client.close();
    expect(transport.closes).toBe(1);
  });

  test('a transport closes with the last client that uses it, once', async () => {
    const transport = closable();
    const [one, two] = [createClient({ url, transport }), createClient({ url, transport })];
    await Promise.all([one.close(), one.close()]);
    expect(transport.closes).toBe(0);
    expect((await two.route().get()).status).toBe(200);
    await two.close();
    expect(transport.closes).toBe(1);
  });

  test('of a derived client closes no transport and forgets no token', async () => {
    const transport = closable();
    let forgotten = 0;
    const credentials = { authorize: () => 'Bearer t', forget: () => forgotten++ };
    const client = createClient({ url, transport, credentials });
    await client.with({}).close();
    expect([transport.closes, forgotten]).toEqual([0, 0]);
    await client.close();
    expect([transport.closes, forgotten]).toEqual([1, 1]);
  });

  test('propagates what close() of a transport throws', async () => {
    const transport = { ...closable(), close: () => Promise.reject(new Error('stuck')) };
    await expect(createClient({ url, transport }).close()).rejects.toThrow('stuck');
  });

  test('await using closes the client', async () => {
    const transport = closable();
    {
      await using client = createClient({ url, transport });
      await client.route().get();
    }
    expect(transport.closes).toBe(1);
  });
});
