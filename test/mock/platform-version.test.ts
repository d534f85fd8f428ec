import { expect, test } from 'vitest';
import { readMarked } from '../../scripts/lib/marked.ts';
import { formatVersions } from '../../scripts/lib/mock-tables.ts';
import { versionDifferences } from '../../scripts/lib/version-differences.ts';
import { createMock } from '../../src/mock/index.js';
import { versionRules } from '../../src/mock/platform-version.ts';

test('docs/wire.md has the table of versions: npm run tables writes it', async () => {
  expect(await readMarked('versions', 'tables', 'docs/wire.md')).toBe(formatVersions());
});

test('each rule of the mock has a row in the table, whose versions differ as the rule does', () => {
  const rows = versionDifferences.flatMap(({ rules = [], ...row }) => rules.map((rule) => ({ rule, row })));
  expect(rows.map(({ rule }) => rule).sort()).toEqual(Object.keys(versionRules.next).sort());
  for (const { rule, row } of rows) {
    expect([rule, row['1.4.4'] !== row.recorded]).toEqual([
      rule,
      versionRules['1.4.4'][rule] !== versionRules.recorded[rule],
    ]);
    if (row.next !== 'unknown' && versionRules.next[rule] !== versionRules.recorded[rule]) {
      expect(row.next).not.toBe(row.recorded);
    }
  }
});

test('env() of 1.4.4 has no modes in sidecar fidelity, unlike the recorded version and documented fidelity', async () => {
  const modes = async (config: Parameters<typeof createMock>[0]) =>
    Object.keys((await createMock(config)).env()).filter((name) => name.includes('_MODE'));
  expect(await modes({ platform: '1.4.4', fidelity: 'sidecar' })).toEqual([]);
  expect(await modes({ platform: 'recorded', fidelity: 'sidecar' })).toHaveLength(3);
  expect(await modes({ platform: '1.4.4' })).toHaveLength(3);
});
