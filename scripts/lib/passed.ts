import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './exec.ts';

const hashOf = (...texts: readonly (string | Buffer)[]) =>
  texts.reduce((hash, text) => hash.update(text).update('\0'), createHash('sha256')).digest('base64');

/** The content of a file; empty if there is none. */
function contentOf(file: string): string | Buffer {
  try {
    return readFileSync(join(root, file));
  } catch {
    return '';
  }
}

/** All that a check depends on beside the files that it reads: this Node, the installed packages, its settings. */
const tools = () =>
  hashOf(process.version, ...['node_modules/.package-lock.json', 'package.json', 'biome.json'].map(contentOf));

/** The files of the repository and those to be added, each with a hash of its path and content; none without git. */
export function hashFiles(): ReadonlyMap<string, string> {
  try {
    const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
    return new Map([...new Set(list.split('\0').filter(Boolean))].map((file) => [file, hashOf(file, contentOf(file))]));
  } catch {
    return new Map();
  }
}

const stampOf = (name: string) => join(root, 'node_modules/.cache/passed', `${name}.json`);

/** What passed a check before, as hashes; nothing if its tools have changed since. */
function readPassed(name: string): ReadonlySet<string> {
  try {
    const { by, passed } = JSON.parse(readFileSync(stampOf(name), 'utf8'));
    return new Set(by === tools() ? passed : []);
  } catch {
    return new Set();
  }
}

function writePassed(name: string, passed: readonly string[]): void {
  mkdirSync(dirname(stampOf(name)), { recursive: true });
  writeFileSync(stampOf(name), JSON.stringify({ by: tools(), passed }));
}

/**
 * Runs a check of the whole repository, unless it has passed with the same files, tools and output (a pattern of files
 * that the check writes). True if it passes.
 */
export async function unlessPassed(
  name: string,
  run: () => Promise<boolean>,
  { files = hashFiles(), output = [] as readonly string[] } = {},
): Promise<boolean> {
  const state = () =>
    hashOf(...files.values(), ...globSync([...output], { cwd: root }).flatMap((file) => [file, contentOf(file)]));
  if (files.size > 0 && readPassed(name).has(state())) return true;
  const passes = await run();
  if (passes) writePassed(name, [state()]);
  return passes;
}

/**
 * Runs a check that looks at each file by itself over the files that have not passed it before, over `.` where no files
 * are known. True if all pass.
 */
export async function overChanged(
  name: string,
  files: ReadonlyMap<string, string>,
  run: (changed: readonly string[]) => Promise<boolean>,
): Promise<boolean> {
  const passed = readPassed(name);
  const changed = [...files].filter(([, hash]) => !passed.has(hash)).map(([file]) => file);
  if (files.size > 0 && changed.length === 0) return true;
  const passes = await run(files.size > 0 ? changed : ['.']);
  if (passes) writePassed(name, [...files.values()]);
  return passes;
}
