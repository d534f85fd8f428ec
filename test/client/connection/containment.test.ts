import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, isInvalidArgumentError, type Query, type Route } from '../../../src/index.ts';
import { json, open, type TestServer } from '../../support/server.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { clientOf, transports } from '../../support/transports.ts';

/**
 * Text that has fooled URL code before: separators, dots, escapes of both (once and twice), schemes, control
 * characters, odd Unicode.
 */
const pieces = [
  '/',
  '//',
  '\\',
  '.',
  '..',
  '...',
  '%',
  '%2',
  '%2e',
  '%2E',
  '%2f',
  '%5c',
  '%252e',
  '%25',
  '%00',
  '%0d%0a',
  '%c0%ae',
  '?',
  '#',
  '&',
  '=',
  '+',
  ';',
  ':',
  '@',
  '*',
  '~',
  '[',
  ']',
  '|',
  '^',
  '"',
  '<',
  '>',
  '{',
  '}',
  '`',
  "'",
  '$',
  ' ',
  '\t',
  '\r',
  '\n',
  '\0',
  '\x7f',
  '\x85',
  'a',
  'B',
  '0',
  '_db',
  '_system',
  '..;',
  'http:',
  'https://',
  'HTTP://evil.test/',
  '//evil.test',
  'javascript:',
  'data:',
  'file:///',
  'user:pw@',
  'evil.test',
  'ü',
  '日',
  '😀',
  '\ud800',
  '\udc00',
  '\u2024',
  '\uff0e',
  '\uff0f',
  '\u2028',
  '\ufeff',
  '\u202e',
];
/** Few pieces, so that complete traversals occur. */
const climbing = ['/', '/', '..', '..', '.', '%2e%2e', '.%2E', '%2f', '%5C', '\\', 'a', '?', '#'];
const nasty = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...climbing), { maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.webUrl() },
  { weight: 1, arbitrary: fc.webPath() },
);
const value = fc.oneof(
  nasty,
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.date(),
);
const query: fc.Arbitrary<Query | undefined> = fc.oneof(
  fc.constant(undefined),
  nasty,
  fc.dictionary(nasty, fc.oneof(value, fc.array(value, { maxLength: 3 })), { maxKeys: 3 }),
  fc.array(fc.tuple(nasty, nasty), { maxLength: 3 }).map((pairs) => new URLSearchParams(pairs)),
);
type Kind = readonly [make: (client: Client, text: string) => Route, path: (database: string, name: string) => string];
/** The ways to make a route of any text, and the path that it must not leave. */
const kinds: readonly Kind[] = [
  [(client, text) => client.route(text), (database) => `/_db/${database}`],
  [(client, text) => client.service('svc').route(text), (database) => `/_service/uds/_db/${database}/svc`],
  [(client, text) => client.service(text), (database, name) => `/_service/uds/_db/${database}/${name}`],
  [(client, text) => client.service(text, { global: true }), (_, name) => `/_service/uds/_global/${name}`],
  [(client, text) => client.absoluteRoute(text), () => ''],
  [(client, text) => client.absoluteRoute('_platform/svc').route(text), () => '/_platform/svc'],
];
const call = fc.record({
  kind: fc.constantFrom(...kinds),
  route: nasty,
  path: nasty,
  qs: query,
  absolutePath: fc.boolean(),
  database: fc.option(nasty, { nil: 'mydb' }),
});

/** The path as seen by a server that decodes first, then resolves dots and backslashes. */
function resolved(target: string): string[] {
  const [path = ''] = target.split('?');
  const segments: string[] = [];
  for (const segment of path
    .replace(/%2f|%5c/gi, '/')
    .replace(/%2e/gi, '.')
    .replaceAll('\\', '/')
    .split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  return segments;
}

describe.each(transports)('1 250 URLs over $name', (transport) => {
  let server: TestServer;
  let elsewhere: TestServer;
  beforeAll(async () => {
    server = await open(json({}));
    elsewhere = await open(json({}));
  });
  afterAll(() => Promise.all([server.close(), elsewhere.close()]));

  test('sends a request to the origin and below the base path of its connection, or rejects it', async () => {
    const counts = { sent: 0, refused: 0 };
    const port = server.url.split(':').at(-1);
    await fc.assert(
      fc.asyncProperty(call, async ({ kind: [make, pathOf], route, path, qs, absolutePath, database }) => {
        server.seen.length = 0;
        let R: Route;
        try {
          R = make(clientOf({ url: `${server.url}/base/x?key=1` }, transport).database(database), route);
        } catch (error) {
          expect(isInvalidArgumentError(error)).toBe(true);
          counts.refused++;
          return;
        }
        const outcome = await R.request({ path, qs, absolutePath, method: 'DELETE' }).catch((error: unknown) => error);
        if (isInvalidArgumentError(outcome)) {
          counts.refused++;
          expect(server.seen).toEqual([]);
          return;
        }
        expect(outcome).toMatchObject({ status: 200 });
        counts.sent++;
        expect(server.seen).toHaveLength(1);
        const { target, headers, method } = server.seen[0] ?? expect.fail();
        expect([method, headers.get('host')]).toEqual(['DELETE', [`127.0.0.1:${port}`]]);
        const own = absolutePath ? '' : pathOf(encodeURIComponent(database), encodeURIComponent(route.toWellFormed()));
        const base = `/base/x${own}`;
        expect(target.startsWith(base) && /^[/?]?$/.test(target.charAt(base.length))).toBe(true);
        const floor = /^\/base\/x(\/(_db|_service|uds|_global|_platform)(?=\/|$))*/.exec(base)?.[0].split('/') ?? [];
        expect(resolved(target).slice(0, floor.length)).toEqual(floor);
        expect(resolved(target).slice(0, resolved(base).length)).toEqual(resolved(base));
        // Nothing was cut or split: one path, then the connection's own query first.
        expect(target.split('?')[1]).toMatch(/^key=1(&|$)/);
        expect(target).toMatch(/^[^\0-\x20\x7f-\uffff#\\]*$/);
      }),
      runsOf(1_250),
    );
    // Both outcomes must be common, or the property would show little. About 310 are sent.
    expect(counts.sent).toBeGreaterThan(partOf(200));
    expect(counts.refused).toBeGreaterThan(partOf(200));
    expect(elsewhere.seen).toEqual([]);
  });

  test.each([
    '//HOST/x',
    'http://HOST/x',
    '/\\HOST/x',
    'http:HOST',
    '@HOST/',
    ':80@HOST/',
    '.HOST',
    '%2f%2fHOST',
    '?@HOST',
    '#@HOST',
  ])('sends nothing of %s to another origin that exists', async (template) => {
    const path = template.replace('HOST', elsewhere.url.replace('http://', ''));
    for (const absolutePath of [true, false]) {
      await clientOf(server, transport)
        .route()
        .request({ path, absolutePath })
        .catch((error: unknown) => {
          expect(isInvalidArgumentError(error)).toBe(true);
        });
    }
    expect(elsewhere.connections()).toBe(0);
  });
});
