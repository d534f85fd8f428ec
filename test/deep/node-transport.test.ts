import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nodeTransport } from '../../src/client/node/index.ts';
import { createClient } from '../../src/index.ts';
import { callOverClosingServer } from '../support/closing-server.ts';
import { heldBytes } from '../support/heap.ts';
import { open } from '../support/server.ts';

describe('nodeTransport', () => {
  // Finds a call that is resent although its request may have arrived, or given up although it could be resent: a
  // server's close hits that moment once in hundreds of calls.
  test('10 000 calls over connections that the server closes at random: no POST twice, no call lost', async () => {
    const { sent, arrived, failed } = await callOverClosingServer(10_000);
    expect(sent).toHaveLength(10_000);
    expect(failed.filter((name) => name.startsWith('GET'))).toEqual([]);
    expect([...arrived].filter(([name, times]) => name.startsWith('POST') && times > 1)).toEqual([]);
    expect(sent.filter((name) => !arrived.has(name) && !failed.includes(name))).toEqual([]);
  });

  // A body that is neither read nor cancelled keeps its socket, and a leaked listener keeps its closure.
  test('heap and sockets stay flat over 100 000 calls, of which every tenth is aborted', async () => {
    const server = await open((wire, response) => {
      wire.body.length > 0 ? response.end('{"a":1}') : setImmediate(() => response.end('{"a":1}'));
      // This test does not count arrivals.
      server.seen.length = 0;
    });
    const client = createClient({ url: server.url, transport: nodeTransport(), retry: 0 });
    const route = client.route('svc');
    let mostSockets = 0;
    const heapAfter = async (calls: number) => {
      let left = calls;
      const worker = async () => {
        while (left-- > 0) {
          const aborted = left % 10 === 0;
          const controller = new AbortController();
          const call = route
            .with({ signal: controller.signal })
            .request({ method: left % 2 ? 'GET' : 'POST', ...(left % 2 ? {} : { body: { b: 1 } }) });
          if (aborted) setImmediate(() => controller.abort());
          await call.catch((error: { code?: string }) => expect(error.code).toBe('ABORTED'));
          mostSockets = Math.max(mostSockets, server.sockets.size);
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
      await delay(100);
      return heldBytes();
    };
    const first = await heapAfter(20_000);
    const last = await heapAfter(80_000);
    expect(last - first).toBeLessThan(5_000_000);
    // Those in use, and as many that are just being closed.
    expect(mostSockets).toBeLessThan(64);
    await client.close();
    await expect.poll(() => server.sockets.size).toBe(0);
    await server.close();
  });
});
