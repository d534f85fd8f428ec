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
