import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMock, type MockConfig } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { build } from 'esbuild';
import { withMiniflare } from '../runtimes/workers.ts';

/**
 * Calls `src/service.ts` of an example in workerd, against a mock on a port: anonymously, and as alice. Returns the
 * unexpected responses.
 */
export async function askInWorkerd(project: string): Promise<string[]> {
  const { outputFiles } = await build({
    entryPoints: [join(project, 'src/service.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['workerd', 'worker'],
    write: false,
    logLevel: 'silent',
    absWorkingDir: project,
  });
  // The cast: the mock checks its configuration itself.
  const seed = JSON.parse(await readFile(join(project, 'seed.json'), 'utf8')) as MockConfig;
  await using mock = await createMock(seed);
  await using server = await listen(mock);
  const token = await mock.tokens.issue({ user: 'alice' });
  // Awaited, because the port is closed when this function returns.
  return await withMiniflare(outputFiles[0]?.text ?? '', { ARANGO_URL: server.url }, async (dispatch) => {
    const nobody = await dispatch('http://orders.test/orders');
    const alice = await dispatch('http://orders.test/orders', { headers: { authorization: `Bearer ${token}` } });
    const found = `in workerd: ${nobody.status} without a token, ${alice.status} ${await alice.text()}`;
    return /^in workerd: 401 without a token, 200 \[(?:\{[^}]*\},?){3}\]$/.test(found) ? [] : [found];
  });
}
