import { expect, test } from 'vitest';
import { typed } from '../../../src/client/openapi/index.ts';
import { type ParameterStyles, parameterTable } from '../../../src/client/openapi/parameter-table.ts';
import { createClient } from '../../../src/index.ts';

interface paths {
  '/items/{ids}': {
    get: {
      parameters: {
        path: { ids: number[] };
        query?: { filter?: { state?: string; limit?: number }; tags?: string[]; url?: string; page?: number };
        header?: { 'X-Ids'?: number[]; 'x-flag'?: boolean };
        cookie?: { session?: string };
      };
      responses: { 200: { content: { 'application/json': object } } };
    };
  };
  '/plain/{id}': {
    get: { parameters: { path: { id: string } }; responses: { 200: { content: { 'application/json': object } } } };
  };
}

const styles: ParameterStyles = {
  'GET /items/{ids}': {
    path: { ids: 'matrix*' },
    query: { filter: 'deepObject*', tags: 'form', url: '+form*' },
    header: { 'x-ids': 'simple' },
  },
};

function service(parameters = parameterTable(styles)) {
  const requests: Request[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    requests.push(new Request(input, init));
    return Response.json({});
  };
  const route = createClient({ url: 'http://service.test', fetch, retry: 0 }).absoluteRoute('/');
  return { api: typed<paths>(route, { parameters }), plain: typed<paths>(route), requests };
}

test('a table writes parameters in the styles of the document', async () => {
  const { api, requests } = service();
  await api.get('/items/{ids}', {
    path: { ids: [1, 2] },
    query: { filter: { state: 'a&b', limit: 5 }, tags: ['a,b', 'c'], url: 'http://a/?b', page: 2 },
    headers: { 'X-Ids': [1, 2], 'x-flag': true, 'x-other': 'a' },
    cookie: { session: 'a b' },
  });
  await api.get('/plain/{id}', { path: { id: 'a/b%2F' } });
  const [{ url, headers } = new Request('http://none'), plain] = requests;
  expect(url).toBe(
    'http://service.test/items/;ids=1;ids=2?filter%5Bstate%5D=a%26b&filter%5Blimit%5D=5&tags=a%2Cb,c&url=http://a/?b&page=2',
  );
  expect([headers.get('x-ids'), headers.get('x-flag'), headers.get('x-other')]).toEqual(['1,2', 'true', 'a']);
  expect(headers.get('cookie')).toBe('session=a%20b');
  expect(plain?.url).toBe('http://service.test/plain/a%2Fb%252F');
});

test('without a table a list in a path does not compile, and is refused by its name', async () => {
  const { plain, requests } = service();
  // @ts-expect-error a list needs a table of parameters
  await expect(plain.get('/items/{ids}', { path: { ids: [1, 2] } })).rejects.toMatchObject({ field: 'path.ids' });
  expect(requests).toEqual([]);
});

test.each(['', '.', '..', 'a/../b'])(
  'a path that leaves the route is refused by the name of the parameter: %j',
  async (id) => {
    const { api, requests } = service();
    await expect(api.get('/plain/{id}', { path: { id } })).rejects.toMatchObject({ field: 'path.id' });
    expect(requests).toEqual([]);
  },
);

test.each([
  [{ ids: [] }, 'path.ids'],
  [{ ids: [{}] }, 'path.ids'],
  [{}, 'path.ids'],
])('a value without a form is refused: %j', async (path, field) => {
  const { api } = service();
  await expect(api.get('/items/{ids}', { path: path as { ids: number[] } })).rejects.toMatchObject({ field });
});

test('a style that a place does not have is refused at construction', () => {
  const wrong = { 'GET /a': { path: { ids: 'form' } } } as const;
  expect(() => parameterTable(wrong)).toThrow(expect.objectContaining({ field: 'styles["GET /a"].path["ids"]' }));
});
