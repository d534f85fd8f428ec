import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';

/** Runs in a process of its own, with gc(): calls whose body stalls, a garbage collection, then the end. */
const script = (transport: string) => `
import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from './src/index.ts';
import { nodeTransport } from './src/client/node/index.ts';

let closed = 0;
const server = createServer((request, response) => {
  response.on('close', () => closed++);
  response.writeHead(200).write('part');
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const route = createClient({ url: 'http://127.0.0.1:' + server.address().port, ${transport}retry: 0 }).route('svc');
const collect = async () => {
  for (let i = 0; i < 10; i++) {
    gc();
    await sleep(10);
  }
};
const codes = [];
const settled = (promise) => promise.then(() => codes.push('NONE'), (error) => codes.push(error.code));
const lasting = new AbortController();
const controllers = [];
const calls = [];
const start = (options) => {
  const { signal } = controllers[controllers.push(new AbortController()) - 1];
  calls.push(settled(route.request({ signal, ...options })));
  calls.push(settled(route.request({ signal, ...options, responseType: 'stream' }).then(({ body }) => new Response(body).text())));
};
for (let i = 0; i < 5; i++) start({});
await sleep(200);
await collect();
for (const controller of controllers) controller.abort();
await Promise.all(calls);
for (let i = 0; i < 5; i++) start({ timeout: 600 });
await sleep(200);
await collect();
await Promise.all(calls);
while (closed < 20) await sleep(10);
// Responses that are neither read nor referenced.
for (let i = 0; i < 5; i++) await route.request({ responseType: 'stream' }).then(() => undefined);
while (closed < 25) await collect();
// A signal that lives on does not hold them.
for (let i = 0; i < 5; i++) await route.request({ responseType: 'stream', signal: lasting.signal }).then(() => undefined);
while (closed < 30 || getEventListeners(lasting.signal, 'abort').length > 0) await collect();
// A referenced response stays open.
const held = await route.request({ responseType: 'stream' });
await collect();
const { value } = await held.body.getReader().read();
console.log(JSON.stringify({ codes, closed, held: new TextDecoder().decode(value) }));
server.closeAllConnections();
server.close();
`;

const ways = [
  { name: 'fetch', transport: '' },
  { name: 'nodeTransport', transport: 'transport: nodeTransport(), ' },
];

test.each(ways)(
  'over $name an abort or a timeout of a body works after a garbage collection, and an unread response releases its connection',
  async ({ transport }) => {
    const { outputFiles } = await build({
      stdin: { contents: script(transport), resolveDir: root, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['undici'],
      write: false,
    });
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-'], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stdin.end(outputFiles[0]?.text);
    const stop = setTimeout(() => child.kill(), 60_000);
    const [status] = await once(child, 'close');
    clearTimeout(stop);
    // The process ends by itself: no timer or socket of ours keeps it alive.
    expect(status).toBe(0);
    expect(JSON.parse(output)).toEqual({
      codes: [...Array(10).fill('ABORTED'), ...Array(10).fill('TIMEOUT')],
      closed: 30,
      held: 'part',
    });
  },
);
