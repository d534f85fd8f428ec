import { inspect } from 'node:util';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Client, type Credentials, createClient, credentials, isCredentialsError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJwcmVmZXJyZWRfdXNlcm5hbWUiOiJjYW5hcnkifQ.Y2FuYXJ5LXNpZ25hdHVyZQ';
const password = 'canary-pass & "word"';
const bearer = credentials.bearer(token);
const basic = credentials.basic('alice', password);

/** A client of a server that quotes the `authorization` header, encoded by `quote`. */
function clientOf(given: Credentials, quote: (secret: string) => Response | undefined): Client {
  return createClient({
    url: 'http://service.test',
    retry: 0,
    credentials: given,
    fetch: async (_url, init) => {
      const value = new Headers(init.headers).get('authorization') ?? '';
      const encoded = /^basic (.*)$/i.exec(value)?.[1];
      const pair = encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString();
      const body = typeof init.body === 'string' ? init.body : '';
      const login = /"password":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
      const inBody = login === undefined ? /"token":"([^"]*)"/.exec(body)?.[1] : JSON.parse(`"${login}"`);
      const secret = inBody ?? pair?.slice(pair.indexOf(':') + 1) ?? value.replace(/^bearer /i, '');
      return quote(secret) ?? Response.json({});
    },
  });
}

