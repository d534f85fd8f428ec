import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Guard, guardOperation } from '../../../src/enforce/guard/index.ts';
import { isInvalidArgumentError } from '../../../src/index.ts';
import orders from '../../client/openapi/documents/orders.json' with { type: 'json' };
import { guardOf } from '../../support/guards.ts';
import { partOf, runsOf } from '../../support/thorough.ts';

/** The document, with any text as the id of an order. */
const document = JSON.parse(JSON.stringify(orders).replaceAll('order:{id}', 'order:{id:text}'));

/** A guard that allows everything, and the questions that it was asked. */
function recordingGuard() {
  const asked: string[] = [];
  const check: Guard['check'] = async (_, { action, resource }) => {
    asked.push(`${action} ${resource}`);
    return { allowed: true, status: 200, token: 'token' };
  };
  return { guard: guardOf(check), asked };
}

/** The question that a request leads to; `public`, or the reason of a denial. */
async function questionOf(url: string, method = 'GET', basePath?: string): Promise<string> {
  const { guard, asked } = recordingGuard();
  const access = await guardOperation(guard, document, { basePath })({ headers: {}, method, url });
  if (!access.allowed) {
    expect([access.status, access.response.status, asked]).toEqual([403, 403, []]);
    return 'denied';
  }
  return asked[0] ?? 'public';
}

describe('the operation of a request', () => {
  test.each([
    ['GET', '/orders', 'orders:list orders'],
    ['get', '/orders?state=open#x', 'orders:list orders'],
    ['HEAD', '/orders', 'orders:list orders'],
    ['POST', '/orders', 'orders:create orders'],
    ['GET', '/orders/7', 'orders:read order:7'],
    ['DELETE', '/orders/7', 'orders:delete order:7'],
    ['GET', '/orders/export', 'orders:export orders'],
    ['GET', '/orders/7/note', 'orders:read order:7'],
    ['PUT', '/orders/7/note', 'orders:write order:7'],
    ['GET', '/health', 'public'],
    ['GET', '/reports/may.json', 'reports:read report:may'],
    ['GET', '/files/a%3Ab', 'files:read file:a:b'],
    ['GET', 'http://service.test/orders/7', 'orders:read order:7'],
    ['GET', 'HTTPS://service.test:8529/orders/7?next=/x', 'orders:read order:7'],
    // Decoded once.
    ['GET', '/orders/%37', 'orders:read order:7'],
    ['GET', '/orders/%2537', 'orders:read order:%37'],
    ['GET', '/orders/%252F', 'orders:read order:%2F'],
    ['GET', '/orders/%252e%252e', 'orders:read order:%2e%2e'],
    ['GET', '/orders/%C3%BC%20x', 'orders:read order:ü x'],
    ['GET', '/orders/a+b', 'orders:read order:a+b'],
    ['GET', '/orders/*', 'orders:read order:*'],
  ])('%s %s needs %s', async (method, url, question) => {
    expect(await questionOf(url, method)).toBe(question);
  });

  test.each([
    ['no match', '/'],
    ['no match', ''],
    ['no match', '/other'],
    ['no match', '/orders/7/notes'],
    ['no match', '/orders/7/note/more'],
    ['no path', '*'],
    ['no path', 'orders/7'],
    ['an empty segment', '//orders/7'],
    ['an empty segment', '/orders//7'],
    ['an empty segment', '/orders/'],
    ['an empty segment', '/orders/7/'],
    ['an empty segment', '/orders/7//note'],
    ['a dot', '/orders/.'],
    ['a dot', '/./orders/7'],
    ['a dot', '/orders/%2e'],
    ['two dots', '/orders/../orders'],
    ['two dots', '/orders/7/../8'],
    ['two dots', '/orders/%2E%2e'],
    ['two dots', '/orders/.%2e/orders'],
    ['two dots before a ;', '/orders/..;a'],
    ['two dots behind a backslash', '/orders/a%5C..'],
    ['a backslash', '/orders\\7'],
    ['a backslash', '/orders/a\\..\\b'],
    ['an encoded slash', '/orders/7%2Fnote'],
    ['an encoded slash', '/orders%2f7'],
    ['undecodable', '/orders/%'],
    ['undecodable', '/orders/%E0%A4%A'],
    ['undecodable', '/orders/%c0%ae%c0%ae'],
    ['a control character', '/orders/7%00'],
    ['a control character', '/orders/7%0A'],
    ['a raw control character', '/orders/7\n'],
    ['a raw fragment', '/orders/7#/8'],
    ['beyond ASCII', '/orders/ü'],
    ['a raw space', '/orders/a b'],
    ['a colon', '/orders/7:secret'],
    ['a colon', '/orders/7%3Asecret'],
    ['a colon', '/orders/%3A'],
    ['an empty parameter', '/reports/.json'],
    ['a user in the URL', 'http://service.test@evil.test'],
    ['another scheme', 'ftp://service.test/orders/7'],
    // Routers differ on these: one would run orders/export, another one orders/{id}.
    ['another case of a longer match', '/orders/EXPORT'],
    ['another encoding of a longer match', '/orders/exp%6Frt'],
    ['another case', '/Orders/7'],
    ['another encoding', '/%6Frders/7'],
  ])('is denied for %s: %s', async (_, url) => {
    expect(await questionOf(url)).toBe('denied');
  });

  test.each([
    ['no such method', 'PUT', '/orders/7'],
    ['TRACE', 'TRACE', '/orders'],
    ['no method', '', '/orders'],
    ['the method of a less specific path', 'DELETE', '/orders/export'],
    ['no x-permission', 'GET', '/tenants'],
    ['HEAD without a GET', 'HEAD', '/login'],
    ['a name of the prototype', 'constructor', '/orders'],
  ])('is denied for %s: %s %s', async (_, method, url) => {
    expect(await questionOf(url, method)).toBe('denied');
  });

  test('ignores headers that override the method', async () => {
    const { guard, asked } = recordingGuard();
    const headers = { 'x-http-method-override': 'GET', 'x-method-override': 'GET', 'x-http-method': 'GET' };
    await guardOperation(guard, document)({ headers, method: 'DELETE', url: '/orders/7?_method=GET' });
    expect(asked).toEqual(['orders:delete order:7']);
  });
});

