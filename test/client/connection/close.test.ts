import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { type Client, type ClientOptions, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, serve } from '../../support/server.ts';

const aborted = { code: 'ABORTED', message: /was aborted: the client was closed$/ };
const unsent = { code: 'ABORTED', message: /was not sent: the client is closed$/ };

/** A server with a path for each kind of call; `streams` counts the responses that are open. */
async function place() {
  const open = new Set<object>();
  const server = await serve((wire, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    if (wire.target.endsWith('/never')) return;
    if (wire.target.endsWith('/busy')) return json({}, 503, { 'retry-after': '30' })(wire, response, null as never);
    if (wire.target.endsWith('/empty')) return void response.writeHead(204).end();
    if (wire.target.endsWith('/part')) return void response.writeHead(200).write('part');
    if (wire.target.endsWith('/bad')) return void response.writeHead(500).write('part');
    json({ path: wire.target })(wire, response, null as never);
  });
  return { server, open };
}

const ways: readonly { readonly name: string; readonly over: () => Partial<ClientOptions> }[] = [
  { name: 'fetch', over: () => ({}) },
  { name: 'a fetch of the caller', over: () => ({ fetch: (url, init) => fetch(url, init) }) },
  { name: 'nodeTransport', over: () => ({ transport: nodeTransport() }) },
  { name: 'nodeTransport with one connection', over: () => ({ transport: nodeTransport({ connections: 1 }) }) },
];

const streamOf = async (client: Client, path = 'part') => {
  const { body } = await client.route().with({ responseType: 'stream' }).get(path);
  return body as ReadableStream<Uint8Array>;
};

