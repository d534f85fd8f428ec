import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { signInUrl } from '../../src/client/session/index.ts';
import { createPlatform, openPage, signInBySso } from './support.ts';

const evil = 'evil.test';
const hosts = ['evil.test', 'evil.test/a?b=1', 'user@evil.test:8529', 'evil.test%2Fa', 'mock.test@evil.test/'];
const ways = [
  ...['//', '///', '/\\', '\\\\', '\\/', '/.//', '/..//', '/./\\', '/././/', './/', '..//', '/a/..//', '/a/.././/'],
  ...['/%2e//', '/%2E%2e//', '/.%2e//', '/a/%2e%2e//', '/%252e%252e//', '/%2e%2f/', '/..%2f/', '/..;//', '/..;a=b//'],
  ...['/%2f', '/%2F/', '//%2f', '/%252f', '/%25252F', '/%5c', '/%5C/', '/%255c', '/;/', '/;a=b/', '/;%2f', '/%3b/'],
  ...['/\t/', '/\n/', '/\r\n/', '\t//', '\n//', ' //', '\0//', '/%09/', '/%0a/', '/%0d%0a/', '/%00/', '/\x7f/'],
  ...[
    '/app//',
    '/app/%2f',
    '/app/%5c',
    '/app/;/',
    '/app/.//',
    '/app/%2e//',
    '/／',
    '/＼',
    '／／',
    '/．/／',
    '/%ef%bc%8f',
  ],
  ...[
    'http:',
    'http://',
    'http:\\\\',
    'https:',
    'https:/',
    'https://',
    'HTTPS:\\/',
    'ftp://',
    'ws://',
    'http://mock.test@',
  ],
  ...['http://mock.test.', 'http://mock.test:80//', 'http://mock.test/.//', 'http://mock.test\\@', '//mock.test//'],
];
const hostile = [
  ...ways.flatMap((way) => hosts.map((host) => way + host)),
  ...['javascript:alert(1)//', 'data:text/html,', 'vbscript:', 'file://', 'about:blank#', 'view-source:'].map(
    (way) => `${way}http://evil.test/`,
  ),
  ...['blob:http://mock.test/', 'blob:http://evil.test/', 'filesystem:http://mock.test/'].map(
    (way) => `${way}evil.test`,
  ),
  ...['/_logout', '/%5flogout', '/%255Flogout', '_logout', '/_LOGOUT', '/_logout/', '/_logout;a', '/./_logout'].map(
    (path) => `${path}?location=http://evil.test`,
  ),
  '/_integration/authn/v1/logout?location=//evil.test',
  '/oauth2/idpresponse?code=mallory',
];

/** The URL as a browser would normalize it without any check. */
const unchecked = (returnTo: string): string => new URL(`http://mock.test${returnTo}`).href;
const hostsOf = (locations: readonly string[]): string[] => [...new Set(locations.map((one) => new URL(one).host))];

/** Accepted targets, as their paths. */
function accepted(origin: string): string[] {
  return hostile.flatMap((returnTo) => {
    try {
      return [signInUrl(returnTo, origin)];
    } catch (error) {
      expect(error).toMatchObject({ field: 'returnTo', code: 'INVALID_ARGUMENT' });
      return [];
    }
  });
}

/**
 * A router that does not merge slashes. It removes the prefix `/app`, and redirects to the rest with a slash added, as
 * frameworks do; decoded if `decodes`.
 */
