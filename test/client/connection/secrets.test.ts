import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  type ArangoServicesError,
  type Client,
  credentials,
  type ErrorCode,
  PermissionDeniedError,
} from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, type Responder, serve, type TestServer } from '../../support/server.ts';
import { clientOf, transports } from '../../support/transports.ts';

/** Placed everywhere in a request and a response; no error may contain one. */
const canary = {
  token: 'c4n4ry-token',
  password: 'c4n4ry-password',
  header: 'c4n4ry-header',
  query: 'c4n4ry-query',
  body: 'c4n4ry-body',
  answerHeader: 'c4n4ry-answer-header',
};
const found = /c4n4ry|YzRuNHJ5/; // base64, too, as sent by basic credentials

/** Everything that a log, a serializer or a debugger can see. */
function exposed(error: unknown, depth = 0): string {
  const texts = [
    inspect(error, { depth: 9 }),
    inspect(error, { depth: 9, showHidden: true, getters: true }),
    JSON.stringify(error),
  ];
  if (typeof error === 'object' && error !== null && depth < 5) {
    for (const key of Reflect.ownKeys(error)) {
      const value: unknown = Reflect.get(error, key);
      texts.push(String(key), typeof value === 'object' ? exposed(value, depth + 1) : String(value));
    }
  }
  return texts.join('\n');
}

const secretly =
  (answer: Responder): Responder =>
  (wire, response, request) => {
    response.setHeader('x-answer', canary.answerHeader);
    response.setHeader('set-cookie', canary.answerHeader);
    answer(wire, response, request);
  };

const request = {
  method: 'POST',
  path: `u?own=${canary.query}`,
  qs: { q: canary.query },
  body: { secret: canary.body },
  headers: { 'x-secret': canary.header, cookie: canary.header },
};

