import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Block, buildModules } from './examples.ts';
import { exec, root } from './exec.ts';

/** The first line of a block that is run in the tests as well. */
export const runMarker = /^\/\/ runs(?:\n|$)/;
/** `expression; // → value` in such a block is a check. */
export const arrow = /^( *)(\S.*); \/\/ → (.*)$/gm;

/**
 * Creates modules of the blocks that run, one for each section. The value after an arrow is compared with the one
 * before it; if they differ, the module throws with the block's place.
 */
export function buildRunning(file: string, blocks: readonly Block[]): string[] {
  const running = blocks.filter(({ code }) => runMarker.test(code));
  const compared = running.map(({ section, line, code }) => {
    const check = (_: string, indent: string, expression: string, value: string) =>
      `${indent}assertSame(${expression}, (${value}), ${JSON.stringify(`${file}:${line}: ${expression}`)});`;
    return { section, line, code: code.replace(arrow, check) };
  });
  return [...buildModules(file, compared).values()];
}

/**
 * Runs modules one after the other in one process, each with a mock of its own behind `fetch`
 * (`test/support/docs-runner.ts`). They are written below `reports` (git ignores it). Empty when all is well, else what
 * failed.
 */
export async function runModules(name: string, modules: readonly string[]): Promise<string> {
  const folder = join(root, 'reports', 'running', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = modules.map((_, index) => join(folder, `section-${index + 1}.ts`));
  await Promise.all(files.map((path, index) => writeFile(path, modules[index] ?? '')));
  const runner = join(root, 'test/support/docs-runner.ts');
  const { ok, output } = await exec(process.execPath, [runner, ...files], { timeout: 60_000 });
  return ok ? '' : output;
}
