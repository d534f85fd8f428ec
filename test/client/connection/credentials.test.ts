import { describe, expect, test } from 'vitest';
import { type Credentials, credentials, type HeadersInput } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, type Responder, serve, serveBytes, type TestServer } from '../../support/server.ts';
import { clientOf, transports } from '../../support/transports.ts';

const authorizationsOf = (server: TestServer) => server.seen.map(({ headers }) => headers.get('authorization')?.[0]);
const accepting =
  (token: string, status = 401): Responder =>
  (wire, ...rest) =>
    json({}, wire.headers.get('authorization')?.[0] === `Bearer ${token}` ? 200 : status)(wire, ...rest);

describe.each(transports)('Credentials over $name', (transport) => {
  const R = (server: { readonly url: string }, given: Credentials, headers: HeadersInput = {}) =>
    clientOf(server, transport, { credentials: given, headers }).database('mydb').route('svc');
  const counting = () => {
    let asked = 0;
    return credentials.bearer(() => `t${++asked}`);
  };

  test('bearer(token), and basic(user, password) in UTF-8', async () => {
    const server = await serve();
    await R(server, credentials.bearer('tok')).get();
    await R(server, credentials.basic('jürgen', 'pä:ss')).get();
    expect(authorizationsOf(server)).toEqual(['Bearer tok', `Basic ${Buffer.from('jürgen:pä:ss').toString('base64')}`]);
  });

  test('bearer(() => token) is called for each call', async () => {
    const server = await serve();
    const route = R(server, counting());
    await route.get();
    await route.post({});
    expect(authorizationsOf(server)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  test('a 401 with a renewable token renews once and resends once, with the body', async () => {
    const server = await serve(accepting('t2'));
    const { status } = await R(server, counting()).post('u', { a: 1 });
    expect([status, authorizationsOf(server)]).toEqual([200, ['Bearer t1', 'Bearer t2']]);
    expect(server.seen.map(({ body }) => body.toString())).toEqual(['{"a":1}', '{"a":1}']);
  });

  test('a second 401 is final', async () => {
    const server = await serve(accepting('never'));
    expect(await failureOf(R(server, counting()).get())).toMatchObject({ code: 'HTTP', status: 401 });
    expect(server.seen).toHaveLength(2);
  });

  test('a 403 never renews', async () => {
    const server = await serve(accepting('t2', 403));
    expect(await failureOf(R(server, counting()).get())).toMatchObject({ status: 403 });
    expect(server.seen).toHaveLength(1);
  });

  test('a constant token is never renewed', async () => {
    const server = await serve(accepting('other'));
    expect(await failureOf(R(server, credentials.bearer('tok')).get())).toMatchObject({ status: 401 });
    expect(server.seen).toHaveLength(1);
  });

  test('a stream body is not resent, but the token counts as refused', async () => {
    const refused: string[] = [];
    const given: Credentials = { authorize: () => 'Bearer t', reject: (value) => refused.push(value) > 0 };
    const server = await serve(accepting('other'));
    const body = new Blob(['x']).stream();
    expect(await failureOf(R(server, given).post('u', body))).toMatchObject({ status: 401 });
    expect([server.seen.length, refused]).toEqual([1, ['Bearer t']]);
  });

  test('a 401 with a truncated body is a network failure: nothing is resent', async () => {
    const server = await serveBytes((socket) => socket.end('HTTP/1.1 401 No\r\ncontent-length: 100\r\n\r\npart'));
    expect(await failureOf(R(server, counting()).post('u', {}))).toMatchObject({ code: 'NETWORK' });
    expect(server.connections()).toBe(1);
  });

  test('a failed renewal keeps the 401', async () => {
    const given: Credentials = { authorize: () => 'Bearer t', reject: () => Promise.reject(new Error('canary')) };
    const server = await serve(accepting('other'));
    expect(await failureOf(R(server, given).get())).toMatchObject({ code: 'HTTP', status: 401 });
  });

  test('`authorization: null` sends no credentials, an own header overrides them, and neither is renewed', async () => {
    const server = await serve(accepting('other'));
    const route = R(server, counting());
    for (const authorization of [null, undefined, 'Custom x'])
      await failureOf(route.request({ headers: { Authorization: authorization } }));
    await failureOf(route.route({ authorization: null }).get());
    await failureOf(route.with({ headers: { authorization: null } }).get());
    await failureOf(R(server, counting(), { authorization: 'Of connection' }).get());
    expect(authorizationsOf(server)).toEqual([undefined, undefined, 'Custom x', undefined, undefined, 'Of connection']);
  });

  test('authorize that returns undefined sends no header, and its 401 is final', async () => {
    const server = await serve(accepting('other'));
    expect(await failureOf(R(server, { authorize: () => undefined, reject: () => true }).get())).toMatchObject({
      status: 401,
    });
    expect(authorizationsOf(server)).toEqual([undefined]);
  });

  const failing: readonly (readonly [what: string, given: Credentials])[] = [
    [
      'bearer that throws',
      credentials.bearer(() => {
        throw new Error('canary');
      }),
    ],
    ['bearer that rejects', credentials.bearer(() => Promise.reject(new Error('canary')))],
    ['bearer that returns no token', credentials.bearer(() => '')],
    ['bearer that returns a line break', credentials.bearer(() => 'canary\n')],
    [
      'authorize that throws',
      {
        authorize: () => {
          throw new Error('canary');
        },
      },
    ],
    [
      'authorize that rejects',
      {
        authorize: async () => {
          throw new Error('canary');
        },
      },
    ],
    ['authorize that returns a control character', { authorize: () => 'Bearer canary\r\nx: y' }],
    ['authorize that returns a number', { authorize: () => 5 as unknown as string }],
    ['authorize that returns null', { authorize: () => null as unknown as string }],
  ];
  test.each(failing)('%s: a CredentialsError names the call, nothing is sent', async (_what, given) => {
    const server = await serve();
    const error = await failureOf(R(server, given).get('u'));
    expect(error).toMatchObject({
      name: 'CredentialsError',
      code: 'CREDENTIALS',
      method: 'GET',
      path: '/_db/mydb/svc/u',
    });
    expect(error.message).toMatch(/^GET \/_db\/mydb\/svc\/u has no credentials: /);
    expect(error.stack).not.toContain('canary');
    expect(server.seen).toEqual([]);
  });

  test('an error of the package becomes the cause', async () => {
    const server = await serve(json({}, 500));
    const given: Credentials = {
      authorize: async ({ connection }) => {
        await connection.send({ method: 'POST', path: '/login' });
        return 'Bearer t';
      },
    };
    const error = await failureOf(R(server, given).get('u'));
    expect(error).toMatchObject({
      code: 'CREDENTIALS',
      path: '/_db/mydb/svc/u',
      cause: { code: 'HTTP', path: '/_db/_system/login' },
    });
    expect(authorizationsOf(server)).toEqual([undefined]);
  });

  test('credentials use a connection of their client, without its own header', async () => {
    const server = await serve(json({ token: 'made' }));
    const given: Credentials = {
      authorize: async ({ connection }) => {
        const { body } = await connection.send({ method: 'POST', path: '/login', body: {} });
        return `Bearer ${(body as { token: string }).token}`;
      },
    };
    await R(server, given).get('u');
    expect(server.seen.map(({ target }) => target)).toEqual(['/_db/_system/login', '/_db/mydb/svc/u']);
    expect(authorizationsOf(server)).toEqual([undefined, 'Bearer made']);
  });

  test('close() forgets tokens and rejects further calls, those of credentials too', async () => {
    let forgotten = 0;
    let send: (() => Promise<unknown>) | undefined;
    const server = await serve();
    const client = clientOf(server, transport, {
      credentials: {
        authorize: ({ connection }) => {
          send = () => connection.send({ method: 'GET', path: '' });
          return 'Bearer t';
        },
        forget: () => forgotten++,
      },
    });
    const other = client.database('other');
    await client.route().get();
    client.close();
    const calls = [client.route().get('x'), other.route().post({}), send?.() ?? Promise.resolve()];
    for (const error of await Promise.all(calls.map(failureOf))) {
      expect(error).toMatchObject({ code: 'ABORTED', cause: { message: 'closed here' } });
    }
    expect([server.seen.length, forgotten]).toEqual([1, 1]);
  });
});
