import { expect, test } from 'vitest';
import { failingLines } from '../scripts/lib/failing-lines.ts';

test('failingLines keeps the lines of an output that name failures, each once', () => {
  const output = `
 \u001b[32m✓\u001b[39m unit test/a.test.ts (3 tests) 12ms
   × adds 4ms
\u001b[41m FAIL \u001b[49m unit test/b.test.ts > adds
AssertionError: expected 2 to be 3 // Object.is equality
  ❯ test/b.test.ts:5:21
 FAIL  unit test/b.test.ts > adds
not ok 3 - a check
✗ a figure is off
src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.
Caused by the error above`;
  expect(failingLines(output)).toEqual([
    'FAIL  unit test/b.test.ts > adds',
    'AssertionError: expected 2 to be 3 // Object.is equality',
    'not ok 3 - a check',
    '✗ a figure is off',
    "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
  ]);
});

test('failingLines keeps at most 60 lines that name failures, and the last lines if there are none', () => {
  const lines = Array.from({ length: 70 }, (_, number) => `line ${number}`);
  const failing = failingLines(lines.map((line) => `FAIL ${line}`).join('\n'));
  expect([failing.length, failing[59], failing[60]]).toEqual([61, 'FAIL line 59', '… and 10 lines more']);
  expect(failingLines(`${lines.join('\n')}\n\n`)).toEqual(lines.slice(-10));
});
