import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type PlaybackOptions, playback } from '../../src/console/mock/node.ts';
import { createMock } from '../../src/mock/index.ts';

/** The recording of a GET. */
export const order = (path: string, response: object, more: object = {}) => ({
  method: 'GET',
  path,
  response,
  ...more,
});

/** A mock that plays the recordings back as the service `orders`. */
export async function play(recordings: readonly unknown[], options?: PlaybackOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'arango-services-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [i, one] of recordings.entries())
    await writeFile(join(folder, `${i + 1}.json`), typeof one === 'string' ? one : JSON.stringify(one));
  const mock = await createMock();
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const played = await playback(mock, 'orders', folder, options);
  const authorization = `Bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  const ask = (path: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, authorization };
    return mock.fetch(`${mock.connection.url}/_service/uds/_db/shop/orders${path}`, { ...init, headers });
  };
  return { mock, played, ask };
}
