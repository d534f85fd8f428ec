import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { type PaginateOptions, paginate } from '../../../src/client/stream/index.ts';
import { createClient, isInvalidArgumentError, type Route } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { partOf, runsOf } from '../../support/thorough.ts';

const url = 'http://service.test/base';
const Page = z.object({ items: z.array(z.number()), cursor: z.string().optional(), next: z.string().optional() });

/** A client of seven numbers, and the paths that it was asked for. */
function listing(body: (params: URLSearchParams) => z.infer<typeof Page>) {
  const paths: string[] = [];
  const client = createClient({
    url,
    database: 'shop',
    fetch: async (asked) => {
      const { pathname, search, searchParams } = new URL(asked);
      paths.push(pathname.replace('/base', '') + search);
      return Response.json(body(searchParams));
    },
  });
  return { client, paths };
}

async function itemsOf(pages: AsyncIterable<{ readonly body: z.infer<typeof Page> }>): Promise<number[]> {
  const items: number[] = [];
  for await (const { body } of pages) items.push(...body.items);
  return items;
}

const numbers = [1, 2, 3, 4, 5, 6, 7];
const slice = (params: URLSearchParams) => {
  const [at, limit] = [Number(params.get('offset') ?? 0), Number(params.get('limit'))];
  return { at: at + limit, items: numbers.slice(at, at + limit), hasMore: at + limit < numbers.length };
};

describe.each<readonly [kind: string, make: (client: ReturnType<typeof createClient>) => Route, path: string]>([
  ['route', (client) => client.route('orders'), '/_db/shop/orders'],
  ['service', (client) => client.service('orders'), '/_service/uds/_db/shop/orders'],
  ['absoluteRoute', (client) => client.absoluteRoute('_platform/orders/'), '/_platform/orders'],
])('paginate over %s', (_kind, make, path) => {
  test('follows offsets, and requests each page when the loop reaches it', async () => {
    const { client, paths } = listing((params) => ({ items: slice(params).items }));
    let offset = 0;
    const pages = paginate(make(client).with({ schema: Page }), {
      path: 'open',
      query: { limit: 3, tag: ['a', 'b'] },
      next: ({ body, status }) => {
        expectTypeOf(body).toEqualTypeOf<z.infer<typeof Page>>();
        expect(status).toBe(200);
        offset += body.items.length;
        return body.items.length === 3 ? { offset } : undefined;
      },
    });
    expect(paths).toEqual([]);
    const seen = [(await pages.next()).value?.body.items];
    expect(paths).toHaveLength(1);
    for await (const { body } of pages) seen.push(body.items);
    expect(seen).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    const query = 'limit=3&tag=a&tag=b';
    expect(paths).toEqual([
      `${path}/open?${query}`,
      `${path}/open?${query}&offset=3`,
      `${path}/open?${query}&offset=6`,
    ]);
  });

  test('follows a cursor', async () => {
    const { client } = listing((params) => {
      const at = Number(params.get('cursor')?.replace('c/', '') ?? 0);
      return { items: numbers.slice(at, at + 3), ...(at + 3 < 7 && { cursor: `c/${at + 3}` }) };
    });
    const pages = paginate(make(client).with({ schema: Page }), {
      next: ({ body }) => body.cursor && new URLSearchParams({ cursor: body.cursor }),
    });
    expect(await itemsOf(pages)).toEqual(numbers);
  });

  test.each<readonly [kind: string, link: (query: string) => string]>([
    ['a query', (query) => query],
    ['a relative path', (query) => `./open${query}`],
    ['an absolute path', (query) => `/base${path}/open${query}#part`],
    ['a URL', (query) => `${url}${path}/open${query}`],
  ])('follows a link that is %s', async (_what, link) => {
    const { client, paths } = listing((params) => {
      const { at, items, hasMore } = slice(params);
      return { items, ...(hasMore && { next: link(`?limit=3&offset=${at}`) }) };
    });
    const pages = paginate(make(client).with({ schema: Page }), {
      path: 'open',
      query: { limit: 3 },
      next: ({ body }) => body.next,
    });
    expect(await itemsOf(pages)).toEqual(numbers);
    expect(paths).toEqual(['limit=3', 'limit=3&offset=3', 'limit=3&offset=6'].map((query) => `${path}/open?${query}`));
  });

  test.each([
    'http://evil.test/x',
    '//evil.test/x',
    'https://service.test/base/_db/shop/orders',
    `http://user@service.test/base${path}`,
    '/',
    '/base/_api/version',
    `/base${path}x`,
    `/base${path}/../other`,
    `/base${path}/%2e%2e/other`,
    `/base${path}/%252e%252e/other`,
    `/base${path}/..;/other`,
    `/base${path}/a%2f..%2f..%2fother`,
    `/base${path}//x`,
    '../../..',
    '\\\\evil.test',
    'a\nb',
    'javascript:alert(1)',
    'http://[',
  ])('the link %j is refused, and nothing is sent', async (next) => {
    const { client, paths } = listing(() => ({ items: [1], next }));
    const error = await failureOf(
      itemsOf(paginate(make(client).with({ schema: Page }), { next: ({ body }) => body.next })),
    );
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).not.toMatch(/evil|version|other/);
    expect(paths).toHaveLength(1);
  });
});

