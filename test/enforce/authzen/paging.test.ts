import { expect, test } from 'vitest';
import type { Entity } from '../../../src/enforce/authzen/index.ts';
import { createLibrary, ids } from './support/library.ts';
import { type PdpServer, servePdp } from './support/pdp-server.ts';

interface Page {
  readonly page?: { readonly next_token: string; readonly count: number };
  readonly results: readonly { readonly id: string }[];
}

const search = '/access/v1/search/resource';
const question = {
  subject: { type: 'user', id: 'ann' },
  action: { name: 'read' },
  resource: { type: 'book' },
  context: { b: 1, a: { d: 2, c: [3] } },
};
const books = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ type: 'book', id: `b-${String(i).padStart(5, '0')}` }));

const start = (resources: Entity[] = ids.map((id) => ({ type: 'book', id })), now = () => 0) => {
  const state = createLibrary();
  return servePdp(state, { state, candidates: { resources }, clock: { now } });
};

const ask = async (pdp: PdpServer, more: object = {}) => {
  const { status, body } = await pdp.post(search, { ...question, ...more });
  return { status, ...(status === 200 ? (body as Page) : { page: undefined, results: [], error: body }) };
};

const firstToken = async (pdp: PdpServer) => (await ask(pdp, { page: { limit: 2 } })).page?.next_token ?? '';

test('pages hold each result once, and end with an empty token', async () => {
  const pdp = await start();
  const found: string[] = [];
  const counts: unknown[] = [];
  let token: string | undefined;
  do {
    // As the standard's example: the limit is that of the first page.
    const { page, results } = await ask(pdp, { page: token === undefined ? { limit: 2 } : { token } });
    found.push(...results.map(({ id }) => id));
    counts.push(page?.count);
    token = page?.next_token;
  } while (token);
  expect(found).toEqual([...ids].sort());
  expect(counts).toEqual([2, 2, 1]);
});

test('a search without a page returns up to 1 000 results, without a page', async () => {
  expect(await ask(await start())).not.toHaveProperty('page.next_token');
  const pdp = await start(books(1_500));
  const first = await ask(pdp);
  expect(first.results).toHaveLength(1_000);
  const { results, page } = await ask(pdp, { page: { token: first.page?.next_token } });
  expect(results).toHaveLength(500);
  expect(page?.next_token).toBe('');
  expect((await ask(pdp, { page: { limit: 9_999 } })).results).toHaveLength(1_000);
});

test('a limit of 0 lists nothing, and its token tells if there are results', async () => {
  const pdp = await start();
  const { page, results } = await ask(pdp, { page: { limit: 0 } });
  expect([page?.count, results]).toEqual([0, []]);
  expect(page?.next_token).not.toBe('');
  const nothing = await ask(pdp, { page: { limit: 0 }, action: { name: 'remove' } });
  expect(nothing.page).toEqual({ next_token: '', count: 0 });
});

test('a token is valid for the same question, however its fields are ordered', async () => {
  const pdp = await start();
  const token = await firstToken(pdp);
  const context = { a: { c: [3], d: 2 }, b: 1 };
  expect((await ask(pdp, { context, page: { token, limit: 2 } })).results.map(({ id }) => id)).toEqual([
    'new-3',
    'old-1',
  ]);
});

test.each<[name: string, changed: object]>([
  ['another subject', { subject: { type: 'user', id: 'ben' } }],
  ['other properties', { subject: { type: 'user', id: 'ann', properties: { a: 1 } } }],
  ['another action', { action: { name: 'lend' } }],
  ['another type', { resource: { type: 'film' } }],
  ['another context', { context: {} }],
])('a token is not valid for %s', async (_name, changed) => {
  const pdp = await start();
  const token = await firstToken(pdp);
  expect(await ask(pdp, { ...changed, page: { token } })).toMatchObject({
    status: 400,
    error: 'page.token: is not valid for this search, or has expired',
  });
});

test('a token is not valid for another limit or another kind of search', async () => {
  const pdp = await start();
  const token = await firstToken(pdp);
  expect((await ask(pdp, { page: { token, limit: 3 } })).status).toBe(400);
  const body = { ...question, resource: { type: 'book', id: 'old-1' }, page: { token } };
  expect((await pdp.post('/access/v1/search/action', body)).status).toBe(400);
});

test('a token is not valid at another PDP', async () => {
  const token = await firstToken(await start());
  expect((await ask(await start(), { page: { token } })).status).toBe(400);
});

test('a token expires after ten minutes', async () => {
  let now = 1_000_000;
  const pdp = await start(undefined, () => now);
  const token = await firstToken(pdp);
  now += 599_999;
  expect((await ask(pdp, { page: { token } })).status).toBe(200);
  now += 1;
  expect((await ask(pdp, { page: { token } })).status).toBe(400);
});

test('a forged or malformed token is refused', async () => {
  const pdp = await start();
  const token = await firstToken(pdp);
  const [payload = '', signature = ''] = token.split('.');
  const other = btoa(JSON.stringify(['', 1_000, 9e15])).replaceAll('=', '');
  for (const bad of [
    `${other}.${signature}`,
    payload,
    `${payload}.`,
    `.${signature}`,
    `${token}.x`,
    'ä.ö',
    '.',
    token.slice(1),
  ]) {
    expect((await ask(pdp, { page: { token: bad } })).status).toBe(400);
  }
  expect((await ask(pdp, { page: { token } })).status).toBe(200);
});

test('a result that is added or removed between two pages does not shift the others', async () => {
  const resources = books(4);
  const state = createLibrary();
  const pdp = await servePdp(state, { state, candidates: { resources: () => resources } });
  const token = await firstToken(pdp);
  resources.splice(0, 1);
  resources.unshift({ type: 'book', id: 'a-new' });
  expect((await ask(pdp, { page: { token } })).results.map(({ id }) => id)).toEqual(['b-00002', 'b-00003']);
});
