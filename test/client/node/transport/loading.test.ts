import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exec, root } from '../../../../scripts/lib/exec.ts';
import { open } from '../../../support/server.ts';
import { temporaryFolder } from './support.ts';

/**
 * The output of a fresh process: that of `code`, then a line that lists which of ky, undici and Node's own fetch it
 * loaded.
 */
async function loadedBy(code: string, cwd = root): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({ load(url, context, next) {
      const name = /node_modules\\/([^/]+)\\//.exec(url)?.[1];
      if (['ky', 'undici'].includes(name)) packages.add(name);
      return next(url, context);
    } });
    ${code}
    if (process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')) packages.add('fetch');
    console.log([...packages].sort().join());`;
  const { ok, output, stdout } = await exec(process.execPath, ['--input-type=module', '--eval', script], { cwd });
  if (!ok) throw new Error(output);
  return stdout.trim().split('\n');
}

const calls = `
  const route = client.route('svc', { 'x-a': '1' }).with({ timeout: 5_000 });
  console.log((await route.get('a', { q: 1 })).status, (await route.post('b', { c: 1 })).status);
  await client.close();`;

describe('Loaded modules', () => {
  test('the main entry loads neither ky nor fetch, and the Node entry does not load undici', async () => {
    expect(await loadedBy("await import('arango-services');")).toEqual(['']);
    expect(await loadedBy("await import('arango-services/node');")).toEqual(['']);
  });

  test('calls over nodeTransport load neither ky nor fetch; those over the default do', async () => {
    const server = await open();
    const start = (options: string) => `
      const { createClient } = await import('arango-services');
      const { nodeTransport } = await import('arango-services/node');
      const client = createClient({ url: '${server.url}', ${options} });${calls}`;
    try {
      expect(await loadedBy(start('transport: nodeTransport()'))).toEqual(['200 200', 'undici']);
      expect(await loadedBy(start(''))).toEqual(['200 200', 'fetch,ky']);
    } finally {
      await server.close();
    }
  });

  test('without undici the call says what to install', async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, 'node_modules/arango-services'), { recursive: true });
    const packageFolder = join(folder, 'node_modules/arango-services');
    // Copies, not links: a link would resolve to the undici of this clone.
    const { cp } = await import('node:fs/promises');
    await cp(join(root, 'dist'), join(packageFolder, 'dist'), { recursive: true });
    await cp(join(root, 'package.json'), join(packageFolder, 'package.json'));
    for (const name of ['jose', 'ky', 'zod'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    expect(existsSync(join(folder, 'node_modules/undici'))).toBe(false);
    const code = `
      const { createClient } = await import('arango-services');
      const { nodeTransport } = await import('arango-services/node');
      const client = createClient({ url: 'http://127.0.0.1:9', transport: nodeTransport() });
      await client.route('svc').get().catch((error) => console.log(error.code, error.message));
      await client.close();`;
    const [message] = await loadedBy(code, folder);
    expect(message).toBe(
      'INVALID_ARGUMENT GET /_db/_system/svc was not sent: transport: nodeTransport needs undici 7 or 8: npm install undici',
    );
  });
});

test('close() leaves no handle: a process ends by itself', async () => {
  const server = await open();
  try {
    const code = `
      const { createClient } = await import('arango-services');
      const { nodeTransport } = await import('arango-services/node');
      await using client = createClient({ url: '${server.url}', transport: nodeTransport() });
      await Promise.all([client.route().get(), client.route().post({})]);
      await client.close();
      console.log(process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).join());`;
    const { ok, stdout } = await exec(process.execPath, ['--input-type=module', '--eval', code], { cwd: root });
    expect([ok, stdout.trim()]).toEqual([true, '']);
  } finally {
    await server.close();
  }
});