/** Everything that a log could show of an error. */
const exposed = (error: unknown) => [String(error), inspect(error, { depth: 9 }), JSON.stringify(error)].join('\n');
const hidden = (error: unknown) => {
  const text = exposed(error);
  for (const secret of [token, token.slice(20, 60), password, encodeURIComponent(password), JSON.stringify(password)]) {
    if (text.includes(secret)) return false;
  }
  return true;
};

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const quotes: Readonly<Record<string, (secret: string) => Response>> = {
  'the message of a service': (s) => json(403, { code: 7, message: `no access with ${s}`, details: [] }),
  'the message of the database': (s) => json(401, { error: true, code: 401, errorNum: 11, errorMessage: `bad ${s}` }),
  'percent-encoded': (s) => json(400, { code: 3, message: `bad ${encodeURIComponent(s)}` }),
  'JSON in JSON': (s) => json(400, { code: 3, message: JSON.stringify(JSON.stringify({ s })) }),
  'HTML in a message': (s) => json(400, { code: 3, message: s.replace(/[&"]/g, (c) => `&#${c.charCodeAt(0)};`) }),
  base64: (s) => json(400, { code: 3, message: `header ${Buffer.from(`u:${s}`).toString('base64')}` }),
  'a part of a token': (s) => json(400, { code: 3, message: `token x${s.slice(0, 40)}… is bad` }),
  'the request id': (s) => json(500, {}, { 'x-request-id': `id-${encodeURIComponent(s)}` }),
  'the place of a redirect': (s) =>
    new Response(null, { status: 302, headers: { location: `http://other.test/${encodeURIComponent(s)}` } }),
};

const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  get: (client) => client.route('orders').get(),
  post: (client) => client.route('orders').post({ a: 1 }),
  identity: (client) => client.authentication.identity(),
  keys: (client) => client.authentication.keys(),
  checkSelf: (client) => client.authorization.checkSelf({ action: 'a:b', resource: 'r' }),
  policies: (client) => client.authorization.policies.get('p'),
  validate: (client) => client.authentication.validate(token),
  'evaluate a token': (client) => client.authorization.evaluate({ token, action: 'a:b', resource: 'r' }),
  login: (client) => client.authentication.login({ username: 'alice', password }),
};

describe.each(Object.keys(calls))('a server that quotes the secrets of %s', (call) => {
  test.each(Object.keys(quotes))('in %s: errors do not show the secrets', async (place) => {
    for (const given of [bearer, basic]) {
      const client = clientOf(given, quotes[place] as (secret: string) => Response);
      const error = await failureOf(Promise.resolve(calls[call]?.(client)));
      expect([error.code, hidden(error)]).toEqual([error.code, true]);
    }
  });
});

test('the search for canaries finds them', () => {
  expect([hidden(new Error(`got ${token}`)), hidden(new Error('got nothing'))]).toEqual([false, true]);
});

test('an error hides the token that statusText quotes', async () => {
  const client = clientOf(bearer, (secret) => new Response(null, { status: 500, statusText: `bad ${secret}` }));
  expect(hidden(await failureOf(client.route().get()))).toBe(true);
});

test('an error hides the bootstrap credentials of minted tokens', async () => {
  for (const bootstrap of [bearer, basic]) {
    const client = clientOf(
      credentials.minted({ user: 'svc', bootstrap }),
      quotes['the message of a service'] as never,
    );
    const error = await failureOf(client.route('orders').get());
    expect([isCredentialsError(error), hidden(error)]).toEqual([true, true]);
  }
});

test('errors show the status, and texts that quote no secret', async () => {
  const client = clientOf(bearer, () =>
    json(403, { code: 7, message: 'Permission denied' }, { 'x-request-id': 'r-1' }),
  );
  expect(await failureOf(client.route('orders').get())).toMatchObject({
    message: 'GET /_db/_system/orders failed: 403 Permission denied',
    requestId: 'r-1',
    grpcCode: 7,
  });
});

describe('the issues of a schema, in an error,', () => {
  const body = { user: { name: 'canary-name', pin: 'c4', tags: ['canary-tag'] }, 'canary-key': 1, n: 7 };
  const route = (schema: Parameters<ReturnType<Client['route']>['with']>[0]['schema']) =>
    createClient({ url: 'http://service.test', fetch: async () => Response.json(body) })
      .route()
      .with({ schema });
  const shown = async (schema: Parameters<typeof route>[0]) => {
    const error = await failureOf(route(schema).get());
    // Without file positions: their names and numbers are not values of the call.
    expect(exposed(error).replace(/^\s+at .*$/gm, '')).not.toMatch(/canary|c4|\b7\b/);
    return error as typeof error & { issues: unknown; schemaIssues: readonly { message: string }[] };
  };

  test('of valibot omit the received value', async () => {
    const error = await shown(v.object({ user: v.object({ name: v.number(), pin: v.number() }), n: v.string() }));
    expect(error.issues).toEqual([
      { message: 'expected number, received string', path: ['user', 'name'] },
      { message: 'expected number, received string', path: ['user', 'pin'] },
      { message: 'expected string, received number', path: ['n'] },
    ]);
    expect(error.schemaIssues[0]?.message).toContain('canary-name');
    expect(Object.keys(error)).not.toContain('schemaIssues');
  });

  test('of zod omit keys unknown to the schema, and keep zod’s own words', async () => {
    const { issues } = await shown(z.strictObject({ user: z.object({ name: z.number() }), n: z.number() }));
    expect(issues).toEqual([
      { message: expect.stringMatching(/^Invalid input/), path: ['user', 'name'] },
      { message: 'does not fit', path: [] },
    ]);
  });

  test('of a schema that quotes nested values omit the message', async () => {
    const quoting = (message: string) => v.custom<unknown>(() => false, message);
    for (const message of ['got canary-tag', 'got {"tags":["canary-tag"]}', 'has "canary-key"']) {
      expect((await shown(quoting(message))).issues).toEqual([{ message: 'does not fit', path: [] }]);
    }
    expect((await shown(quoting('is no order'))).issues).toEqual([{ message: 'is no order', path: [] }]);
  });

  test('omit a path that contains a secret, and the message of a value that is too large to search', async () => {
    const found = async (answer: unknown, message: string, path: readonly PropertyKey[]) => {
      const fetch = async () => Response.json(answer);
      const validate = () => ({ issues: [{ message, path }] });
      const schema = { '~standard': { version: 1, vendor: 'x', validate } } as const;
      const client = createClient({ url: 'http://service.test', fetch, credentials: credentials.bearer(token) });
      return (await failureOf(client.route().with({ schema }).get())).issues;
    };
    expect(await found({}, 'is missing', ['a', token, 0])).toEqual([{ message: 'is missing', path: ['a', '…', 0] }]);
    const fits = Array.from({ length: 4_000 }, () => 'some text');
    const tooMany = Array.from({ length: 6_000 }, () => 'some text');
    expect(await found(fits, 'is no order', [])).toEqual([{ message: 'is no order', path: [] }]);
    expect(await found(tooMany, 'is no order', [])).toEqual([{ message: 'does not fit', path: [] }]);
  });

  const nonsense: readonly (readonly [string, () => unknown])[] = [
    ['undefined', () => undefined],
    ['null', () => null],
    ['an empty object', () => ({})],
    ['issues that are not a list', () => ({ issues: 'x' })],
    ['an undefined issue', () => ({ issues: [undefined] })],
    [
      'a throw',
      () => {
        throw new Error('canary');
      },
    ],
  ];
  test.each(nonsense)(
    'are empty, and the call fails once, if the result of the schema is not valid: %s',
    async (_, validate) => {
      let sent = 0;
      const fetch = async () => {
        sent += 1;
        return Response.json(body);
      };
      const schema = { '~standard': { version: 1, vendor: 'x', validate } } as never;
      const error = await failureOf(createClient({ url: 'http://service.test', fetch }).route().with({ schema }).get());
      expect([error.code, sent]).toEqual(['SCHEMA', 1]);
      expect(exposed(error)).not.toContain('canary');
    },
  );
});