test('any link: a request stays below the route, or is refused', async () => {
  const pieces = [
    '/',
    '..',
    '.',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5c',
    '\\',
    '//',
    '?',
    '#',
    '@',
    ':',
    'http:',
    'http://evil.test',
  ];
  const names = [
    'base',
    '_db',
    'shop',
    'orders',
    'orders2',
    '_api',
    'ü',
    '%25',
    '%00',
    ';',
    ' ',
    '\n',
    'a=1',
    '%c0%ae',
  ];
  const bases = ['', '/base/_db/shop/orders', '/base/_db/shop/orders/', `${url}/_db/shop/orders`];
  const link = fc
    .tuple(fc.constantFrom(...bases), fc.array(fc.constantFrom(...pieces, ...names), { maxLength: 6 }))
    .map(([base, parts]) => base + parts.join(''))
    .filter((text) => text !== '');
  const counts = { sent: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(link, async (text) => {
      const asked: string[] = [];
      const fetch = async (target: string) => {
        asked.push(target);
        return Response.json({});
      };
      const pages = paginate(createClient({ url, database: 'shop', fetch }).route('orders'), { next: () => text });
      await pages.next();
      const outcome = await pages.next().catch((error: unknown) => error);
      if (asked.length === 1) {
        expect(isInvalidArgumentError(outcome)).toBe(true);
        counts.refused++;
        return;
      }
      counts.sent++;
      const target = asked[1] ?? '';
      expect(target.startsWith(`${url}/_db/shop/orders`)).toBe(true);
      expect(target.slice(`${url}/_db/shop/orders`.length)).toMatch(/^([/?]|$)/);
      // As a server may see it that decodes before it resolves.
      const path = decodeURIComponent((target.split('?')[0] ?? '').replace(/%(?![2-7][\da-f])/gi, '%25'));
      // With a query behind it, the parser keeps a space at the end: `.. ` is a name, not a dot segment.
      expect(new URL(`${path.replaceAll('\\', '/')}?`).pathname).toMatch(/^\/base\/_db\/shop\/orders(\/|$)/);
    }),
    runsOf(5_000),
  );
  expect(Math.min(counts.sent, counts.refused)).toBeGreaterThan(partOf(500));
});