describe('basePath', () => {
  const base = '/_service/uds/_db/my%20shop/orders';
  test.each([
    [`${base}/orders/7`, 'orders:read order:7'],
    [`http://db.test${base}/orders?x=1`, 'orders:list orders'],
    [base, 'denied'],
    [`${base}/`, 'denied'],
    ['/orders/7', 'denied'],
    [`${base}x/orders/7`, 'denied'],
    [`/x${base}/orders/7`, 'denied'],
    ['/_service/uds/_db/my shop/orders/orders/7', 'denied'],
    [`${base}/../orders/7`, 'denied'],
  ])('%s: %s', async (url, question) => {
    expect(await questionOf(url, 'GET', base)).toBe(question);
  });

  test.each(['api', '/api/', '/', '//api', '/api/../x', '/api?x', '/a%2Fb', '/ä', 7])('is refused: %j', (basePath) => {
    const { guard } = recordingGuard();
    expect(() => guardOperation(guard, document, { basePath: basePath as string })).toThrow(/basePath/);
  });
});

describe('a request', () => {
  test('has method and URL', async () => {
    const check = guardOperation(recordingGuard().guard, document);
    for (const request of [new Headers(), { headers: {} }, { headers: {}, method: 'GET' }, null, 'GET /orders']) {
      const error: unknown = await check(request as Request).catch((thrown: unknown) => thrown);
      expect(isInvalidArgumentError(error) && error.field).toBe('request');
    }
  });

  test('learns its operation and the decoded parameters', async () => {
    const access = await guardOperation(
      recordingGuard().guard,
      document,
    )(new Request('http://a.test/orders/%C3%BC/note'));
    expect(access.operation).toEqual({ method: 'get', path: '/orders/{id}/note', parameters: { id: 'ü' } });
    expect([access.allowed, access.token, Object.keys(access).includes('token')]).toEqual([true, 'token', true]);
  });
});

/** What a careful service would do with a path: split it, decode each segment once, and compare. */
function covered(url: string): string[] {
  const segments = url.split('?')[0]?.split('/').slice(1) ?? [];
  try {
    const [first, id, ...rest] = segments.map(decodeURIComponent);
    return first === 'orders' && id !== undefined && rest.length <= 1 ? [`order:${id}`, 'orders'] : ['orders'];
  } catch {
    return [];
  }
}

test('10 000 random requests reach no resource that the template does not cover', async () => {
  const { guard, asked } = recordingGuard();
  const check = guardOperation(guard, document);
  const piece = fc.oneof(
    fc.constantFrom('orders', 'export', 'note', 'invoice', '7', 'EXPORT', 'files', 'health'),
    fc.constantFrom('/', '//', '.', '..', '%2e', '%2F', '%5C', '\\', ':', '%3A', ';', '%', '%25', '?', '#', '%00', '*'),
    fc.string({ maxLength: 4 }),
    fc.string({ unit: 'binary', maxLength: 3 }).map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const path = fc.tuple(fc.constantFrom('/orders/', '/orders/7', '/', '/orders'), fc.array(piece, { maxLength: 6 }));
  const methods = fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'POST');
  let reached = 0;
  await fc.assert(
    fc.asyncProperty(path, methods, async ([start, pieces], method) => {
      const url = start + pieces.join('');
      asked.length = 0;
      const access = await check({ headers: {}, method, url });
      const [question] = asked;
      if (question === undefined) {
        if (access.allowed) expect(url).toMatch(/^\/health(\?|$)/);
        return;
      }
      reached += 1;
      const resource = question.slice(question.indexOf(' ') + 1);
      if (resource.startsWith('file:')) return;
      // Exactly one segment of the template's kind, as it was sent.
      expect(resource === 'orders' || /^order:[^:/\p{Cc}]+$/u.test(resource)).toBe(true);
      expect(covered(url)).toContain(resource);
      expect(resource).not.toMatch(/^order:\.{1,2}$/);
    }),
    runsOf(10_000),
  );
  expect(reached).toBeGreaterThan(partOf(300));
});
