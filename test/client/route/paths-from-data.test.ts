import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

/** A client whose fetch returns the requested path. */
function pathsOf() {
  const paths: string[] = [];
  const client = createClient({
    url: 'http://service.test',
    database: 'mydb',
    fetch: async (url) => {
      paths.push(url.slice('http://service.test/_db/mydb'.length));
      return Response.json({});
    },
  });
  return { client, paths, R: client.route('svc') };
}

describe('a path that is an array', () => {
  test.each([
    [['items', 'a/b?c#d%2F'], '/svc/items/a%2Fb%3Fc%23d%252F'],
    [['items', 7, 9007199254740993n], '/svc/items/7/9007199254740993'],
    [['日本', ' '], '/svc/%E6%97%A5%E6%9C%AC/%20'],
    [['%2e', '%2E%2E', '..x', '...'], '/svc/%252e/%252E%252E/..x/...'],
  ] as const)('%o: each element is one segment, fully encoded', async (path, sent) => {
    const { R, paths, client } = pathsOf();
    await R.get(path);
    await R.get(path, { q: 1 });
    await R.delete(path);
    await R.head(path);
    await R.request({ method: 'PUT', path, body: {} });
    await R.route(path).post({ a: 1 });
    await client.route(['svc']).route(path).get();
    expect(paths).toEqual([sent, `${sent}?q=1`, sent, sent, sent, sent, sent]);
  });

  test('is joined below any route, and with absolutePath below the base', async () => {
    const { client, paths } = pathsOf();
    await client.route('a/').route(['b c']).get('d/');
    await client.route(['tenants', 'x']).request({ absolutePath: true, path: ['_api', 'version'] });
    expect(paths[0]).toBe('/a/b%20c/d/');
    expect(paths[1]).not.toContain('tenants');
  });

  test.each([
    [[], 'path'],
    [['items', undefined], 'path[1]'],
    [['items', null], 'path[1]'],
    [['items', ''], 'path[1]'],
    [['items', Number.NaN], 'path[1]'],
    [['items', Number.POSITIVE_INFINITY], 'path[1]'],
    [['items', {}], 'path[1]'],
    [['items', ['x']], 'path[1]'],
    [['items', true], 'path[1]'],
    [['..'], 'path[0]'],
    [['.'], 'path[0]'],
    [['a/../b'], 'path[0]'],
    [['a\\..\\b'], 'path[0]'],
    [['a\0b'], 'path[0]'],
    [['\ud800'], 'path[0]'],
  ])('rejects %o and sends nothing: a DELETE must not hit the collection', async (given, field) => {
    const { R, paths, client } = pathsOf();
    const path = given as string[];
    for (const call of [() => R.delete(path), () => R.get(path), () => R.request({ path })]) {
      expect(await failureOf(call())).toMatchObject({ code: 'INVALID_ARGUMENT', field });
    }
    expect(() => client.route(path)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(paths).toEqual([]);
  });
});

describe('post, put and patch', () => {
  test.each(['post', 'put', 'patch'] as const)('%s: an array as first argument is the body', async (verb) => {
    const { R, paths } = pathsOf();
    await R[verb](['a', 'b']);
    await R[verb]([1, 2]);
    await R[verb]([{ a: 1 }], { q: 1 });
    await R[verb]([], { q: 1 });
    expect(paths).toEqual(['/svc', '/svc', '/svc?q=1', '/svc?q=1']);
  });

  test.each(['post', 'put', 'patch'] as const)(
    '%s: rejects strings or numbers with a second argument',
    async (verb) => {
      const { R, paths } = pathsOf();
      // @ts-expect-error it could be meant as a path
      const error = await failureOf(R[verb](['items', 'x'], { name: 'y' }));
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'arguments' });
      expect(error.message).toContain('request({ path })');
      // @ts-expect-error the same with numbers
      await failureOf(R[verb]([1, 2], 'q=1'));
      expect(paths).toEqual([]);
    },
  );
});

describe('a path that is text', () => {
  test.each([
    '..',
    'a/../b',
    '%2e%2e',
    '.%2E',
    '%252e%252e',
    '%25252e%25252e',
    '%2%35%32e',
    '..;x',
    '%2e%2e;jsessionid=1',
    '.;',
    '%c0%ae%c0%ae',
    '%C0%AE.',
    '%e0%80%ae.',
    '%f0%80%80%ae%2e',
    'a%2f..%2fb',
    'a%c0%af..',
    'a%c1%9c..',
    'a%5c..',
    'a%00',
    'a%2500',
    '%c0%80',
  ])('rejects %s: some server may take it for a dot segment or cut it', async (path) => {
    const { R, paths } = pathsOf();
    expect(await failureOf(R.get(path))).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'path' });
    expect(paths).toEqual([]);
  });

  test.each([
    ['a..b', '/svc/a..b'],
    ['...', '/svc/...'],
    ['a;..', '/svc/a;..'],
    ['50%', '/svc/50%25'],
    ['v1.2/%2E3', '/svc/v1.2/%2E3'],
    ['À®', '/svc/%C3%80%C2%AE'],
    ['%c1%a1..', '/svc/%c1%a1..'],
    ['items:batch', '/svc/items:batch'],
  ])('%s is a name', async (path, sent) => {
    const { R, paths } = pathsOf();
    await R.get(path);
    expect(paths).toEqual([sent]);
  });
});
