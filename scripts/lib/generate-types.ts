import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec, root } from './exec.ts';
import { npmInstall } from './tarball.ts';

/**
 * Runs the commands by which the guide generates types, in a project that has TypeScript 7, and compares the result
 * with the types of the tests. The document is copied instead of fetched.
 */
export async function runGuideOfTypes(folder: string): Promise<string[]> {
  const guide = await readFile(join(root, 'docs/guides/openapi.md'), 'utf8');
  const commands = /## Generate the types[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  if (!/^curl .*\n/m.test(commands)) return ['the guide has no commands that generate types'];
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await npmInstall(folder, 'typescript@7.0.2');
  const documents = join(root, 'test/client/openapi/documents');
  await copyFile(join(documents, 'orders.json'), join(folder, 'openapi.json'));
  const { ok, output } = await exec('sh', ['-ec', commands.replace(/^curl .*\n/m, '')], { cwd: folder });
  if (!ok) return [output];
  const [made, kept] = await Promise.all(
    [folder, documents].map((from) => readFile(join(from, 'orders.d.ts'), 'utf8')),
  );
  return made === kept ? [] : ['the generated types are not those of test/client/openapi/documents/orders.d.ts'];
}
