import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { oldestNode } from '../../scripts/lib/scratch.ts';
import { serve } from '../support/server.ts';
import { endOf, startProgram } from './programs.ts';

const sendFiles = `
import { openAsBlob } from 'node:fs';
import { createClient } from './src/index.ts';
import { nodeTransport } from './src/client/node/index.ts';
import { uploadWithProgress } from './src/client/stream/index.ts';
const { url, path } = JSON.parse(process.argv[2]);
const formOf = (file) => {
  const form = new FormData();
  form.append('title', 'one');
  form.append('file', file, 'file.bin');
  return form;
};
for (const own of [{}, { transport: nodeTransport() }]) {
  const files = createClient({ url, ...own, timeout: 20_000, idleTimeoutMs: 10_000 }).route('files');
  for (const file of [await openAsBlob(path), ...(globalThis.Bun ? [globalThis.Bun.file(path)] : [])]) {
    await files.post('', file);
    await files.post('', formOf(file));
    await uploadWithProgress(files, '', file, { onProgress() {} });
    await uploadWithProgress(files, '', formOf(file), { onProgress() {} });
  }
}
process.exit(0);
`;

test.each(['Node', `Node ${oldestNode}`, 'Bun', 'Deno'])(
  'in %s the bytes of a file arrive, alone and in a form',
  async (runtime) => {
    const folder = await mkdtemp(join(tmpdir(), 'arango-services-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'file.bin');
    const text = `begin${'-'.repeat(200_000)}end`;
    await writeFile(path, text);
    const { url, seen } = await serve();
    expect(await endOf(await startProgram(runtime, sendFiles, { url, path }))).toMatchObject({ status: 0, errors: '' });
    expect(seen).toHaveLength(runtime === 'Bun' ? 16 : 8);
    const ofFiles = seen.map(({ body, headers }) => {
      const isForm = String(body).includes('name="title"');
      const type = isForm ? /^multipart\/form-data; ?boundary=/ : /^application\/octet-stream|^undefined/;
      expect(String(headers.get('content-type'))).toMatch(type);
      expect(String(body).includes(text)).toBe(true);
      return isForm;
    });
    expect(ofFiles.filter(Boolean)).toHaveLength(seen.length / 2);
  },
);
