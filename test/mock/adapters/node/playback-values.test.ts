import { setupServer } from 'msw/node';
import { expect, onTestFinished, test } from 'vitest';
import { handlers } from '../../../../src/mock/adapters/msw.ts';
import { order, play } from '../../../support/playback.ts';

test('names the pointers of the fields that differ, but no values', async () => {
  const json = { a: 1, list: [{ b: 'x' }, { c: null }], deep: { 'a/b': { 'c~d': true } }, same: 's' };
  const { ask } = await play([{ ...order('/', { status: 200 }), method: 'POST', request: { json } }]);
  const about = async (body: unknown) => {
    const answer = await ask('/', { method: 'POST', body: JSON.stringify(body) });
    return /differs in (.*)$/.exec((await answer.json()).detail)?.[1];
  };
  expect(await about({ ...json, a: 2 })).toBe('body (/a)');
  expect(await about({ ...json, list: [{ b: 'canary' }, { c: 0 }, 5] })).toBe('body (/list/0/b, /list/1/c, /list/2)');
  expect(await about({ ...json, deep: 1, extra: 'canary' })).toBe('body (/deep, /extra)');
  expect(await about({ ...json, 'a canary of a name': 1 })).toBe('body (/…)');
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}`, i]));
  expect(await about({ ...json, ...many })).toBe('body (/f0, /f1, /f2, /f3, /f4, and 3 more)');
  expect(await about([1])).toBe('body (/)');
  expect(await about('text')).toBe('body (/)');
});

const id = '0b51ad51-7d8a-4a2f-9f4e-1f9b7a3d2c10';

test('a reference stands for one value in all files, and another reference for another one', async () => {
  const { ask } = await play([
    { ...order('/', { status: 201, json: { id: '<uuid:1>', n: '<number:1>' } }), method: 'POST' },
    order('/<uuid:2>/<uuid:1>', { status: 200, text: 'of <uuid:1>: {"n":"<number:1>"}' }),
    order('/<text:1>-x', { status: 200, headers: { location: '/<text:1>' } }, { query: 'a=<number:1>' }),
  ]);
  const created = await (await ask('/', { method: 'POST' })).json();
  expect(created).toEqual({ id: '00000000-0000-4000-8000-000000000001', n: 1 });
  expect((await ask(`/${created.id}/${created.id}`)).status).toBe(501);
  expect((await ask(`/${id}/${id}`)).status).toBe(501);
  expect(await (await ask(`/${id}/${created.id}`)).text()).toBe(`of ${created.id}: {"n":1}`);
  expect((await ask('/%C3%A4%2F-x?a=2')).status).toBe(501);
  expect((await ask('/%C3%A4b-x?a=1')).headers.get('location')).toBe('/äb');
});

test('a request sets the value of a reference, which its answer and later requests have', async () => {
  const { ask } = await play([
    { ...order('/', { status: 200, json: ['<token:1>'] }), method: 'POST', request: { json: { key: 'k-<token:1>' } } },
    order('/', { status: 200 }, { query: 'key=<token:1>' }),
  ]);
  const answer = await ask('/', { method: 'POST', body: '{"key":"k-mine"}' });
  expect(await answer.json()).toEqual(['mine']);
  expect((await ask('/?key=other')).status).toBe(501);
  expect((await ask('/?key=mine')).status).toBe(200);
});

test('matches multipart bodies by their parts, whatever their boundary', async () => {
  const parts = [
    { name: 'title', text: 'a "quoted" name' },
    { name: 'file', filename: '<text:1>.bin', type: 'application/octet-stream', base64: '/wA=' },
    { name: 'meta', filename: 'blob', type: 'application/json', json: { a: 1, b: '<text:1>' } },
  ];
  const { ask, played } = await play([{ ...order('/', { status: 200 }), method: 'POST', request: { parts } }]);
  const send = (title: string, bytes: number[], meta: string) => {
    const body = new FormData();
    body.set('title', title);
    body.set('file', new Blob([Uint8Array.from(bytes)]), 'mine.bin');
    body.set('meta', new Blob([meta], { type: 'application/json' }));
    return ask('/', { method: 'POST', body });
  };
  expect((await send('a "quoted" name', [255, 1], '{"b":"mine","a":1}')).status).toBe(501);
  expect((await send('other', [255, 0], '{"b":"other","a":1}')).status).toBe(501);
  expect(() => played.check()).toThrow(/in body \(file\)\n.*in body \(title, meta\)$/);
  expect((await send('a "quoted" name', [255, 0], '{ "b": "mine", "a": 1 }')).status).toBe(200);
});

test('matches forms in any order of names, and lines of JSON by their values', async () => {
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, text: 'a=1&b=<text:1>&b=%C3%A4' };
  const { ask } = await play([
    { ...order('/form', { status: 200 }), method: 'POST', request: form },
    { ...order('/lines', { status: 200 }), method: 'POST', request: { text: '{"a":1,"b":"<text:2>"}\n[2]\n' } },
  ]);
  const post = (path: string, body: string, type: string) =>
    ask(path, { method: 'POST', body, headers: { 'content-type': type } });
  const formType = 'application/x-www-form-urlencoded';
  expect((await post('/form', 'b=x&b=y&a=1', formType)).status).toBe(501);
  expect((await post('/form', 'b=x&b=ä&a=1', formType)).status).toBe(200);
  expect((await post('/lines', '{ "b": "y", "a": 1 }\n[2]\n', 'application/x-ndjson')).status).toBe(200);
  expect((await post('/lines', '{ "b": "y", "a": 2 }\n[2]\n', 'application/x-ndjson')).status).toBe(501);
});

test('the end of a block with `using` fails a test with unmatched requests', async () => {
  const run = async (path: string) => {
    const { played, ask } = await play([order('/1', { status: 200 })]);
    using _ = played;
    await ask(path);
    return ask;
  };
  const ask = await run('/1');
  expect((await ask('/1')).status).toBe(404);
  await expect(run('/2')).rejects.toThrow('requests without a recording:\n  GET /2');
});

test('names of parameters are shown if they look like names', async () => {
  const { ask, played } = await play([order('/', { status: 200 }, { query: 'page=1' })]);
  await ask('/?page=canary&a%20canary%20value');
  expect(() => played.check()).toThrow(/differs in query \(page, …\)$/);
});

test('a path in a message shows no token', async () => {
  const { ask, played } = await play([order('/1', { status: 200 })]);
  await ask('/eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.canary');
  expect(() => played.check()).toThrow('GET /<redacted>: the nearest');
});

test('answers through handlers of msw', async () => {
  const { mock } = await play([
    order('/7', { status: 203, json: { id: '7' } }),
    order('/', { status: 200, chunks: [{ text: 'a' }, { text: 'b' }] }),
  ]);
  const server = setupServer(...handlers(mock, { url: 'http://orders.test' }));
  server.listen();
  onTestFinished(() => server.close());
  const headers = { authorization: `Bearer ${await mock.tokens.issue({ user: 'alice' })}` };
  const base = 'http://orders.test/_service/uds/_db/shop/orders';
  const answer = await fetch(`${base}/7`, { headers });
  expect([answer.status, await answer.json()]).toEqual([203, { id: '7' }]);
  expect(await (await fetch(`${base}/`, { headers })).text()).toBe('ab');
  expect((await fetch(`${base}/8`, { headers })).status).toBe(501);
});

test('a value that no header can hold is encoded in it', async () => {
  const { ask } = await play([order('/<text:1>', { status: 201, headers: { location: '/<text:1>' } })]);
  expect((await ask(`/${encodeURIComponent('→\n')}`)).headers.get('location')).toBe('/%E2%86%92%0A');
});

test('half of a surrogate pair in a value is U+FFFD in a header', async () => {
  const recording = order('/', { status: 201, headers: { location: '/<text:1>' } });
  const { ask } = await play([{ ...recording, method: 'POST', request: { json: { name: '<text:1>' } } }]);
  const answer = await ask('/', { method: 'POST', body: String.raw`{"name":"a\ud83d"}` });
  expect([answer.status, answer.headers.get('location')]).toEqual([201, '/a%EF%BF%BD']);
});
