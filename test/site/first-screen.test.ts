import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { readMarked } from '../../scripts/lib/marked.ts';
import { parseSizes } from '../../scripts/lib/sizes.ts';
import { isDenied, permissions, question, toggleDenial, user } from '../../site/.vitepress/theme/first/example.ts';
import { readPermissions } from '../../src/permissions/index.js';
import { createEvaluator } from '../../src/policy/index.js';

const decide = async (text: string) => {
  const { policies, roles, bindings } = await readPermissions('permissions.yaml', { read: () => text });
  return createEvaluator({ policies, roles, bindings }).evaluate({ user, ...question }).effect;
};

const read = (file: string) => readFileSync(join(root, file), 'utf8');

test('the comparison of the first page has the sizes of the package and of ky, and the versions that are installed', async () => {
  const page = read('site/index.md');
  const [, small, whole] = /\| (\d+) kB instead of (\d+) \(minified and gzipped\)/.exec(page) ?? [];
  const sizes = parseSizes(await readMarked('subpaths', 'sizes', 'README.md'));
  expect(Number(whole)).toBe(sizes.get('arango-services'));
  const ky = "import ky from 'ky';\nconsole.log(ky);";
  const { outputFiles } = await build({
    stdin: { contents: ky, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  expect(Number(small)).toBe(Math.round(gzipSync(outputFiles[0]?.contents ?? '').length / 1_000));
  for (const name of ['arangojs', 'ky']) {
    const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
    expect(page).toContain(`/${name}) ${version.replace(/\.\d+$/, '')} |`);
  }
});

describe('the permissions of the first screen', () => {
  test('are a file that the command reads, and allow the request until the Deny is added', async () => {
    expect(await decide(permissions)).toBe('Allow');
    const denied = toggleDenial(permissions);
    expect([isDenied(permissions), isDenied(denied)]).toEqual([false, true]);
    expect(await decide(denied)).toBe('Deny');
    expect(toggleDenial(denied)).toBe(permissions);
  });

  test('have no line that is wider than a phone', () => {
    const lines = toggleDenial(permissions).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test('stay as they are typed if the Deny has no place', () => {
    expect(toggleDenial('policies: {}')).toBe('policies: {}');
    expect(toggleDenial('')).toBe('');
  });
});