describe.each(ways)('close() over $name', ({ over }) => {
  const start = async () => {
    const { server, open } = await place();
    return { server, open, client: createClient({ url: server.url, ...over() }) };
  };

  test('grace 0 aborts calls that wait for a response, at once', async () => {
    const { client, server } = await start();
    const call = failureOf(client.route().get('never'));
    await expect.poll(() => server.seen.length).toBe(1);
    await client.close({ graceMs: 0 });
    expect(await call).toMatchObject(aborted);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('grace 0 aborts streams: half read, locked by a pending read, and unread', async () => {
    for (const read of ['half', 'pending', 'unread']) {
      const { client, server } = await start();
      const body = await streamOf(client);
      const reader = body.getReader();
      if (read !== 'unread') await reader.read();
      const pending = read === 'pending' ? failureOf(reader.read()) : undefined;
      await client.close({ graceMs: 0 });
      expect(await (pending ?? failureOf(reader.read()))).toMatchObject(aborted);
      await expect.poll(() => server.sockets.size).toBe(0);
    }
  });

  test('lets a stream finish within the grace, and aborts it afterwards', async () => {
    const { client } = await start();
    const reader = (await streamOf(client)).getReader();
    const closed = client.close({ graceMs: 50 });
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('part');
    expect(await failureOf(reader.read())).toMatchObject(aborted);
    await closed;
  });

  test('Infinity waits for a stream that its reader cancels', async () => {
    const { client, server } = await start();
    const body = await streamOf(client);
    let isClosed = false;
    const closed = client.close({ graceMs: Number.POSITIVE_INFINITY }).then(() => {
      isClosed = true;
    });
    await delay(20);
    expect(isClosed).toBe(false);
    await body.cancel();
    await closed;
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('a second close shortens the grace; both resolve', async () => {
    const { client, server } = await start();
    const call = failureOf(client.route().get('never'));
    await expect.poll(() => server.seen.length).toBe(1);
    const closed = [client.close({ graceMs: Number.POSITIVE_INFINITY }), client.close(), client.close({ graceMs: 0 })];
    expect(await call).toMatchObject(aborted);
    await Promise.all(closed);
    await client.close();
  });

  test('aborts a call in the pause before a retry', async () => {
    const { client, server } = await start();
    const call = failureOf(client.route().get('busy'));
    await expect.poll(() => server.seen.length).toBe(1);
    await client.close({ graceMs: 20 });
    expect(await call).toMatchObject(aborted);
    expect(server.seen).toHaveLength(1);
  });

  test('aborts an error body that does not end', async () => {
    const { client, open } = await start();
    const call = failureOf(client.route().get('bad'));
    await expect.poll(() => open.size).toBe(1);
    await client.close({ graceMs: 0 });
    expect(await call).toMatchObject(aborted);
    await expect.poll(() => open.size).toBe(0);
  });

  test('aborts an upload, and cancels its source', async () => {
    const { client, server } = await start();
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => delay(1).then(() => controller.enqueue(new Uint8Array(1_024))),
      cancel() {
        isCancelled = true;
      },
    });
    const call = failureOf(client.route().post('never', body));
    await expect.poll(() => server.sockets.size).toBe(1);
    await client.close({ graceMs: 0 });
    expect(await call).toMatchObject(aborted);
    await expect.poll(() => isCancelled).toBe(true);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('HEAD, 204, a read stream and a failed call leave nothing to wait for', async () => {
    const { client } = await start();
    await client.route().head('x');
    const { body } = await client.route().with({ responseType: 'stream' }).get('empty');
    expect(body).toBeUndefined();
    await new Response(await streamOf(client, 'x')).text();
    await failureOf(client.route().with({ timeout: 20 }).get('never'));
    await client.close({ graceMs: Number.POSITIVE_INFINITY });
    expect(await failureOf(client.route().get('x'))).toMatchObject(unsent);
  });
});

describe('close()', () => {
  test.each([0, 20])('with grace %i aborts a call that waits for its login, and the login', async (graceMs) => {
    const server = await serve(() => undefined);
    const client = createClient({
      url: server.url,
      credentials: credentials.login({ username: 'u', password: 'canary-secret' }),
    });
    const call = failureOf(client.route().get());
    await expect.poll(() => server.seen.length).toBe(1);
    await client.close({ graceMs });
    const failure = await call;
    expect(failure).toMatchObject(aborted);
    expect(JSON.stringify(failure) + failure.stack).not.toContain('canary');
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(server.seen).toHaveLength(1);
  });

  test('of a client of `with` aborts its calls and those of its descendants, not those of the parent', async () => {
    const { server } = await place();
    const client = createClient({ url: server.url });
    const child = client.with({});
    const calls = [client, child, child.database('x'), child.with({})].map((one) =>
      failureOf(one.route().get('never')),
    );
    const streams = [await streamOf(client), await streamOf(child)];
    await expect.poll(() => server.seen.length).toBe(6);
    await child.close({ graceMs: 0 });
    for (const call of calls.slice(1)) expect(await call).toMatchObject(aborted);
    expect(await failureOf(new Response(streams[1]).text())).toMatchObject(aborted);
    expect((await client.route().get('x')).status).toBe(200);
    expect(await Promise.race([calls[0], 'open'])).toBe('open');
    expect(new TextDecoder().decode((await streams[0]?.getReader().read())?.value)).toBe('part');
    await client.close({ graceMs: 0 });
    expect(await calls[0]).toMatchObject(aborted);
  });

  test.each([
    ['database', (client: Client) => client.database('x')],
    ['with', (client: Client) => client.with({ database: 'x' })],
  ])('of a client of `%s` ends its own calls, not those of the other client', async (_, derive) => {
    const { server } = await place();
    const client = createClient({ url: server.url });
    const other = derive(client);
    const calls = [other, client].map((one) => failureOf(one.route().get('never')));
    await expect.poll(() => server.seen.length).toBe(2);
    await other.close({ graceMs: 0 });
    expect(await calls[0]).toMatchObject(aborted);
    expect(await failureOf(other.route().get('x'))).toMatchObject(unsent);
    expect((await client.route().get('x')).status).toBe(200);
    await client.close({ graceMs: 0 });
    expect(await calls[1]).toMatchObject(aborted);
  });

  test('the default with mock.connection is 0, also for `await using` and derived clients', async () => {
    await using mock = await createMock({ authentication: { mode: 'None' } });
    mock.route('GET', '/never', () => new Promise<Response>(() => undefined));
    let call: Promise<unknown>;
    let derived: Promise<unknown>;
    {
      await using client = createClient(mock.connection);
      call = failureOf(client.route('never').get());
      await using child = client.with({});
      derived = failureOf(child.route('never').get());
    }
    expect([await call, await derived]).toMatchObject([aborted, aborted]);
  });

  test('graceMs of the client is its default', async () => {
    const { server } = await place();
    const client = createClient({ url: server.url, graceMs: 1 });
    const call = failureOf(client.route().get('never'));
    await client.close();
    expect(await call).toMatchObject(aborted);
  });

  test('a fetch that ignores its signal does not delay the end', async () => {
    const client = createClient({ url: 'http://host.test', fetch: () => new Promise(() => undefined) });
    const call = failureOf(client.route().get());
    await client.close({ graceMs: 0 });
    expect(await call).toMatchObject(aborted);
  });

  test.each([-1, '5', Number.NaN, null])('rejects a grace of %o, and closes nothing', async (graceMs) => {
    const { server } = await place();
    const client = createClient({ url: server.url });
    expect(await failureOf(client.close({ graceMs: graceMs as number }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      field: 'graceMs',
    });
    expect((await client.route().get('x')).status).toBe(200);
  });
});
