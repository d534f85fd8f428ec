import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec, execBin, root } from './exec.ts';
import { findChromium } from './find-chromium.ts';
import { npmInstall } from './tarball.ts';

/** The frameworks of the recipes, beside React; installed for this check only. */
const frameworks = ['@tanstack/react-query@5.108.0', '@tanstack/react-router@1.170.46', 'svelte@5.57.3', 'vue@3.5.45'];
const sections = 5;

/** Compiles each recipe of the guide to permissions in views as a module of a project that has their packages. */
async function compileRecipes(project: string): Promise<string[]> {
  await npmInstall(project, ...frameworks);
  const guide = await readFile(join(root, 'docs/guides/views.md'), 'utf8');
  const recipes = [...guide.matchAll(/^```tsx?\n(.*?)^```$/gms)].map(([, code = '']) => code);
  if (recipes.length !== sections) return [`docs/guides/views.md has ${recipes.length} recipes, not ${sections}`];
  for (const [index, code] of recipes.entries()) await writeFile(join(project, `src/recipe-${index}.tsx`), code);
  const { ok, output } = await execBin('typescript/bin/tsc', ['-p', project]);
  return ok ? [] : [output];
}

/** Runs the tests of the built page in Chromium. */
async function testInChromium(project: string): Promise<string[]> {
  const chromium = findChromium('THE TESTS OF react-app IN CHROMIUM');
  if (chromium === undefined) return [];
  const env = { ...process.env, CHROME_PATH: chromium };
  const { ok, output } = await exec('npm', ['run', 'test:browser'], { cwd: project, env, timeout: 300_000 });
  return ok ? [] : [output];
}

/** The checks of `examples/react-app` beside its types and its tests in jsdom. Returns what failed. */
export async function checkReactApp(project: string): Promise<string[]> {
  return [...(await testInChromium(project)), ...(await compileRecipes(project))];
}
