import { describe, expect, it } from 'vitest';
import { byCodePoint } from '../../../src/base/lib/code-points.js';
import { createRouter, type Router } from '../../../src/mock/server/router.js';

function find(router: Router<string>, method: string, path: string) {
  return router.find(method, path, () => path.slice(1).split('/'));
}

describe('the table of endpoints', () => {
  it('prefers text to a name and a name to a wildcard, and backtracks', () => {
    const router = createRouter<string>();
    router.add('GET', '/a/*', 'rest');
    router.add('GET', '/a/:x', 'name');
    router.add('GET', '/a/b', 'text');
    router.add('GET', '/a/:x/c', 'name c');
    router.add('GET', '/a/b/d', 'text d');
    const targets = ['/a/b', '/a/z', '/a/b/c', '/a/b/d', '/a/b/e', '/a', '/a/', '/b'].map(
      (path) => find(router, 'GET', path).target,
    );
    expect(targets).toEqual(['text', 'name', 'name c', 'text d', 'rest', 'rest', 'name', undefined]);
    expect(find(router, 'GET', '/a/b/c').params).toEqual({ x: 'b' });
    expect(find(router, 'GET', '/a/b/e/f').params).toEqual({ '*': 'b/e/f' });
  });

  it('searches once for the same request, until a route is added or removed', () => {
    const router = createRouter<string>();
    router.add('GET', '/a/:x', 'one');
    let splits = 0;
    const look = (method: string, path: string, segments = path.slice(1).split('/')) =>
      router.find(method, path, () => {
        splits++;
        return segments;
      }).target;
    expect([look('GET', '/a/b'), look('GET', '/a/b'), splits]).toEqual(['one', 'one', 1]);
    expect([look('PUT', '/a/b'), look('GET', '/a/c'), look('GET', '/b/c')]).toEqual([undefined, 'one', undefined]);
    const undo = router.add('GET', '/b/:x', 'two');
    expect(look('GET', '/b/c')).toBe('two');
    undo();
    expect(look('GET', '/b/c')).toBe(undefined);
    // Callers decode an escape differently.
    expect([look('GET', '/a/%2f', ['a', '/']), look('GET', '/a/%2f', [])]).toEqual(['one', undefined]);
  });

  it('reads a name in braces as one after a colon', () => {
    const router = createRouter<string>();
    router.add('GET', '/a/{x}', 'braces');
    expect(find(router, 'GET', '/a/b')).toMatchObject({ target: 'braces', params: { x: 'b' } });
    const undo = router.add('GET', '/a/:x', 'colon');
    expect(find(router, 'GET', '/a/b').target).toBe('colon');
    undo();
    expect(find(router, 'GET', '/a/b').target).toBe('braces');
    router.add('GET', '/b/{x}.txt', 'text');
    expect(find(router, 'GET', '/b/{x}.txt').target).toBe('text');
  });

  it('distinguishes an unknown method from an unknown path', () => {
    const router = createRouter<string>();
    const undo = router.add('GET', '/a/:x', 'get');
    expect(find(router, 'POST', '/a/b')).toMatchObject({ target: undefined, known: true });
    expect(find(router, 'POST', '/a')).toMatchObject({ target: undefined, known: false });
    undo();
    expect(find(router, 'POST', '/a/b')).toMatchObject({ target: undefined, known: false });
  });

  it('serves the last registration, and restores the one before in any order of removal', () => {
    const router = createRouter<string>();
    const [first, second, third] = ['1', '2', '3'].map((target) => router.add('GET', '/a', target));
    expect(find(router, 'GET', '/a').target).toBe('3');
    second?.();
    expect(find(router, 'GET', '/a').target).toBe('3');
    third?.();
    third?.();
    expect(find(router, 'GET', '/a').target).toBe('1');
    first?.();
    expect(find(router, 'GET', '/a').target).toBeUndefined();
  });

  it('accepts any method for `*`, and names of Object.prototype', () => {
    const router = createRouter<string>();
    router.add('*', '/:__proto__/:constructor', 'any');
    const { target, params } = find(router, 'PURGE', '/toString/__proto__');
    expect([target, Object.entries(params)]).toEqual([
      'any',
      [
        ['__proto__', 'toString'],
        ['constructor', '__proto__'],
      ],
    ]);
    expect(find(router, 'GET', '/constructor').known).toBe(false);
  });

  it.each(['a', '/a/:', '/a*/b', '/*/b', '/:a-b'])('refuses the pattern %s', (pattern) => {
    expect(() => createRouter<string>().add('GET', pattern, 'x')).toThrow(/expected/);
  });

  it('is fast for a path of a million segments', () => {
    const router = createRouter<string>();
    router.add('GET', '/a/:x/b', 'x');
    expect(find(router, 'GET', '/a'.repeat(1_000_000)).target).toBeUndefined();
  });
});

it('names are ordered by code point, as the bytes of UTF-8 are', () => {
  const names = ['\u{1F600}', '\uFFFD', 'b', 'a', 'aa', '\uD7FF', '', 'B', '\uE000', '\u{10000}'];
  const bytes = (text: string) => Buffer.from(text);
  expect([...names].sort(byCodePoint)).toEqual([...names].sort((a, b) => Buffer.compare(bytes(a), bytes(b))));
});
