import { expect, test } from 'vitest';
import { makeFolder, play, readFiles, record, serve } from './support.ts';

test('keeps exchanges as files, which playback answers', async () => {
  const service = await serve((request, response, body) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"n":1}\n\n');
      return setTimeout(() => response.end('data: {"n":2}\n\n'), 30);
    }
    if (request.method === 'POST') {
      return response.writeHead(201, { 'content-type': 'application/json' }).end(body);
    }
    response.setHeader('content-type', 'application/json');
    return response.end('{"id": "7", "total": 9.5}');
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  expect(await (await fetch(`${running.url}/orders/7?full=1`)).json()).toEqual({ id: '7', total: 9.5 });
  const created = { method: 'POST', body: '{ "total": 1 }', headers: { 'content-type': 'application/json' } };
  expect((await fetch(`${running.url}/orders`, created)).status).toBe(201);
  expect(await (await fetch(`${running.url}/events`)).text()).toBe('data: {"n":1}\n\ndata: {"n":2}\n\n');
  const { code, out, err } = await running.stop();
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('arango-services record: 3 new, 0 changed, 0 unchanged');
  const files = await readFiles(folder);
  expect(Object.keys(files)).toEqual(['0001-get-orders-7.json', '0002-post-orders.json', '0003-get-events.json']);
  const { ask, played } = await play(folder);
  expect(await (await ask('/orders/7?full=1')).json()).toEqual({ id: '7', total: 9.5 });
  expect(await (await ask('/orders', created)).json()).toEqual({ total: 1 });
  expect(await (await ask('/events')).text()).toBe('data: {"n":1}\n\ndata: {"n":2}\n\n');
  expect(played.unplayed).toEqual([]);
  played.check();
});

/** Records the answers of a service that sends each of these bodies, and returns the content of the files. */
async function recordedAnswers(bodies: readonly string[], type: string) {
  const service = await serve((request, response) => {
    response.setHeader('content-type', type).end(bodies[Number(request.url?.slice(1))]);
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  for (const index of bodies.keys()) await (await fetch(`${running.url}/${index}`)).text();
  await running.stop();
  const files = Object.values(await readFiles(folder)).map((text) => JSON.parse(text));
  return { folder, files };
}

test('JSON comes back as it was if its numbers would change', async () => {
  const exact = ['{"id":12345678901234567890}', '[1.0, 1e3]', '-0', '{"a": "1.0", "b":\t[ ] }', '{"a":1,"a":2}'];
  const { folder, files } = await recordedAnswers(exact, 'application/json');
  expect(files.map(({ response }) => Object.keys(response)[2])).toEqual(['text', 'text', 'text', 'json', 'json']);
  const { ask } = await play(folder);
  for (const [index, body] of exact.entries()) {
    const answer = await ask(`/${index}`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const text = await answer.text();
    // Of a key that stands twice, the last value counts.
    if (index >= 3) expect(JSON.parse(text)).toEqual(JSON.parse(body));
    else expect(text).toBe(body);
  }
});

test('text that looks like a reference is not taken for one', async () => {
  const { files } = await recordedAnswers(['write <uuid:1> and <b:1>', 'password=secret-4711'], 'text/plain');
  expect(files.map(({ response }) => response.text)).toEqual(['write <text:1> and <b:1>', 'password=<token:1>']);
});

test('a short secret, or a number below a secret name, is replaced at its name only', async () => {
  const service = await serve((_request, response) => response.end('1234 and 100'));
  const folder = await makeFolder();
  const running = await record(service, folder);
  const body = JSON.stringify({ pin: '1234', max_tokens: 100, note: '1234', size: 100 });
  await (await fetch(`${running.url}/orders/1234/100?pin=1234`, { method: 'POST', body })).text();
  await running.stop();
  const [file = ''] = Object.values(await readFiles(folder));
  expect(JSON.parse(file)).toMatchObject({
    path: '/orders/1234/100',
    query: 'pin=<token:1>',
    request: { json: { pin: '<token:1>', max_tokens: '<number:1>', note: '1234', size: 100 } },
    response: { text: '1234 and 100' },
  });
});

test('keeps the parts of an upload that hold no secret', async () => {
  const service = await serve((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"name":"a photo.jpg"}'),
  );
  const folder = await makeFolder();
  const running = await record(service, folder);
  const form = new FormData();
  form.set('title', 'a photo.jpg');
  form.set('file', new Blob([Uint8Array.of(0, 255, 1)]), 'a photo.jpg');
  form.set('password', 'a secret of the form');
  await fetch(`${running.url}/files`, { method: 'POST', body: form });
  await running.stop();
  const [text = ''] = Object.values(await readFiles(folder));
  expect(JSON.parse(text)).toMatchObject({
    request: {
      parts: [
        { name: 'title', text: 'a photo.jpg' },
        { name: 'file', filename: 'a photo.jpg', bytes: { length: 3 } },
        { name: 'password', text: '<token:1>' },
      ],
    },
    response: { json: { name: 'a photo.jpg' } },
  });
});
