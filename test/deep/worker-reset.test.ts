import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { withMiniflare } from '../../scripts/runtimes/workers.ts';

/** A worker whose calls time out in the body of the mock's answer; the mock is then reset. */
const worker = `
import { createClient, credentials } from './src/index.ts';
import { createMock } from './src/mock/index.ts';

const rejections = [];
addEventListener('unhandledrejection', (event) => rejections.push(String(event.reason?.stack ?? event.reason)));
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const stalled = () =>
  new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });

async function codeOf(work) {
  try {
    await work();
    return 'ended';
  } catch (error) {
    return error.code;
  }
}

async function readAll(route) {
  const { body } = await route.with({ responseType: 'stream' }).get();
  const reader = body.getReader();
  while (!(await reader.read()).done);
}

export default {
  async fetch() {
    const mock = await createMock();
    const own = credentials.bearer(await mock.tokens.issue({ user: 'root' }));
    const client = createClient({ ...mock.connection, credentials: own, timeout: 100, retry: 0 });
    const codes = [];
    for (const way of [(route) => route.get(), readAll]) {
      mock.route('GET', '/_db/_system/stalls', () => new Response(stalled()));
      codes.push(await codeOf(() => way(client.route('stalls'))));
      mock.route('GET', '/_db/_system/hangs', () => new Promise(() => {}));
      codes.push(await codeOf(() => way(client.route('hangs'))));
      mock.reset();
      await wait(200);
    }
    return Response.json({ codes, rejections });
  },
};
`;

test('in workerd, resetting a mock after calls that timed out leaves no unhandled rejection', async () => {
  const { outputFiles } = await build({
    stdin: { contents: worker, resolveDir: root, loader: 'ts' },
    alias: { '#runtime': `${root}src/client/connection/ky-runtime.ts` },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd'],
    write: false,
  });
  const found = await withMiniflare(outputFiles[0]?.text ?? '', {}, async (dispatch) => {
    const answer = await dispatch('http://worker.test/');
    return answer.ok ? answer.json() : answer.text();
  });
  expect(found).toEqual({ codes: ['TIMEOUT', 'TIMEOUT', 'TIMEOUT', 'TIMEOUT'], rejections: [] });
});
