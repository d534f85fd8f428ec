import { describe, expect, test } from 'vitest';
import { type ClientOptions, Connection, createClient, credentials, Route } from '../../src/index.ts';
import { json, serve } from '../support/server.ts';

const url = 'http://localhost:8529';
/** Creates a client from options that TypeScript would reject. */
const create = (options: unknown) => () => createClient(options as ClientOptions);

const wrong: readonly (readonly [what: string, options: unknown, field: string, accepted: RegExp])[] = [
  ['no options', undefined, 'options', /expected an object, got undefined/],
  ['null', null, 'options', /expected an object/],
  ['a string', url, 'options', /expected an object, got a string/],
  ['an array', [url], 'options', /expected an object, got a list/],
  ['no url', {}, 'url', /expected a URL like "http:\/\/localhost:8529", got undefined/],
  ['a url that is null', { url: null }, 'url', /got null/],
  ['a url that is a number', { url: 8529 }, 'url', /a URL like/],
  ['an empty url', { url: '' }, 'url', /got an empty string/],
  ['a url without a scheme', { url: 'localhost:8529' }, 'url', /a URL like/],
  ['a host only', { url: 'localhost' }, 'url', /a URL like/],
  ['a path', { url: '/x' }, 'url', /a URL like/],
  ['a url without slashes', { url: 'http:localhost' }, 'url', /a URL like/],
  ['a url without a host', { url: 'http://' }, 'url', /a URL like/],
  ['a port out of range', { url: 'http://localhost:99999' }, 'url', /a URL like/],
  ['another scheme', { url: 'ftp://localhost' }, 'url', /a URL like/],
  ['arangodb’s own scheme', { url: 'ssl://localhost:8529' }, 'url', /a URL like/],
  ['a url object of another scheme', { url: new URL('file:///x') }, 'url', /a URL like/],
  ['a user and password in the url', { url: 'http://root:canary@localhost' }, 'url', /see credentials.basic/],
  ['a fragment', { url: `${url}/#canary` }, 'url', /fragment/],
  ['an integrationUrl', { url, integrationUrl: 'canary' }, 'integrationUrl', /a URL like/],
  ['a managementUrl', { url, managementUrl: 5 }, 'managementUrl', /a URL like/],
  ['an empty database', { url, database: '' }, 'database', /must not be empty/],
  ['a database `..`', { url, database: '..' }, 'database', /must not hold "." or ".."/],
  ['a database that is a number', { url, database: 5 }, 'database', /got 5/],
  ['a database that is null', { url, database: null }, 'database', /got null/],
  ['headers', { url, headers: 'x: canary' }, 'headers', /expected a plain object or Headers, got a string/],
  ['a header value', { url, headers: { 'x-key': 'canary\n\0' } }, 'headers.x-key', /expected a string/],
  ['credentials', { url, credentials: 'canary' }, 'credentials', /expected an object with authorize\(\), got a string/],
  ['credentials of another kind', { url, credentials: { token: 'canary' } }, 'credentials', /authorize\(\)/],
  [
    'a timeout',
    { url, timeout: '5s' },
    'timeout',
    /expected milliseconds from 0 \(none\) to 2147483647 or Infinity, got a string/,
  ],
  ['a signal', { url, signal: 'canary' }, 'signal', /expected an AbortSignal, got a string/],
  ['retry', { url, retry: true }, 'retry', /expected a whole number of retries from 0 to 100, got true/],
  ['fetch', { url, fetch: 'canary' }, 'fetch', /expected a function, got a string/],
  ['observe', { url, observe: {} }, 'observe', /expected a function, got an object/],
  ['clock', { url, clock: Date.now }, 'clock', /expected an object with now\(\)/],
  [
    'an unknown option',
    { url, databse: 'canary' },
    'databse',
    /unknown \(did you mean "database"\?\); accepted are url, database, .*clock/,
  ],
  ['an inherited name', { url, constructor: 1 }, 'constructor', /unknown; accepted are/],
];

