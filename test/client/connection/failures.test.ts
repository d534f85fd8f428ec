import { describe, expect, test } from 'vitest';
import { type HttpError, isHttpError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, serve, serveBytes } from '../../support/server.ts';
import { partOf } from '../../support/thorough.ts';
import { pathOf, routeOf, routeWays } from '../../support/transports.ts';

const type = (value: string) => ({ 'content-type': value });
const statusLine = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';

describe.each(routeWays)('4xx and 5xx over $name', (transport) => {
  const fail = async (...answer: Parameters<typeof json>): Promise<HttpError> => {
    const server = await serve(json(...answer));
    const error = await failureOf(routeOf(server, transport).get('u', { q: 1 }));
    if (!isHttpError(error)) throw error;
    return error;
  };

  test("the services' format gives grpcCode, message, details, requestId and body", async () => {
    const body = { code: 7, message: 'Permission denied', details: [{ '@type': 'x' }] };
    const error = await fail(body, 403, { 'x-request-id': 'r-1' });
    expect(error).toMatchObject({
      name: 'HttpError',
      code: 'HTTP',
      status: 403,
      grpcCode: 7,
      requestId: 'r-1',
      details: body.details,
      body,
      method: 'GET',
      path: `${pathOf(transport)}/u`,
    });
    expect(error.message).toBe(`GET ${pathOf(transport)}/u failed: 403 Permission denied`);
    expect(error.errorNum).toBeUndefined();
  });

  test("the database's format gives errorNum and errorMessage, and no grpcCode", async () => {
    const body = { error: true, code: 404, errorNum: 1203, errorMessage: 'collection not found' };
    const error = await fail(body, 404);
    expect([error.errorNum, error.grpcCode, error.body, error.details]).toEqual([1203, undefined, body, []]);
    expect(error.requestId).toBeUndefined();
    expect(error.message).toBe(`GET ${pathOf(transport)}/u failed: 404 collection not found`);
  });

  test.each([[[1, 2]], ['text'], [5], [null], [{ message: { nested: true }, details: 'x', code: '7' }], [true]])(
    'keeps a JSON body of any shape: %j',
    async (body) => {
      const error = await fail(body, 500);
      expect([error.status, error.body, error.details, error.grpcCode]).toEqual([500, body, [], undefined]);
    },
  );

  test.each([
    ['a text body', 'text/html', '<p>no</p>', '<p>no</p>'],
    ['a text body that would be JSON', 'text/plain', '{"a":1}', '{"a":1}'],
    ['a JSON type that is not JSON is kept as text', 'application/json', '{"a":', '{"a":'],
    ['a body without a type: JSON', undefined, '{"message":"m"}', { message: 'm' }],
    ['a body without a type: text', undefined, 'oops', 'oops'],
    ['JSON with a BOM', 'application/json', '\ufeff{"a":1}', { a: 1 }],
    ['bytes', 'application/octet-stream', '\0\x01', new Uint8Array([0, 1])],
    ['no body', undefined, '', undefined],
  ])('the error has the body of its response: %s', async (_row, contentType, sent, body) => {
    const server = await serve(
      (_wire, response) => void response.writeHead(400, contentType ? type(contentType) : {}).end(sent),
    );
    const error = await failureOf(routeOf(server, transport).post('u', {}));
    expect(error).toMatchObject({ code: 'HTTP', status: 400 });
    expect(error.body).toEqual(body);
  });

  test('HEAD has no body but rejects with HttpError', async () => {
    const server = await serve(json({ message: 'm' }, 404, { 'x-request-id': 'r' }));
    const error = await failureOf(routeOf(server, transport).head('u'));
    expect(error).toMatchObject({
      code: 'HTTP',
      status: 404,
      requestId: 'r',
      body: undefined,
      message: `HEAD ${pathOf(transport)}/u failed: 404 Not Found`,
    });
  });

  test('turns a message of many lines into one line of at most 500 characters', async () => {
    const error = await fail({ message: `a\n\tb ${'x'.repeat(900)}` }, 400);
    expect(error.message).toMatch(/failed: 400 a b x{496}$/);
  });

  test('reads an error body up to 1 MiB', async () => {
    const server = await serve(
      (_wire, response) => void response.writeHead(500, type('text/plain')).end('x'.repeat(3 * 1_048_576)),
    );
    const error = await failureOf(routeOf(server, transport).post('u', {}));
    expect((error.body as string).length).toBe(1_048_576);
  });

  test('cuts an endless error body after 1 MiB, and closes its connection', async () => {
    let closed: (() => void) | undefined;
    const end = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await serve((_wire, response) => {
      response.writeHead(500, type('text/plain'));
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more).on('close', () => closed?.());
      more();
    });
    const error = await failureOf(routeOf(server, transport).post('u', {}));
    expect([error.status, (error.body as string).length]).toEqual([500, 1_048_576]);
    await end;
  });

  test('sockets stay bounded after many large error bodies', async () => {
    const large = 'x'.repeat(3 * 1_048_576);
    const server = await serve((_wire, response) => void response.writeHead(500, type('text/plain')).end(large));
    const R = routeOf(server, transport);
    for (let i = 0; i < partOf(8, 2); i++) await failureOf(R.post('u', {}));
    await expect.poll(() => server.sockets.size).toBeLessThanOrEqual(2);
  });
});

