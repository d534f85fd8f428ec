import { describe, expect, test } from 'vitest';
import { findOperation } from '../../../src/base/openapi-document/find-operation.ts';
import { readOperations } from '../../../src/base/openapi-document/operations.ts';
import { sentSegments } from '../../../src/base/openapi-document/sent-path.ts';

const needs = (resource: string, action = 'a:read') => ({ 'x-permission': { action, resource } });
const open = { 'x-permission': 'public' };

/** What a request needs, with the operation that it is for, or why it is denied. */
function judge(paths: object, url: string, method = 'GET'): string {
  const found = findOperation(readOperations({ paths }), method, sentSegments(url, []) ?? []);
  if (typeof found === 'string') return found;
  const { operation, values, needs } = found;
  const given = [...values].map(([name, value]) => `${name}=${value}`);
  return [operation.method, operation.path, ...given, '→', ...needs.map(({ resource }) => resource)].join(' ');
}

const nearly = 'the path nearly matches another operation';
const orders = {
  '/orders/export': { get: needs('export') },
  '/orders/{id}': { get: needs('order:{id:text}'), delete: needs('order:{id:text}'), post: {} },
  '/files/{name}.txt': { get: open },
  '/files/{name}': { get: needs('file:{name:text}'), post: open },
};

describe('the operation of a request', () => {
  test.each([
    ['GET', '/orders/7', 'get /orders/{id} id=7 → order:7'],
    ['get', '/orders/export', 'get /orders/export → export'],
    ['GET', '/files/a.txt', 'get /files/{name}.txt name=a →'],
    ['GET', '/files/a.md', 'get /files/{name} name=a.md → file:a.md'],
    ['GET', '/files/a%2Etxt', nearly],
    ['POST', '/files/a%2Etxt', nearly],
    ['GET', '/files/a.%74xt', nearly],
    ['GET', '/files/a.TXT', nearly],
    ['GET', '/orders/%65xport', nearly],
    ['GET', '/orders/EXPORT', nearly],
    ['DELETE', '/orders/EXPORT', nearly],
    ['GET', '/Orders/7', nearly],
    ['GET', '/orders/7/', nearly],
    ['GET', '/nothing', 'no path of the document matches'],
    ['PUT', '/orders/7', 'the path has no operation of this method'],
    ['DELETE', '/orders/export', 'the path has no operation of this method'],
    ['POST', '/orders/7', 'the operation has no x-permission'],
    ['GET', '/orders/a:b', 'the parameter id could reach another resource'],
    ['HEAD', '/orders/7', 'get /orders/{id} id=7 → order:7'],
    ['HEAD', '/orders/export', 'get /orders/export → export order:export'],
    ['HEAD', '/files/a.txt', 'get /files/{name}.txt name=a → file:a.txt'],
    ['HEAD', '/files/a:b.txt', 'the parameter name could reach another resource'],
  ])('%s %s: %s', (method, url, expected) => {
    expect(judge(orders, url, method)).toBe(expected);
  });
});

describe('paths of which one request may mean either', () => {
  const typed = (schema: object) => ({
    get: { ...needs('o:{id}'), parameters: [{ in: 'path', name: 'id', schema }] },
  });
  const crossing = (one: object, other: object) => ({ '/a/{x}': { get: one }, '/{y}/b': { get: other } });

  test.each([
    ['public both', crossing(open, open), '/a/b', 'get /a/{x} x=b →'],
    ['public one', crossing(open, needs('r')), '/a/b', nearly],
    ['public the other', crossing(needs('r'), open), '/a/b', nearly],
    ['the same fixed resource', crossing(needs('r'), needs('r')), '/a/b', 'get /a/{x} x=b → r'],
    ['another action', crossing(needs('r'), needs('r', 'a:write')), '/a/b', nearly],
    ['another resource', crossing(needs('r'), needs('s')), '/a/b', nearly],
    ['without x-permission', crossing(needs('r'), {}), '/a/b', nearly],
    ['without x-permission both', crossing({}, {}), '/a/b', 'the operation has no x-permission'],
    [
      'the same resource with parameters of other places',
      { '/a/{x}': { get: needs('r:{x:text}') }, '/{x}/b': { get: needs('r:{x:text}') } },
      '/a/b',
      nearly,
    ],
    ['another method', { '/a/{x}': { get: needs('r') }, '/{y}/b': { post: needs('s') } }, '/a/b', 'get /a/{x} x=b → r'],
    [
      'a slash at the end and the same resource',
      { '/o/{id}': { get: needs('o:{id:text}') }, '/o/{id}/': { get: needs('o:{id:text}') } },
      '/o/7/',
      'get /o/{id}/ id=7 → o:7',
    ],
    [
      'case and the same resource',
      { '/o/{id}/X': { get: needs('o:{id:text}') }, '/O/{id}/x': { get: needs('o:{id:text}') } },
      '/O/7/x',
      'get /O/{id}/x id=7 → o:7',
    ],
    [
      'case, the same resource, and a stricter type',
      {
        '/o/{id}': typed({ type: 'string' }),
        '/O/{id}': typed({ type: 'integer' }),
      },
      '/o/07',
      'the parameter id is not in the one spelling of its type',
    ],
    [
      'a slash inside and the same resource',
      { '/o/x/{id}': { get: needs('o:{id:text}') }, '/ox/{id}': { get: needs('o:{id:text}') } },
      '/ox/7',
      'get /ox/{id} id=7 → o:7',
    ],
  ])('%s', (_, paths, url, expected) => {
    expect(judge(paths, url)).toBe(expected);
  });
});
