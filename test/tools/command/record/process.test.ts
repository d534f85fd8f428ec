import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../../../scripts/lib/exec.ts';
import { readFolder } from '../../../../src/mock/adapters/node/playback/read-folder.ts';
import { makeFolder, play, readFiles, serve } from './support.ts';

/** Starts the built command as a process. */
async function start(url: string, folder: string, ...flags: string[]) {
  const args = ['record', '--url', url, '--out', folder, '--port', '0', ...flags];
  const child = spawn(process.execPath, [`${root}dist/command/index.js`, ...args], { env: {} });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
  }
  await expect.poll(() => out, { timeout: 60_000 }).toMatch(/passes requests on/);
  const [proxy = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(out) ?? [];
  const ended = once(child, 'close');
  return {
    url: proxy,
    async stop(signal: NodeJS.Signals) {
      child.kill(signal);
      const [code] = await ended;
      return { code, out };
    },
  };
}

test('two processes side by side write what is complete when a signal stops them', async () => {
  const service = await serve((request, response) => {
    if (request.url === '/open') return response.writeHead(200).write('half');
    return response.end(`hello ${request.url}`);
  });
  const folders = [await makeFolder(), await makeFolder()] as const;
  const [first, second] = await Promise.all(folders.map((folder) => start(service, folder)));
  if (first === undefined || second === undefined) throw new Error('not started');
  expect(first.url).not.toBe(second.url);
  await (await fetch(`${first.url}/a`)).text();
  await (await fetch(`${second.url}/b`)).text();
  await (await fetch(`${second.url}/c`)).text();
  const half = await fetch(`${second.url}/open`);
  const cut = expect(half.text()).rejects.toThrow();
  expect(await first.stop('SIGINT')).toMatchObject({ code: 0, out: expect.stringContaining('1 new') });
  expect(await second.stop('SIGTERM')).toMatchObject({ code: 0, out: expect.stringContaining('2 new') });
  await cut;
  expect(Object.keys(await readFiles(folders[0]))).toEqual(['0001-get-a.json']);
  expect(Object.keys(await readFiles(folders[1]))).toEqual(['0001-get-b.json', '0002-get-c.json']);
  const { ask, played } = await play(folders[1]);
  expect(await (await ask('/c')).text()).toBe('hello /c');
  played.check();
});

test('a process that is killed while it writes leaves whole files, which a further run takes', async () => {
  const service = await serve((_request, response) => response.end('x'.repeat(20_000)));
  const folder = await makeFolder();
  const running = await start(service, folder);
  for (let i = 0; i < 100; i += 1) await (await fetch(`${running.url}/items/${i}`)).text();
  const stopped = running.stop('SIGINT');
  await expect.poll(async () => (await readdir(folder)).length, { timeout: 60_000 }).toBeGreaterThan(0);
  await running.stop('SIGKILL');
  await stopped;
  const left = await readFolder(folder);
  for (const { response } of left) expect(response.text).toHaveLength(20_000);
  const again = await start(service, folder, '--update');
  for (let i = 0; i < 100; i += 1) await (await fetch(`${again.url}/items/${i}`)).text();
  expect(await again.stop('SIGINT')).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${100 - left.length} new, 0 changed, ${left.length} unchanged`),
  });
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a run over 33 000 lines within 5 s', async (signal) => {
  const line = (id: number) => JSON.stringify({ id, name: `name of ${id}`, mail: `a${id}@b.test`, when: 'today' });
  const lines = Array.from({ length: 33_000 }, (_, id) => `${line(id)}\n`).join('');
  const service = await serve(({ url }, response) => {
    response
      .setHeader('content-type', 'application/x-ndjson')
      .end(url === '/lines' ? lines : '{"password":"pw-4711"}\n');
  });
  const folder = await makeFolder();
  const running = await start(service, folder, '--max-body', '10000000');
  for (const path of ['/login', '/lines', '/login']) await (await fetch(running.url + path)).text();
  const begin = performance.now();
  const { code, out } = await running.stop(signal);
  expect(performance.now() - begin).toBeLessThan(5_000);
  expect([code, out]).toEqual([0, expect.stringMatching(/GET \/lines is not kept: |3 new/)]);
  const files = Object.keys(await readFiles(folder));
  expect(files).toEqual(expect.arrayContaining([expect.stringContaining('-get-login.json')]));
});
