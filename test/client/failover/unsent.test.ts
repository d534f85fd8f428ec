import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { failover } from '../../../src/client/failover/index.ts';
import { createClient } from '../../../src/index.ts';
import { serve } from '../../support/server.ts';
import { refused } from './support.ts';

/** Failures to connect of real sockets: each is a way to connect of an agent, and the host that it is for. */
const connects: readonly (readonly [what: string, connect: object])[] = [
  ['a silent and a refused address', { addresses: ['10.255.255.1', '127.0.0.1'] }],
  ['two refused addresses', { addresses: ['127.0.0.1', '127.0.0.2'] }],
  ['an address of its own that is not there', { localAddress: '203.0.113.7' }],
];

test.each(connects)('a write is sent to the next address if the host has %s', async (_what, given) => {
  const { addresses = ['127.0.0.1'], ...connect } = given as { addresses?: readonly string[] };
  const lookup: LookupFunction = (_host, _options, callback) =>
    // The cast: with `all`, which autoSelectFamily asks for, it takes a list.
    (callback as (error: null, list: object[]) => void)(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  const options = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 50 };
  const dispatcher = new Agent({ connect: { ...connect, ...options, lookup, timeout: 5_000 } });
  onTestFinished(() => dispatcher.destroy());
  const first = `http://db.test:${new URL(await refused()).port}`;
  const server = await serve();
  const errors: unknown[] = [];
  const send = async (url: string, init: object) => {
    if (!url.startsWith(first)) return fetch(url, init);
    // The cast: Node's fetch takes a dispatcher.
    return fetch(url, { ...init, dispatcher } as RequestInit).catch((error: unknown) => {
      errors.push(error);
      throw error;
    });
  };
  const transport = failover([first, server.url], { transport: { send: send as never } });
  await createClient({ url: first, transport, retry: 0 }).route().post('', { a: 1 });
  expect(server.seen.map(({ method }) => method)).toEqual(['POST']);
  expect(errors).toHaveLength(1);
});

test('a write is sent to the next address if no IP address of the host accepted a connection, in any order', async () => {
  const failed = (code: string, syscall = 'connect') => Object.assign(new Error(), { code, syscall });
  const [silent, refusedOne, notOurs] = [failed('ETIMEDOUT'), failed('ECONNREFUSED'), failed('EADDRNOTAVAIL', 'bind')];
  for (const errors of [[silent, refusedOne], [refusedOne, silent], [silent], [notOurs]]) {
    const server = await serve();
    const send = async (): Promise<never> => {
      // Node takes the code of the first one.
      throw new TypeError('fetch failed', { cause: Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' }) });
    };
    const transport = failover([{ url: 'http://a.test', transport: { send } }, server.url]);
    await createClient({ url: 'http://a.test', transport, retry: 0 }).route().post('', { a: 1 });
    expect(server.seen).toHaveLength(1);
  }
});

test('a write is not sent again if one of several failures came after a connection', async () => {
  const server = await serve();
  const failed = Object.assign(new Error(), { code: 'ECONNRESET', syscall: 'read' });
  const refusedOne = Object.assign(new Error(), { code: 'ECONNREFUSED', syscall: 'connect' });
  for (const cause of [failed, new AggregateError([refusedOne, failed]), new AggregateError([])]) {
    const send = async (): Promise<never> => {
      throw new TypeError('fetch failed', { cause });
    };
    const transport = failover([{ url: 'http://a.test', transport: { send } }, server.url]);
    await expect(createClient({ url: 'http://a.test', transport }).route().post('', {})).rejects.toThrow();
  }
  expect(server.seen).toEqual([]);
});