async function startRouter(decodes: boolean): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const [path = '', query = ''] = url.replace(/^\/app/, '').split('?');
    try {
      const read = (decodes ? decodeURIComponent(path) : path).replace(/;[^/]*/g, '');
      if (read.endsWith('/')) return void response.end();
      response.writeHead(307, { location: `${read}/${query && `?${query}`}` }).end();
    } catch {
      response.writeHead(400).end();
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  // The cast: a server that listens on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Follows the redirects of an origin as a browser does, and returns all URLs on the way. */
async function follow(start: string): Promise<string[]> {
  const seen = [start];
  for (let url = start; new URL(url).host === new URL(start).host && seen.length < 9; ) {
    const response = await fetch(url, { redirect: 'manual' });
    const location = response.headers.get('location');
    await response.body?.cancel();
    if (location === null || !URL.canParse(location, url)) break;
    url = new URL(location, url).href;
    seen.push(url);
  }
  return seen;
}

describe('signInUrl', () => {
  test('leads to paths and URLs of the gateway', () => {
    expect(signInUrl('/a', 'https://gw.test:8529/x')).toBe('https://gw.test:8529/a');
    expect(signInUrl(new URL('https://gw.test/a?b=1#c'), 'https://gw.test')).toBe('https://gw.test/a?b=1');
    expect(signInUrl('a', new URL('https://gw.test/x/'))).toBe('https://gw.test/a');
  });

  test.each([
    ['/', '/'],
    ['', '/'],
    ['?next=//evil.test\\..', '/?next=//evil.test%5C..'],
    ['/a?next=https://evil.test/../b#//c', '/a?next=https://evil.test/../b'],
    ['/orders/2026-11-23T08:00:00Z/', '/orders/2026-11-23T08:00:00Z/'],
    ['/.well-known/a..b/...', '/.well-known/a..b/...'],
    ['/Käse%20und%2FWein/100%25', '/K%C3%A4se%20und%2FWein/100%25'],
    ['/a;v=1,2/b', '/a%3Bv=1%2C2/b'],
    ['/_service/uds/_db/shop/orders/?a=%00', '/_service/uds/_db/shop/orders/?a=%00'],
    ['/100%', '/100%'],
    ['/_logouts', '/_logouts'],
    ['/oauth2/settings', '/oauth2/settings'],
    ['https://user:pw@gw.test/a', '/a'],
    ['HTTPS://GW.test/a', '/a'],
  ])('leads %s to %s', (returnTo, path) => {
    expect(signInUrl(returnTo, 'https://gw.test')).toBe(`https://gw.test${path}`);
  });

  test.each([
    ...['https://evil.test/', 'http://gw.test/', 'http://[', 'https://gw.test:8529/', 'blob:https://gw.test/a'],
    ...['//evil.test/a', '//gw.test/a', '/a//b', '/\\evil.test', '/a\\b', 'javascript:alert(1)', 'ws://gw.test/'],
    ...[
      '/a/../b',
      '/a/./b',
      '.',
      '..',
      '/%2e%2E/a',
      '/%252e/a',
      '/a\tb',
      '/a%0Ab',
      '/a%85b',
      '/a%C2%85b',
      '/%C0%AF',
      ...[
        '/;／evil.test',
        '/；／evil.test',
        '/;a＼evil.test',
        '/;x/‥/a',
        '/％2f％2fevil.test',
        '/a;％5cb',
        '/；/／evil.test',
      ],
      ...['/%EF%BC%9B/evil.test', '/;%EF%BC%8Fevil.test', '/．．/a', '/＿logout'],
      '/a%25%252F/b',
    ],
    ...['/_logout', '/_login', '/_identity', '/_open/auth', '/_integration/a', '/oauth2/idpresponse', '/%255flogout?a'],
  ])('refuses %j', (returnTo) => {
    expect(() => signInUrl(returnTo, 'https://gw.test')).toThrow(
      expect.objectContaining({ field: 'returnTo', code: 'INVALID_ARGUMENT' }),
    );
  });

  test.each([
    'ftp://gw.test',
    'ws://gw.test',
    'blob:https://gw.test/a',
    'about:blank',
    'xhttp://gw.test',
    'httpx://gw.test',
    'file:///a',
    '/a',
    'gw.test:8529',
  ])('refuses the gateway %s', (url) => {
    expect(() => signInUrl('/a', url)).toThrow(expect.objectContaining({ field: 'url', code: 'INVALID_ARGUMENT' }));
  });

  test('names the argument that is not valid, and what is accepted', () => {
    expect(() => signInUrl('/a', 'ftp://gw.test')).toThrow('url: expected the URL of the gateway (http or https)');
    expect(() => signInUrl('//a.test', 'http://gw.test')).toThrow(
      'returnTo: expected a path or a URL at http://gw.test',
    );
    expect(() => signInUrl('/a//b', 'http://gw.test')).toThrow('returnTo: expected no //, \\, . or .. segments');
    expect(signInUrl('http://gw.test/a', 'http://gw.test')).toBe('http://gw.test/a');
    expect(() => signInUrl('/a/https://gw.test/b', 'https://gw.test')).toThrow('returnTo');
  });

  test('reads at most eight layers of escapes, so that a long target takes linear time', () => {
    const nested = (layers: number) => `/%${'25'.repeat(layers)}41`;
    expect(signInUrl(nested(5), 'https://gw.test')).toBe(`https://gw.test${nested(5)}`);
    expect(() => signInUrl(nested(9), 'https://gw.test')).toThrow(expect.objectContaining({ field: 'returnTo' }));
    expect(() => signInUrl(nested(200_000), 'https://gw.test')).toThrow('returnTo');
  });

  test('needs the URL of a gateway outside of a page', () => {
    expect(() => signInUrl('/a')).toThrow(expect.objectContaining({ field: 'url' }));
    vi.stubGlobal('location', undefined);
    expect(() => signInUrl('/a')).toThrow(expect.objectContaining({ field: 'url' }));
    vi.unstubAllGlobals();
  });
});

describe(`${hostile.length} hostile targets`, () => {
  test('lead back to the gateway when they are followed; without the check some would not', async () => {
    expect(hostile.length).toBeGreaterThan(200);
    const page = openPage(await createPlatform('SSO'));
    const back = async (url: string) => {
      const path = url.slice('http://mock.test'.length);
      return new URL((await signInBySso(page, path, 'alice')) ?? '/', 'http://mock.test').href;
    };
    for (const url of accepted('http://mock.test')) {
      page.jar.clear();
      expect(new URL(url).origin).toBe('http://mock.test');
      expect(new URL(await back(url)).origin).toBe('http://mock.test');
    }
    for (const one of ['//evil.test', '/.//evil.test', '/%2e//evil.test']) {
      page.jar.clear();
      expect(new URL(await back(unchecked(one))).host).toBe(evil);
    }
  });

  test.each([false, true])('stay at a router that does not merge slashes (decoding: %s)', async (decodes) => {
    const origin = await startRouter(decodes);
    const own = new URL(origin).host;
    for (const url of accepted(origin)) expect([url, hostsOf(await follow(url))]).toEqual([url, [own]]);
    const left = hostile
      .filter((one) => one.startsWith('/'))
      .map((one) => origin + one)
      .filter((url) => URL.canParse(url) && new URL(url).host === own);
    const reached: string[][] = [];
    for (const url of left) reached.push(hostsOf(await follow(url).catch(() => [url])));
    expect(reached.filter((seen) => seen.includes(evil)).length).toBeGreaterThan(20);
  });
});