describe('createClient', () => {
  test.each(wrong)('rejects %s, naming the option and what is accepted', (_what, options, field, accepted) => {
    expect(create(options)).toThrow(
      expect.objectContaining({ name: 'InvalidArgumentError', code: 'INVALID_ARGUMENT', field }),
    );
    expect(create(options)).toThrow(accepted);
    // The start of the message names the field; a text value is never printed.
    expect(create(options)).toThrow(new RegExp(`^${field.replaceAll('.', '\\.')}: (?!.*canary)`));
  });

  test('treats undefined as the default of every option but url', () => {
    const names = [
      'database',
      'integrationUrl',
      'managementUrl',
      'headers',
      'credentials',
      'timeout',
      'signal',
      'retry',
      'fetch',
      'observe',
      'clock',
    ];
    expect(create({ url, ...Object.fromEntries(names.map((name) => [name, undefined])) })).not.toThrow();
  });

  test('basic and bearer reject values that cannot be sent, without printing them', () => {
    const refusals: readonly (readonly [() => unknown, string])[] = [
      [() => credentials.basic('', ''), 'credentials.user'],
      [() => credentials.basic('ca:nary', 'x'), 'credentials.user'],
      [() => credentials.basic('u\n', 'canary'), 'credentials.user'],
      [() => credentials.basic('u', 'canary\0'), 'credentials.password'],
      [() => credentials.basic('u', 'canary\ud800'), 'credentials.password'],
      // The casts: values that TypeScript would reject.
      [() => credentials.basic('u', 123456 as unknown as string), 'credentials.password'],
      [() => credentials.bearer(123456 as unknown as string), 'credentials.token'],
      [() => credentials.login({ username: 'u', password: 123456 as unknown as string }), 'credentials.password'],
      [() => credentials.bearer(''), 'credentials.token'],
      [() => credentials.bearer('canary canary'), 'credentials.token'],
      [() => credentials.bearer('canary\n'), 'credentials.token'],
    ];
    for (const [make, field] of refusals) {
      expect(make).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
      expect(make).not.toThrow(/canary|123456/);
    }
  });

  test('the options object is neither kept nor changed', async () => {
    const server = await serve(json({}));
    const options = { url: new URL(server.url), database: 'one', headers: { 'x-a': '1' }, timeout: 60_000 };
    const frozen = Object.freeze({ url: server.url, headers: Object.freeze({}) });
    const client = createClient(options);
    options.url.pathname = '/changed';
    options.database = 'two';
    options.headers['x-a'] = '2';
    await client.route('svc').get();
    await createClient(frozen).route().get();
    expect(server.seen[0]).toMatchObject({ target: '/_db/one/svc' });
    expect(server.seen[0]?.headers.get('x-a')).toEqual(['1']);
  });

  test('database() returns another client and leaves the first one alone', async () => {
    const server = await serve(json({}));
    const client = createClient({ url: server.url });
    await client.database('a').database('b').route('svc').get();
    await client.route('svc').get();
    expect(server.seen.map(({ target }) => target)).toEqual(['/_db/b/svc', '/_db/_system/svc']);
  });

  test('looks fetch up at call time', async () => {
    const client = createClient({ url: 'http://host.test' });
    const real = globalThis.fetch;
    globalThis.fetch = async () => Response.json('from the one installed later');
    try {
      expect((await client.route().get()).body).toBe('from the one installed later');
    } finally {
      globalThis.fetch = real;
    }
  });

  test('new Route(new Connection({ url })) behaves the same without a client', async () => {
    const server = await serve(json({ a: 1 }));
    const { body } = await new Route(new Connection({ url: server.url, database: 'mydb' })).route('svc').get('u');
    expect([body, server.seen[0]?.target]).toEqual([{ a: 1 }, '/_db/mydb/svc/u']);
    expect(() => new Route({} as Connection)).toThrow(expect.objectContaining({ field: 'connection' }));
  });
});

test('reads each option once, and uses the validated value', async () => {
  const sent: string[] = [];
  const given = {
    url: 'http://checked.test',
    database: 'checked',
    fetch: async (url: string) => {
      sent.push(url);
      return new Response('{}');
    },
    batch: false,
  };
  const reads: PropertyKey[] = [];
  const options = new Proxy(given, {
    get(target, name, receiver) {
      if (Object.hasOwn(target, name)) reads.push(name);
      return Reflect.get(target, name, receiver);
    },
  });
  const client = createClient(options);
  Object.assign(given, { url: 'http://later.test', database: 'later' });
  await client.route('orders').get();
  expect([reads, sent]).toEqual([Object.keys(given), ['http://checked.test/_db/checked/orders']]);
});
