import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { root } from './exec.ts';

/** The comment above a module's code in a built file: its name, which is unique; an index has its path. */
export const markOf = (source: string): string =>
  source.endsWith('/index') ? source.replace(/^src\//, '') : basename(source);

/** The sources by their marks: `evaluator` is src/policy/evaluate/evaluator.ts, `policy/index` src/policy/index.ts. */
export function sourcesByMark(): ReadonlyMap<string, string> {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.endsWith('.d.ts'));
  return new Map(files.map((file) => [markOf(file.replace(/\.tsx?$/, '')), file]));
}
