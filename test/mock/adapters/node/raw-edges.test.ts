import { expect, test } from 'vitest';
import { listen } from '../../../../src/console/mock/node.ts';
import { createMock, type Mock } from '../../../../src/mock/index.ts';
import { readVectors, replay, type Send } from '../../../support/replay.ts';
import { exchange } from './port-support.ts';

// Requests that only a raw connection can send.

/** Sends a request as it is written, and reads the answer. */
async function throughSocket(mock: Mock): Promise<Send> {
  const { port } = await listen(mock);
  return async (path, { method, headers, body }) => {
    // The casts: `replay` passes pairs and texts.
    const pairs = [...(headers as [string, string][]), ['host', 'localhost'], ['connection', 'close']];
    const text = Buffer.from((body as string | null) ?? '');
    const lines = [...pairs, ['content-length', `${text.length}`]].map(([name, value]) => `${name}: ${value}\r\n`);
    const got = await exchange(port, `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text.toString('latin1')}`);
    const [head = '', ...rest] = got.split('\r\n\r\n');
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
    return new Response(Buffer.from(rest.join('\r\n\r\n'), 'latin1'), { status: Number(status) });
  };
}

const [vector] = readVectors('vectors/raw');
if (vector === undefined) throw new Error('no recording');

test('requests that only a raw connection can send are answered as recorded', async () => {
  await using mock = await createMock({ ...vector.config, now: vector.at });
  expect(await replay(vector, await throughSocket(mock))).toBe(26);
});
