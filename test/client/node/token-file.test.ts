import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tokenFile } from '../../../src/client/node/index.ts';
import { createClient } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'token-file-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A token file, a client that reads it, and the headers that the client sent. */
function open(options: { now?: () => number; answer?: () => Response } = {}) {
  const path = join(folder, `token-${++count}`);
  const seen: (string | null)[] = [];
  const client = createClient({
    url: 'http://service.test',
    retry: 0,
    credentials: tokenFile(path),
    clock: { now: options.now ?? (() => 0) },
    fetch: async (_url, init) => {
      seen.push(new Headers(init.headers).get('authorization'));
      return options.answer?.() ?? Response.json({});
    },
  });
  return { path, seen, route: client.route('x') };
}

describe('tokenFile', () => {
  test('rereads the file when it has changed', async () => {
    const { path, seen, route } = open();
    await writeFile(path, 'one\n');
    await route.get();
    await route.get();
    await writeFile(path, 'two');
    await Promise.all([route.get(), route.get()]);
    // Replaces the file, as Kubernetes does.
    await writeFile(`${path}.new`, 'six');
    await rename(`${path}.new`, path);
    await route.get();
    expect(seen).toEqual(['Bearer one', 'Bearer one', 'Bearer two', 'Bearer two', 'Bearer six']);
  });

  test('after a change during a read in flight, the next call reads again', async () => {
    const { path, seen, route } = open();
    await writeFile(path, 'one');
    // It may find no file, and fail before it is awaited.
    const first = route.get().catch(() => undefined);
    await rename(path, `${path}.old`);
    await writeFile(path, 'two');
    await Promise.all([first, route.get().catch(() => undefined)]);
    await route.get();
    expect(seen.at(-1)).toBe('Bearer two');
  });

  test('keeps its token while the file is gone, empty or without a token', async () => {
    const { path, seen, route } = open();
    await writeFile(path, 'one');
    await route.get();
    await rm(path);
    await route.get();
    for (const text of ['', ' \n', 'two words', 'ü']) {
      await writeFile(path, text);
      await route.get();
    }
    expect(seen).toEqual(Array(6).fill('Bearer one'));
  });

  test('without a token the call fails with the reason', async () => {
    const { path, seen, route } = open();
    const missing = await failureOf(route.get());
    expect([missing.code, missing.method, missing.path]).toEqual(['CREDENTIALS', 'GET', '/_db/_system/x']);
    expect(missing.message).toContain('cannot be read (ENOENT)');
    await writeFile(path, 'canary secret');
    const wrong = await failureOf(route.get());
    expect(wrong.message).toContain('holds no token');
    expect(wrong.message).not.toContain('canary');
    await writeFile(path, 'one');
    await route.get();
    expect(seen).toEqual(['Bearer one']);
  });

  test('rereads after a 401', async () => {
    let left = 1;
    const { path, seen, route } = open({
      answer: () => (left-- > 0 ? new Response('', { status: 401 }) : Response.json({})),
    });
    await writeFile(path, 'one');
    await route.get();
    expect(seen).toEqual(['Bearer one', 'Bearer one']);
  });

  test('rereads a token of 1 minute past 75% of its own lifetime, whatever the wall clock says', async () => {
    let ms = 0;
    const { path, seen, route } = open({ now: () => ms });
    const tokenOf = (iat: number) => `x.${Buffer.from(JSON.stringify({ iat, exp: iat + 60 })).toString('base64url')}.x`;
    for (const issued of [1_000, 2_000_000_000]) {
      await writeFile(path, tokenOf(issued));
      await route.get();
      ms += 58_000;
      await route.get();
    }
    expect(seen).toEqual([1_000, 1_000, 2_000_000_000, 2_000_000_000].map((issued) => `Bearer ${tokenOf(issued)}`));
  });

  test('with tokens of the mock, over an hour of rotations', async () => {
    const mock = await createMock({ now: '2026-11-21T00:00:00Z' });
    const path = join(folder, 'mock');
    const client = createClient({ ...mock.connection, credentials: tokenFile(path), clock: mock.clock });
    for (let minute = 0; minute < 60; minute++) {
      await writeFile(path, await mock.tokens.issue({ user: 'svc', lifetime: '1m' }));
      expect(await client.authentication.identity()).toEqual({ user: 'svc' });
      mock.clock.advance('1m');
    }
  });

  test.each([undefined, '', 5])('rejects %j', (path) => {
    // The cast: deliberately wrong.
    expect(() => tokenFile(path as string)).toThrow(/^path: expected the path of a file/);
  });
});