describe('paginate', () => {
  test.each<readonly [what: string, next: PaginateOptions<unknown>['next']]>([
    ['query', () => ({ cursor: 'same' })],
    ['link', () => '?cursor=same'],
  ])('the same page twice in a row ends it with an error: a %s', async (_what, next) => {
    const { client } = listing(() => ({ items: [1] }));
    const seen: unknown[] = [];
    const reading = async () => {
      for await (const { body } of paginate(client.route('orders'), { next })) seen.push(body);
    };
    expect(await failureOf(reading())).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'next' });
    expect(seen).toHaveLength(2);
  });

  test.each<readonly [query: Record<string, string> | undefined, path: string | undefined, link: string]>([
    [undefined, undefined, '?key=k%201&tenant=%C3%BC&offset=3'],
    [{ limit: '3' }, 'open', '?tenant=%c3%bc&offset=3&key=k+1'],
    [{ limit: '3' }, 'open?tag=a', '?offset=3'],
    [undefined, undefined, '?offset=3&tenant=%C3%BC'],
  ])('a query of the route is sent once: options %j, %j and link %j', async (query, path, link) => {
    const queries: string[] = [];
    const fetch = async (asked: string) => {
      queries.push(new URL(asked).search);
      return Response.json({ items: [] });
    };
    const route = createClient({ url: `${url}?key=k%201`, fetch }).route('orders?tenant=ü');
    const pages = paginate(route, { path, query, next: () => (queries.length === 1 ? link : undefined) });
    for await (const _ of pages);
    expect(queries[1]).toBe('?key=k%201&tenant=%C3%BC&offset=3');
  });

  test('a link keeps pairs that the route does not add, also repeated ones', async () => {
    const { client, paths } = listing(() => ({ items: [] }));
    const route = client.route('orders?tag=a');
    const link = './orders?tag=a&tag=a&tag=b&x&=y&a%26b=%2B';
    for await (const _ of paginate(route, { next: () => (paths.length === 1 ? link : undefined) }));
    expect(paths[1]).toBe('/_db/shop/orders?tag=a&tag=a&tag=b&x&=y&a%26b=%2B');
  });

  test('changes of the options during the iteration are ignored', async () => {
    const { client, paths } = listing(() => ({ items: [] }));
    const query = { limit: 3 };
    const next = () => (paths.length === 1 ? { offset: 3 } : undefined);
    for await (const _ of paginate(client.route('orders'), { query, next })) query.limit = 4;
    expect(paths).toEqual(['/_db/shop/orders?limit=3', '/_db/shop/orders?limit=3&offset=3']);
  });

  test.each([undefined, null, ''])(
    'ends if next returns %j; leaving the loop sends no further request',
    async (end) => {
      const { client, paths } = listing(() => ({ items: [1] }));
      for await (const _ of paginate(client.route('orders'), { next: () => end }));
      expect(paths).toHaveLength(1);
      for await (const _ of paginate(client.route('orders'), { next: () => ({ at: paths.length }) })) break;
      expect(paths).toHaveLength(2);
    },
  );

  test.each<readonly [options: unknown, field: string]>([
    [{}, 'next'],
    [{ next: 'x' }, 'next'],
    [{ next: () => undefined, pth: 'x' }, 'pth'],
    [{ next: () => undefined, path: '..' }, 'path'],
    [{ next: () => undefined, query: 5 }, 'query'],
    [undefined, 'options'],
  ])('options %o are refused', async (options, field) => {
    const { client, paths } = listing(() => ({ items: [] }));
    const pages = paginate(client.route('orders'), options as PaginateOptions<unknown>);
    expect(await failureOf(pages.next())).toMatchObject({ code: 'INVALID_ARGUMENT', field });
    expect(paths).toEqual([]);
  });

  test('errors of the route are passed on, and a response with an allowed status is a page', async () => {
    const fetch = async () => Response.json({ message: 'gone' }, { status: 404 });
    const route = createClient({ url, fetch }).route('orders');
    expect(await failureOf(paginate(route, { next: () => undefined }).next())).toMatchObject({ status: 404 });
    const { value } = await paginate(route.with({ allowStatus: [404] }), { next: () => undefined }).next();
    expect(value?.ok).toBe(false);
  });
});