describe.each(routeWays)('a NetworkError over $name', (transport) => {
  const expectNetwork = async (url: string, code: string) => {
    const error = await failureOf(routeOf({ url }, transport).post('u'));
    expect(error).toMatchObject({ name: 'NetworkError', code: 'NETWORK', path: `${pathOf(transport)}/u` });
    expect(error.cause).toEqual({ code });
    return error;
  };

  test('is the result of a refused connection', async () => {
    const server = await serve();
    await server.close();
    const error = await expectNetwork(server.url, 'ECONNREFUSED');
    expect(error.message).toBe(`POST ${pathOf(transport)}/u at ${error.origin} failed: ECONNREFUSED`);
  });

  test('is the result of an unknown host', async () => {
    const error = await failureOf(routeOf({ url: 'http://name.invalid' }, transport).post('u'));
    expect(error.code).toBe('NETWORK');
    expect(error.cause).toEqual({ code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) });
  });

  test('is the result of a connection that is reset before a response', async () => {
    const server = await serveBytes((socket) => socket.resetAndDestroy());
    await expectNetwork(server.url, 'ECONNRESET');
  });

  test('is the result of a connection that is closed before a response', async () => {
    const server = await serveBytes((socket) => socket.end());
    await expectNetwork(server.url, 'UND_ERR_SOCKET');
  });

  test('is the result of a connection that closes within a body with content-length', async () => {
    const server = await serveBytes((socket) => socket.end(`${statusLine}content-length: 100\r\n\r\npart`));
    await expectNetwork(server.url, 'UND_ERR_SOCKET');
  });

  test('is the result of a connection that closes within a chunked body', async () => {
    const server = await serveBytes((socket) =>
      socket.end(`${statusLine}transfer-encoding: chunked\r\n\r\n4\r\npart\r\n`),
    );
    await expectNetwork(server.url, 'UND_ERR_SOCKET');
  });

  test('is the result of a connection that closes within the body of an error response', async () => {
    const server = await serveBytes((socket) => socket.end('HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\npart'));
    await expectNetwork(server.url, 'UND_ERR_SOCKET');
  });

  test('is the failure of a stream whose connection closes while it is read', async () => {
    const server = await serveBytes((socket) => {
      socket.write(`${statusLine}content-length: 100\r\n\r\npart`);
      setTimeout(() => socket.destroy(), 20);
    });
    const { body } = await routeOf(server, transport).with({ responseType: 'stream' }).get('u');
    expect(await failureOf(new Response(body).text())).toMatchObject({
      code: 'NETWORK',
      path: `${pathOf(transport)}/u`,
      cause: { code: 'UND_ERR_SOCKET' },
    });
  });

  test('an answer that is not HTTP is a NetworkError', async () => {
    const server = await serveBytes((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    const error = await failureOf(routeOf(server, transport).post('u'));
    expect([error.code, error.method]).toEqual(['NETWORK', 'POST']);
    // Node 24 sets no code here.
    if (error.cause !== undefined) expect(error.cause).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/) });
  });

  test('Response.error() of a fetch is a NetworkError', async () => {
    const R = routeOf({ url: 'http://host.test' }, { fetch: async () => Response.error() });
    expect(await failureOf(R.post('u'))).toMatchObject({ code: 'NETWORK' });
  });

  test('a fetch that throws at once is a NetworkError', async () => {
    const throws = () => {
      throw new Error('blocked by http://user:canary@other.test/a?canary#canary');
    };
    const throwsNoUrl = () => {
      throw new Error('blocked by https://[canary');
    };
    for (const [fetch, why] of [
      [throwsNoUrl, 'Error: blocked by http:$'],
      [throws, 'Error: blocked by http://other.test/a'],
    ] as const) {
      const error = await failureOf(routeOf({ url: 'http://host.test' }, { fetch }).post('u'));
      expect(error).toMatchObject({ code: 'NETWORK', method: 'POST', origin: 'http://host.test' });
      expect(error.message).toMatch(new RegExp(`^POST /_db/mydb/svc/u at http://host.test failed: .*(?:${why})`));
      expect(error.stack).not.toContain('canary');
    }
  });

  test('keeps at most 200 characters of a foreign error’s text', async () => {
    const fetch = () => Promise.reject(new TypeError('long '.repeat(100)));
    const { message } = await failureOf(routeOf({ url: 'http://host.test' }, { fetch }).get());
    expect(message.replace(/^.* failed: /, '')).toHaveLength(200);
  });

  test('a TLS failure says how to fix it', async () => {
    const fetch = () => Promise.reject(new TypeError('failed', { cause: { code: 'CERT_HAS_EXPIRED' } }));
    const error = await failureOf(routeOf({ url: 'http://host.test' }, { fetch }).get());
    expect([error.message, error.cause]).toEqual([
      expect.stringContaining('expired certificate; renew it'),
      { code: 'CERT_HAS_EXPIRED' },
    ]);
  });

  test('a cause with throwing getters does not escape', async () => {
    const fetch = () =>
      Promise.reject({
        get code() {
          throw new Error('thrown by a getter');
        },
      });
    const error = await failureOf(routeOf({ url: 'http://host.test' }, { fetch }).post('u'));
    expect(error).toMatchObject({ code: 'NETWORK', method: 'POST', origin: 'http://host.test' });
  });
});
