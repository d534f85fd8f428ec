// Uploads of a page, which the test starts by name. `globalThis.done` has what became of each.
import { createClient, credentials } from '../../../../dist/index.js';
import { progress, uploadWithProgress } from '../../../../dist/stream/index.js';

const url = new URLSearchParams(location.search).get('url') ?? location.origin;
const client = createClient({ url, database: 'shop', credentials: credentials.bearer('canary-of-a-token') });
const size = 50 * 2 ** 20;
const blob = (bytes: number) => new Blob([new Uint8Array(bytes)], { type: 'image/x-canary' });

async function upload(name: string): Promise<unknown> {
  const told: { bytes: number; total: number | undefined }[] = [];
  const form = new FormData();
  form.append('file', blob(size), 'a.bin');
  const controller = new AbortController();
  const onProgress = (one: { bytes: number; total: number | undefined }) => {
    told.push(one);
    if (name === 'abort') controller.abort();
    if (name === 'callback') throw new Error('canary');
  };
  const route = client.route('files').with({
    signal: controller.signal,
    ...(name === 'slow' && { timeout: 1_000 }),
  });
  const path = ['moved', 'far', 'slow', '413', 'gone'].includes(name) ? name : 'up';
  const body =
    name === 'form'
      ? form
      : name === 'bytes'
        ? new Uint8Array(size)
        : blob(path === 'up' && name === 'blob' ? size : 4_000_000);
  const sent =
    name === 'stream'
      ? client.route('files').post(
          path,
          progress(blob(1_000), () => undefined),
        )
      : uploadWithProgress(route, path, body, { onProgress });
  const outcome = await sent.then(
    ({ status, body }) => ({ status, body }),
    (error) => ({ ...error.toJSON(), message: error.message }),
  );
  const counts = told.map(({ bytes }) => bytes);
  return {
    ...outcome,
    told: told.length,
    isGrowing: counts.every((bytes, index) => bytes >= (counts[index - 1] ?? 0)),
    last: told.at(-1),
  };
}

const done: Record<string, unknown> = {};
Object.assign(globalThis, {
  done,
  upload(name: string) {
    void upload(name).then((outcome) => {
      done[name] = outcome;
    });
  },
});
