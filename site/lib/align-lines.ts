import type { Block } from '../../scripts/lib/examples.ts';

/**
 * The lines of a block's code by the lines of its module, which begin below a comment with the block's place. A module
 * lacks the imports, which stand at its top, and `export`.
 */
export function alignLines(
  { code }: Pick<Block, 'code'>,
  module: readonly string[],
  start: number,
): Map<number, readonly [line: number, shift: number]> {
  const aligned = new Map<number, readonly [number, number]>();
  let at = start;
  for (const [line, text] of code.split('\n').entries()) {
    const isExport = text === `export ${module[at]}`;
    if (text !== module[at] && !isExport) continue;
    aligned.set(at, [line, isExport ? 'export '.length : 0]);
    at += 1;
  }
  return aligned;
}

/** The places of imported names in the lines of a block that its module lacks. */
export function* importedNames(
  { code }: Pick<Block, 'code'>,
  body: ReadonlySet<number>,
  types: ReadonlyMap<string, string>,
) {
  for (const [line, text] of code.split('\n').entries()) {
    if (body.has(line)) continue;
    for (const { 0: name, index } of text.replace(/'[^']*'/, '').matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu)) {
      const type = types.get(name);
      if (type !== undefined) yield { line, column: index, length: name.length, text: type };
    }
  }
}
