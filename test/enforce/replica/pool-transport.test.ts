import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import { poolTransport } from '../../../src/enforce/replica/index.ts';
import { listenAt } from '../../../src/mock/adapters/node/listening-address.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { everywhere } from './support/scripted-pool.ts';

/** A transport to a mock, through a port that counts connections. */
async function start() {
  const mock = await createMock({ policies: { p: everywhere } });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const authorization = `bearer ${await mock.tokens.issue({ user: null })}`;
  const { port } = await listenGrpc(mock);
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1');
    for (const one of [socket, upstream]) one.on('error', () => {});
    socket.pipe(upstream).pipe(socket);
    sockets.push(socket);
  });
  const listening = await listenAt(proxy, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const transport = poolTransport(`127.0.0.1:${listening.port}`);
  async function read(): Promise<string[]> {
    const names: string[] = [];
    for await (const items of transport.open({ kind: 'policies' }, authorization, AbortSignal.timeout(30_000))) {
      for (const { name } of items) names.push(name);
    }
    return names;
  }
  return { transport, read, sockets };
}

const closed = { code: 'REPLICA', reason: 'CLOSED', message: 'CLOSED: the transport is closed' };

test('streams share one connection; a closed transport opens none', async () => {
  const { transport, read, sockets } = await start();
  expect([await read(), await read(), sockets.length]).toEqual([
    expect.arrayContaining(['p']),
    expect.arrayContaining(['p']),
    1,
  ]);
  transport.close();
  expect(await failureOf(read())).toMatchObject(closed);
  expect(sockets.length).toBe(1);
});

test.each(['before the first stream', 'while the first stream opens'])(
  'a transport closed %s does not connect',
  async (when) => {
    const { transport, read, sockets } = await start();
    const early = when.startsWith('while') ? failureOf(read()) : undefined;
    transport.close();
    expect(await (early ?? failureOf(read()))).toMatchObject(closed);
    expect(await failureOf(read())).toMatchObject(closed);
    expect(sockets).toEqual([]);
  },
);
