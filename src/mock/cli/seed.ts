import { readFile } from 'node:fs/promises';
import type { Problem } from './arguments.js';

/** The code of a system error, like `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const reasons: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'may not be read'],
  ['EISDIR', 'is a directory'],
]);

/** Reads the value in a seed file, still unchecked, or the problem with the file. */
export async function readSeed(file: string): Promise<{ readonly value: unknown } | { readonly problem: Problem }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    return { problem: { where: file, message: reasons.get(code) ?? `cannot be read (${code ?? 'unknown'})` } };
  }
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) };
  } catch (error) {
    // The engine's own message quotes the file, which may hold passwords and keys; only the position is kept.
    const place = /\(?line \d+ column \d+\)?/
      .exec(error instanceof Error ? error.message : '')?.[0]
      .replace(/[()]/g, '');
    return { problem: { where: file, message: `is not valid JSON${place === undefined ? '' : ` (${place})`}` } };
  }
}
