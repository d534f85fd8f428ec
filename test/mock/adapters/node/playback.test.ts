import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../../src/console/mock/node.ts';
import { order, play } from '../../../support/playback.ts';

test('playback answers with status, headers, JSON, text, bytes and chunks of the recording', async () => {
  const bytes = Uint8Array.from([0, 255, 254, 10]);
  const base64 = Buffer.from(bytes).toString('base64');
  const { ask, played } = await play([
    order('/7', { status: 203, headers: { 'x-total': '9' }, json: { id: '7' } }),
    order('/text', { status: 200, headers: { 'content-type': 'text/csv' }, text: 'a;ä\n' }),
    order('/bytes', { status: 200, base64 }),
    order('/events', {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      chunks: [
        { text: 'data: 1\n' },
        { afterMs: 1, text: '\n' },
        { base64: Buffer.from('data: 2\n\n').toString('base64') },
      ],
    }),
    order('/none', { status: 204 }),
  ]);
  const first = await ask('/7');
  expect([first.status, first.headers.get('x-total'), await first.json()]).toEqual([203, '9', { id: '7' }]);
  const text = await ask('/text');
  expect([text.headers.get('content-type'), await text.text()]).toEqual(['text/csv', 'a;ä\n']);
  expect(new Uint8Array(await (await ask('/bytes')).arrayBuffer())).toEqual(bytes);
  const events = await ask('/events');
  expect([events.headers.get('content-type'), await events.text()]).toEqual([
    'text/event-stream',
    'data: 1\n\ndata: 2\n\n',
  ]);
  expect(played.unplayed).toEqual(['5.json']);
  expect((await ask('/none')).status).toBe(204);
  expect(played.unplayed).toEqual([]);
  played.check();
});

test('matches query, JSON and binary bodies in any order of names', async () => {
  const base64 = Buffer.from([255, 1]).toString('base64');
  const { ask, played } = await play([
    order('/', { status: 200, text: 'b=2' }, { query: 'a=1&b=2' }),
    { ...order('/', { status: 201 }), method: 'POST', request: { json: { a: 1, b: [2] } } },
    { ...order('/', { status: 202 }), method: 'PUT', request: { base64 } },
  ]);
  expect(await (await ask('/?b=2&a=1')).text()).toBe('b=2');
  expect((await ask('/', { method: 'POST', body: '{ "b": [2], "a": 1 }' })).status).toBe(201);
  expect((await ask('/', { method: 'PUT', body: Uint8Array.from([255, 1]) })).status).toBe(202);
  expect((await ask('/', { method: 'PUT', body: Uint8Array.from([255, 2]) })).status).toBe(501);
  expect(() => played.check()).toThrow('PUT /: the nearest recording is 3.json (PUT /), which differs in body');
});

test('an unmatched request names the nearest recording and the parts that differ, without their values', async () => {
  const { ask, played } = await play([
    order('/customers/7', { status: 200 }, { query: 'q=1' }),
    order('/orders/7', { status: 200 }, { query: 'q=1' }),
  ]);
  const answer = await ask('/orders/8?q=canary');
  expect(answer.status).toBe(501);
  const problem = 'GET /orders/8: the nearest recording is 2.json (GET /orders/7), which differs in path and query (q)';
  expect(await answer.json()).toEqual({ detail: `playback: ${problem}` });
  expect(() => played.check()).toThrow(new Error(`requests without a recording:\n  ${problem}`));
});

test('equal requests get their recordings one after the other, and the last one again', async () => {
  const { ask } = await play(['a', 'b'].map((text) => order('/', { status: 200, text })));
  const answers = [await ask('/'), await ask('/'), await ask('/')];
  expect(await Promise.all(answers.map((one) => one.text()))).toEqual(['a', 'b', 'b']);
});

test('the recorded order refuses what comes too early, and what comes after the last', async () => {
  const { ask, played } = await play([order('/1', { status: 200 }), order('/2', { status: 200 })], {
    order: 'recorded',
  });
  const statuses: number[] = [];
  for (const path of ['/2', '/1', '/2', '/2']) statuses.push((await ask(path)).status);
  expect(statuses).toEqual([501, 200, 200, 501]);
  expect(() => played.check()).toThrow(/GET \/2: .* 1\.json .* path\n {2}GET \/2: no recording is left/);
});

const twoChunks = order('/', { status: 200, chunks: [{ text: 'a' }, { afterMs: 60_000, text: 'b' }] });

test('chunks follow at once, or after the recorded times', async () => {
  expect(await (await (await play([twoChunks])).ask('/')).text()).toBe('ab');
  const { ask } = await play([twoChunks], { timing: 'recorded' });
  const answer = await ask('/');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let text = '';
  const read = (async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk);
  })();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(text).toBe('a');
  await vi.advanceTimersByTimeAsync(1);
  await read;
  expect(text).toBe('ab');
});

test('a reader that cancels ends the wait for the next chunk', async () => {
  const { ask } = await play([twoChunks], { timing: 'recorded' });
  const answer = await ask('/');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const reader = answer.body?.getReader();
  await reader?.read();
  const next = reader?.read();
  await vi.advanceTimersByTimeAsync(1);
  await reader?.cancel();
  await next;
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('recordings answer on a port, too, also binary uploads', async () => {
  const upload = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256);
  const request = { base64: Buffer.from(upload).toString('base64') };
  const { mock } = await play([{ ...order('/files/1', { status: 201, json: { ok: true } }), method: 'PUT', request }]);
  await using port = await listen(mock);
  const authorization = `Bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  const url = `${port.url}/_service/uds/_db/shop/orders/files/1`;
  const answer = await fetch(url, { method: 'PUT', body: upload, headers: { authorization } });
  expect([answer.status, await answer.json()]).toEqual([201, { ok: true }]);
  expect((await fetch(url, { method: 'PUT', body: upload })).status).toBe(401);
});

test('the option match leaves the query or the body out of the comparison', async () => {
  const { ask } = await play([order('/', { status: 200 }, { query: 'at=1' })], { match: ['body'] });
  expect((await ask('/?at=2')).status).toBe(200);
});

test('remove() of a playback takes its recordings out of the mock, which answers 404 again', async () => {
  const { ask, played } = await play([order('/1', { status: 200 })]);
  played.remove();
  expect((await ask('/1')).status).toBe(404);
});

test.each([
  ['1.json: is not valid JSON', '{ "canary'],
  ['1.json:1:29: the key "path" is there twice', '{"method":"GET","path":"/1","path":"canary"}'],
  ['1.json.response.status: expected a status from 200 to 599', order('/', { status: 99 })],
  ['1.json.path: expected a path like "/orders/7"', order('orders', { status: 200 })],
  ['1.json.response: expected one of json and text, got both', order('/', { status: 200, json: 1, text: '' })],
  ['1.json.reponse: unknown (did you mean "response"?)', { ...order('/', { status: 200 }), reponse: 1 }],
])('refuses a file: %s', async (message, file) => {
  const error = await play([file]).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) });
  expect(String(error)).not.toContain('canary');
});

test('refuses a folder without recordings', async () => {
  await expect(play([])).rejects.toThrow('folder: has no recordings: expected files named *.json');
});

test('a recording that fits as it is goes before one whose references fit anything', async () => {
  const { ask, played } = await play([
    order('/<uuid:1>', { status: 200, text: 'one' }),
    order('/count', { status: 200, text: 'number' }),
  ]);
  for (const path of ['/count', '/count', '/o-1', '/o-1']) {
    expect(await (await ask(path)).text()).toBe(path === '/count' ? 'number' : 'one');
  }
  played.check();
});
