import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type PlaybackOptions, playback } from '../../../../src/console/mock/node.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { inProcess } from '../support/in-process.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown;

/** A service on a port of 127.0.0.1 until the test ends. */
export async function serve(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    await answer(request, response, Buffer.concat(chunks));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** A folder until the test ends. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'arango-services-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `record` in this process, until `stop`. */
export async function record(url: string, folder: string, ...flags: string[]) {
  const stop = new AbortController();
  let out = '';
  const begins = Promise.withResolvers<void>();
  const stdout = {
    write(text: string) {
      out += text;
      if (out.includes('passes requests on')) begins.resolve();
    },
  };
  const args = ['record', '--url', url, '--out', folder, '--port', '0', ...flags];
  const ended = inProcess(args, { signal: stop.signal, stdout });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  // Not a poll: one that loses a race goes on, and moves the fake timers of the next tests.
  await Promise.race([begins.promise, ended]);
  const [proxy = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(out) ?? [];
  return {
    url: proxy,
    async stop() {
      stop.abort(new Error('SIGINT'));
      const { code, err } = await ended;
      return { code, err, out };
    },
  };
}

/** The files of a folder, by name. */
export async function readFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}

/** Plays recordings back as the service `orders` of a mock; `ask` calls it as a user. */
export async function play(folder: string, options?: PlaybackOptions) {
  const mock = await createMock();
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const played = await playback(mock, 'orders', folder, options);
  const token = await mock.tokens.issue({ user: 'alice' });
  const base = '/_service/uds/_db/shop/orders';
  const ask = (path: string, { headers, ...init }: RequestInit = {}) => {
    const all = new Headers(headers);
    all.set('authorization', `Bearer ${token}`);
    return mock.fetch(`${mock.connection.url}${base}${path}`, { ...init, headers: all });
  };
  return { mock, played, ask, base, token };
}
