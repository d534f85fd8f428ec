import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from './exec.ts';

/** A program that a page lets its reader save to a file. */
interface SavedProgram {
  readonly name: string;
  readonly code: string;
  /** The outputs of `node <name>` that the page shows, from its top to its end. */
  readonly outputs: readonly string[];
}

const saved = /^Save it as `([\w.-]+\.ts)`[^\n]*\n\n```ts\n(.*?)^```$/gms;
/** The command below a program, that of older versions of Node, and the output. */
const command = /^```sh\nnode (\S+) # Node 22\.18 or later; before: node (\S+) \1\n```\n\n```text\n([^`]*)\n```$/gm;
const again = /^`node (\S+)` now prints `([^`]+)`/gm;

/** The programs of a page. */
function findSaved(markdown: string): SavedProgram[] {
  const shown = [
    ...[...markdown.matchAll(command)].map(([, name, , output = '']) => ({ name, output })),
    ...[...markdown.matchAll(again)].map(([, name, output = '']) => ({ name, output })),
  ];
  return [...markdown.matchAll(saved)].map(([, name = '', code = '']) => ({
    name,
    code,
    outputs: shown.filter((line) => line.name === name).map(({ output }) => output),
  }));
}

/** The flag that this Node needs for TypeScript, as the page says. */
async function findFlags(markdown: string, node: string): Promise<string[]> {
  const { stdout } = await exec(node, ['-p', 'process.features.typescript']);
  const [, , flag] = [...markdown.matchAll(command)][0] ?? [];
  return stdout.trim() !== 'false' || flag === undefined ? [] : [flag];
}

/**
 * Saves the programs of a page to a folder, and runs each by the command that the page shows. `turn` counts the outputs
 * of a program: 0 is the first one, which may be empty; later turns run only the programs that the page runs again.
 * Gives what failed.
 */
export async function runSaved(
  markdown: string,
  at: { readonly folder: string; readonly node: string; readonly turn: number },
): Promise<string[]> {
  const { folder, node, turn } = at;
  const flags = await findFlags(markdown, node);
  const programs = findSaved(markdown).filter(({ outputs }) => turn === 0 || outputs.length > turn);
  const failures: string[] = programs.length === 0 ? [`README.md: no program is run in turn ${turn}`] : [];
  for (const { name, code, outputs } of programs) {
    await writeFile(join(folder, name), code);
    const { ok, stdout, output } = await exec(node, [...flags, name], { cwd: folder, timeout: 60_000 });
    if (!ok || stdout.trimEnd() !== (outputs[turn] ?? '')) failures.push(`README.md: node ${name} prints\n${output}`);
  }
  return failures;
}
