import { randomUUID } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, play, readFiles, record, serve } from './support.ts';

const json = { 'content-type': 'application/json' };

/** A shop whose ids, times and tokens differ at each run. */
async function openShop(changes: { total?: number; extra?: boolean } = {}) {
  const orders = new Map<string, object>();
  return serve((request, response, body) => {
    response.setHeader('content-type', 'application/json');
    const [, path = '', id = ''] = (request.url ?? '').split(/[/?]/);
    if (path === 'login') return response.end(JSON.stringify({ access_token: `secret-${randomUUID()}` }));
    if (path === 'events') {
      response.setHeader('content-type', 'text/event-stream');
      for (const known of orders.keys()) response.write(`data: {"id":"${known}"}\n\n`);
      return response.end();
    }
    if (request.method === 'POST') {
      const order = { id: randomUUID(), at: new Date().toISOString(), number: 1_000 + Math.floor(Math.random() * 1e6) };
      orders.set(order.id, { ...order, ...JSON.parse(body.toString()) });
      return response.writeHead(201, { location: `/orders/${order.id}` }).end(JSON.stringify(order));
    }
    const order = { ...orders.get(id), ...(changes.total && { total: changes.total }) };
    return response.end(JSON.stringify(order));
  });
}

interface Created {
  readonly id: string;
  readonly number: number;
}

/** A program that uses the shop. */
async function shop(call: (path: string, init?: RequestInit) => Promise<Response>) {
  const { access_token: token } = await (await call('/login', { method: 'POST', body: '{"password":"pw"}' })).json();
  const authorization = `Bearer ${token}`;
  const create = async (total: number): Promise<Created> => {
    const init = { method: 'POST', headers: { ...json, authorization }, body: JSON.stringify({ total }) };
    return (await call('/orders', init)).json();
  };
  const [first, second] = [await create(1), await create(2)];
  const read = async ({ id }: Created) => (await call(`/orders/${id}?by=${id}`)).json();
  const events = await (await call('/events')).text();
  return { first, second, events, read: [await read(second), await read(first)] };
}

async function run(url: string, folder: string, ...flags: string[]) {
  const running = await record(url, folder, ...flags);
  await shop((path, init) => fetch(`${running.url}${path}`, init));
  return running.stop();
}

const volatile = ['--volatile', 'id,at,number'];

test('values of a run have references, which playback binds to one value each', async () => {
  const folder = await makeFolder();
  await run(await openShop(), folder, ...volatile);
  const files = await readFiles(folder);
  expect(Object.keys(files)).toEqual([
    '0001-post-login.json',
    '0002-post-orders.json',
    '0003-post-orders.json',
    '0004-get-events.json',
    '0005-get-orders-uuid-2.json',
    '0006-get-orders-uuid-1.json',
  ]);
  const parsed = Object.values(files).map((text) => JSON.parse(text));
  expect(parsed[1].response).toMatchObject({
    headers: { location: '/orders/<uuid:1>' },
    json: { id: '<uuid:1>', at: '<time:1>', number: '<number:1>' },
  });
  expect(parsed[4]).toMatchObject({
    path: '/orders/<uuid:2>',
    query: 'by=<uuid:2>',
    response: { json: { id: '<uuid:2>' } },
  });
  const { ask, played } = await play(folder);
  const { first, second, read, events } = await shop(ask);
  expect(new Set([first.id, second.id]).size).toBe(2);
  expect([typeof first.number, read[0].id, read[1].number]).toEqual(['number', second.id, first.number]);
  expect(events).toBe(`data: {"id":"${first.id}"}\n\ndata: {"id":"${second.id}"}\n\n`);
  expect((await ask(`/orders/${first.id}?by=${second.id}`)).status).toBe(501);
  expect(() => played.check()).toThrow(/differs in path$/);
});

test('a second run changes no file if only values of the run differ', async () => {
  const folder = await makeFolder();
  await run(await openShop(), folder, ...volatile);
  const before = await readFiles(folder);
  const { code, out } = await run(await openShop(), folder, '--update', ...volatile);
  expect([code, out.split('\n').at(-2)]).toEqual([0, 'arango-services record: 0 new, 0 changed, 6 unchanged']);
  expect(await readFiles(folder)).toEqual(before);
});

test('ids, times and tokens that differ from the recording become references by themselves', async () => {
  const folder = await makeFolder();
  await run(await openShop(), folder, '--volatile', 'number');
  expect(Object.values(await readFiles(folder)).join('')).not.toContain('uuid');
  await run(await openShop(), folder, '--update', '--volatile', 'number');
  const second = await readFiles(folder);
  const { out } = await run(await openShop(), folder, '--update', '--volatile', 'number');
  expect(out).toContain('0 new, 0 changed, 6 unchanged');
  expect(await readFiles(folder)).toEqual(second);
  expect(Object.keys(second)).toHaveLength(6);
  const { ask, played } = await play(folder);
  const { read, first } = await shop(ask);
  expect(read[1].id).toBe(first.id);
  played.check();
});