type Fails = (client: Client, server: TestServer) => Promise<unknown>;
const route = (client: Client) => client.route('svc');
const malformed: Responder = (_wire, response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{');
const silent: Responder = () => undefined;

const failures: readonly (readonly [code: ErrorCode, what: string, answer: Responder, call: Fails])[] = [
  ['HTTP', '403', json({ code: 7, message: 'no' }, 403), (client) => route(client).request(request)],
  ['HTTP', '401', json({ error: true }, 401), (client) => route(client).request(request)],
  ['HTTP', '500 without a body', json(undefined, 500), (client) => route(client).request(request)],
  [
    'REDIRECT',
    'elsewhere',
    json({}, 307, { location: `http://u:${canary.password}@b.invalid/x?q=${canary.query}#${canary.query}` }),
    (client) => route(client).request(request),
  ],
  [
    'NETWORK',
    'reset',
    (_wire, response) => void response.socket?.resetAndDestroy(),
    (client) => route(client).request(request),
  ],
  [
    'NETWORK',
    'refused',
    json({}),
    async (client, server) => {
      await server.close();
      return route(client).request(request);
    },
  ],
  ['TIMEOUT', 'headers', silent, (client) => route(client).request({ ...request, timeout: 50 })],
  [
    'ABORTED',
    'before sending',
    silent,
    (client) => route(client).request({ ...request, signal: AbortSignal.abort('enough') }),
  ],
  ['PARSE', 'not JSON', malformed, (client) => route(client).request(request)],
  [
    'SCHEMA',
    'another shape',
    json({ a: 1 }),
    (client) => route(client).request({ ...request, schema: z.object({ a: z.string() }) }),
  ],
  ['INVALID_ARGUMENT', 'path', silent, (client) => route(client).request({ ...request, path: `../${canary.query}` })],
  [
    'INVALID_ARGUMENT',
    'query',
    silent,
    (client) => route(client).request({ ...request, qs: { q: { [canary.query]: 1 } } as never }),
  ],
  [
    'INVALID_ARGUMENT',
    'query text',
    silent,
    (client) => route(client).request({ ...request, qs: `${canary.query}\n` }),
  ],
  [
    'INVALID_ARGUMENT',
    'body',
    silent,
    (client) => route(client).request({ ...request, body: { a: [canary.body, new Map([[canary.body, 1]])] } }),
  ],
  [
    'INVALID_ARGUMENT',
    'header',
    silent,
    (client) => route(client).request({ ...request, headers: { 'x-secret': `${canary.header}\0` } }),
  ],
  [
    'INVALID_ARGUMENT',
    'authorization',
    silent,
    (client) => route(client).request({ ...request, headers: { authorization: `Bearer ${canary.token}\0` } }),
  ],
  ['INVALID_ARGUMENT', 'method', silent, (client) => route(client).request({ ...request, method: `${canary.token}:` })],
  [
    'INVALID_ARGUMENT',
    'responseType',
    silent,
    (client) => route(client).request({ ...request, responseType: canary.body as 'json' }),
  ],
  [
    'INVALID_ARGUMENT',
    'timeout',
    silent,
    (client) => route(client).request({ ...request, timeout: canary.body as unknown as number }),
  ],
  [
    'INVALID_ARGUMENT',
    'schema',
    silent,
    (client) => route(client).request({ ...request, schema: { [canary.body]: 1 } as never }),
  ],
  [
    'INVALID_ARGUMENT',
    'a getter that throws',
    silent,
    (client) =>
      route(client).request({
        ...request,
        get body() {
          throw new Error(canary.body);
        },
      }),
  ],
];

describe.each(transports)('Secrets over $name', (transport) => {
  const ways = {
    bearer: credentials.bearer(canary.token),
    'bearer function': credentials.bearer(() => canary.token),
    basic: credentials.basic('user', canary.password),
  };

  test.each(failures)(
    '%s (%s) contains no header, token, password, query or body',
    async (code, _what, answer, call) => {
      for (const given of Object.values(ways)) {
        const server = await serve(secretly(answer));
        const options = { credentials: given, headers: { 'x-connection': canary.header } };
        const client = clientOf({ url: `${server.url}/p?key=${canary.query}` }, transport, options);
        const error = await failureOf(call(client, server));
        expect(error).toMatchObject({
          code,
          method: expect.stringMatching(/^(POST|request)$/),
          // For a call with a rejected argument the route's path is enough.
          path: expect.stringMatching(code === 'INVALID_ARGUMENT' ? /^\/p\/_db\/_system\/svc(\/u)?$/ : /svc\/u$/),
        });
        expect(exposed(error)).not.toMatch(found);
      }
    },
  );

  test('CREDENTIALS contains nothing that was thrown or passed in', async () => {
    const server = await serve(secretly(json({}, 500)));
    const failing = [
      credentials.bearer(() => Promise.reject(new Error(canary.token))),
      credentials.bearer(() => `${canary.token}\n`),
      { authorize: () => `Bearer ${canary.token}\0` },
      { authorize: () => Promise.reject(new Error(canary.token)) },
      {
        authorize: async ({ connection }: { connection: { send: (call: object) => Promise<unknown> } }) => {
          await connection.send({
            method: 'POST',
            path: '/login',
            body: { password: canary.password },
            confidential: [],
          });
          return 'Bearer x';
        },
      },
    ];
    for (const given of failing) {
      // The cast: the last one declares only the fields of its context that it uses.
      const client = clientOf(server, transport, { credentials: given as typeof ways.bearer });
      const error = await failureOf(route(client).request(request));
      expect(error.code).toBe('CREDENTIALS');
      expect(exposed(error)).not.toMatch(found);
    }
  });

  test('of a runtime error with the URL in its message only the code remains', async () => {
    const fetch = () =>
      Promise.reject(
        Object.assign(new TypeError(`fetch failed: ${canary.query}`), {
          cause: Object.assign(new Error(canary.query), { code: 'ECONNRESET' }),
        }),
      );
    const error = await failureOf(route(clientOf({ url: 'http://host.test' }, { fetch })).request(request));
    expect(error.cause).toEqual({ code: 'ECONNRESET' });
    expect(exposed(error)).not.toMatch(found);
  });

  test('errors of a confidential response contain nothing of it', async () => {
    for (const answer of [
      json({ token: canary.token }, 500),
      ((_wire, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(`{${canary.token}`)) as Responder,
    ]) {
      const server = await serve(answer);
      const given = {
        authorize: async ({ connection }: { connection: { send: (call: object) => Promise<unknown> } }) => {
          await connection.send({ method: 'POST', path: '/login', body: {}, confidential: [] });
          return 'Bearer x';
        },
      };
      const client = clientOf(server, transport, { credentials: given as typeof ways.bearer });
      const error = await failureOf(route(client).get());
      expect((error.cause as ArangoServicesError).code).toMatch(/^(HTTP|PARSE)$/);
      expect(exposed(error)).not.toMatch(found);
    }
  });
});

test('PERMISSION_DENIED names the action and the resource only', () => {
  const error = new PermissionDeniedError('orders:read', 'orders');
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'PermissionDeniedError',
    code: 'PERMISSION_DENIED',
    action: 'orders:read',
    resource: 'orders',
    message: error.message,
  });
});

test('the search finds a canary in every place that it covers', () => {
  const hidden = Object.defineProperty(new Error('x'), 'secret', { value: { deep: canary.token } });
  const coded = new Error(`Basic ${btoa(canary.password)}`);
  const symbol = Object.assign(new Error('x'), { [Symbol('s')]: canary.body });
  const caused = new Error('x', { cause: new Error(canary.query) });
  for (const error of [hidden, coded, symbol, caused]) expect(exposed(error)).toMatch(found);
});
