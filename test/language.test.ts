import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';

/** Lines of `src` that a pattern matches, with their places. */
function findLines(pattern: RegExp): string[] {
  return globSync('src/**/*.ts', { cwd: root, exclude: ['src/pool/generated/**'] })
    .sort()
    .flatMap((file) =>
      readFileSync(root + file, 'utf8')
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? `${file}:${index + 1}: ${line.trim()}` : [])),
    );
}

test('comments begin with a verb or a noun phrase', () => {
  expect(findLines(/^\s*(?:\/\*\*|\*|\/\/) ?(?:What|Who|Whoever|Whether)\b/)).toEqual([]);
});

test('comments call programs and values by their names', () => {
  expect(findLines(/^\s*(?:\/\*\*|\*|\/\/).*\b(?:[Nn]obody|[Ss]omebody|[Ww]hoever|[Aa]nybody|[Ee]verybody)\b/)).toEqual(
    [],
  );
});