test('rewrites only what changed, and keeps names, modes and what was not seen', async () => {
  const folder = await makeFolder();
  await run(await openShop(), folder, ...volatile);
  const extra = { method: 'GET', path: '/by-hand', response: { status: 200, text: 'x' } };
  await writeFile(join(folder, 'by-hand.json'), JSON.stringify(extra));
  const before = await readFiles(folder);
  const times = async () =>
    Promise.all(Object.keys(before).map(async (name) => (await stat(join(folder, name))).mtimeMs));
  const then = await times();
  const { out } = await run(await openShop({ total: 99 }), folder, '--update', ...volatile);
  expect(out).toContain('0 new, 2 changed, 4 unchanged, 1 not seen in this run and kept');
  expect(out).toContain('  changed 0005-get-orders-uuid-2.json\n');
  expect(out).toContain('  not seen by-hand.json\n');
  const after = await readFiles(folder);
  const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
  expect(changed).toEqual(['0005-get-orders-uuid-2.json', '0006-get-orders-uuid-1.json']);
  expect((await times()).map((time, index) => time === then[index])).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    true,
  ]);
  // One line of the file.
  const [old, now] = [before, after].map((files) => (files['0006-get-orders-uuid-1.json'] ?? '').split('\n'));
  expect(now?.filter((line) => !old?.includes(line))).toEqual(['      "total": 99']);
});

test('--prune removes what was not seen, and says so', async () => {
  const folder = await makeFolder();
  await run(await openShop(), folder, ...volatile);
  const running = await record(await openShop(), folder, '--update', '--prune', ...volatile);
  await (await fetch(`${running.url}/login`, { method: 'POST', body: '{"password":"pw"}' })).text();
  await (await fetch(`${running.url}/login?again`, { method: 'POST', body: '{"password":"pw"}' })).text();
  const { out } = await running.stop();
  expect(out).toContain('1 new, 0 changed, 1 unchanged, 5 not seen in this run and removed');
  expect(out).toContain('  removed 0002-post-orders.json');
  expect(Object.keys(await readFiles(folder))).toEqual(['0001-post-login.json', '0007-post-login.json']);
});

test('refuses a folder with recordings without --update, and one that holds something else', async () => {
  const folder = await makeFolder();
  const url = await openShop();
  await run(url, folder);
  const again = await (await record(url, folder)).stop();
  expect(again).toMatchObject({
    code: 64,
    err: expect.stringContaining('--out: has recordings already; --update renews'),
  });
  await writeFile(join(folder, 'package.json'), '{"name":"canary"}');
  const other = await (await record(url, folder, '--update')).stop();
  expect(other).toMatchObject({ code: 64, err: expect.stringContaining('package.json.') });
  expect(other.err).not.toContain('canary');
});

test('a new value gets a reference that no recording has, also if the run did not see that recording', async () => {
  const folder = await makeFolder();
  await run(await openShop(), folder, ...volatile);
  const running = await record(await openShop(), folder, '--update', ...volatile);
  const created = { method: 'POST', headers: json, body: '{"total":3,"note":"new"}' };
  await (await fetch(`${running.url}/orders?new=1`, created)).text();
  await (await fetch(`${running.url}/orders?new=2`, created)).text();
  await (await fetch(`${running.url}/orders?new=3`, created)).text();
  const { out } = await running.stop();
  expect(out).toContain('1 new, 2 changed, 0 unchanged, 4 not seen in this run and kept');
  const files = await readFiles(folder);
  expect(JSON.parse(files['0007-post-orders.json'] ?? '').response.json.id).toBe('<uuid:3>');
});

test('a second recorder overwrites no file that the first one wrote meanwhile', async () => {
  const folder = await makeFolder();
  const service = await serve((_request, response) => response.end('same'));
  const both = [await record(service, folder), await record(service, folder)];
  for (const { url } of both) await (await fetch(`${url}/a`)).text();
  for (const { stop } of both) expect((await stop()).out).toContain('1 new');
  expect(Object.keys(await readFiles(folder))).toEqual(['0001-get-a.json', '0002-get-a.json']);
});

test('two recorders that write to one folder at the same time keep the files of both', async () => {
  const folder = await makeFolder();
  const service = await serve((_request, response) => response.end('same'));
  const both = [await record(service, folder), await record(service, folder)];
  for (const { url } of both) for (let i = 0; i < 20; i += 1) await (await fetch(`${url}/a`)).text();
  for (const { code, out } of await Promise.all(both.map(({ stop }) => stop())))
    expect([code, out]).toEqual([0, expect.stringContaining('20 new')]);
  expect(Object.keys(await readFiles(folder))).toHaveLength(40);
});
