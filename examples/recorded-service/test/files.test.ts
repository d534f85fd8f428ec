import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createClient, credentials, isHttpError } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { playback } from 'arango-services/mock/node';
import { afterAll, describe, expect, test } from 'vitest';
import { createFiles } from '../src/files.ts';
import { createService } from '../src/service.ts';

const mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
afterAll(() => mock[Symbol.asyncDispose]());

// The service: played back from the folder FILES_RECORDINGS, running at FILES_URL, or in this process.
const { FILES_RECORDINGS, FILES_URL } = process.env;
if (FILES_RECORDINGS) {
  // The tests run in one order, and so do their requests.
  const played = await playback(mock, 'files', FILES_RECORDINGS, { order: 'recorded' });
  afterAll(() => {
    played.check();
    expect(played.unplayed).toEqual([]);
  });
} else {
  mock.service('files', FILES_URL ?? (await serve()));
}

async function serve(): Promise<string> {
  const server = createAdaptorServer({ fetch: createService().fetch }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const alice = credentials.login({ username: 'alice', password: 'pw' });
const files = createFiles(createClient({ ...mock.connection, database: 'shop', credentials: alice }));

/** Bytes that are not text. */
const bytesOf = (index: number, length: number) => Uint8Array.from({ length }, (_, at) => (at * 7 + index * 31) % 256);

const uploads = Array.from({ length: 24 }, (_, index) => [`photo-${index}.jpg`, index] as const);
describe.each(uploads)('%s', (name, index) => {
  const [first, second] = [bytesOf(index, 60), bytesOf(index + 100, 61)];

  test('is uploaded and downloaded', async () => {
    const { id, size } = await files.upload(name, first);
    expect(size).toBe(60);
    expect(await files.download(id)).toEqual(first);
    expect(await files.names()).toContain(name);
  });

  test('is replaced, and comes in blocks', async () => {
    const { id, sha256 } = await files.upload(`new-${name}`, first);
    const replaced = await files.replace(id, second);
    expect(replaced).toMatchObject({ id, size: 61 });
    expect(replaced.sha256).not.toBe(sha256);
    const blocks: Uint8Array[] = [];
    for await (const block of files.blocks(id)) blocks.push(block);
    expect(blocks).toEqual([0, 20, 40].map((at) => second.slice(at, at + 20)));
    await files.remove(id);
  });
});

test('a removed file is missing', async () => {
  const { id } = await files.upload('short.txt', 'text');
  await files.remove(id);
  await expect(files.download(id)).rejects.toSatisfy((error) => isHttpError(error) && error.status === 404);
});
