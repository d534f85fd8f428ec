import { flagRows, variableOf } from '../../src/mock/config/mock-flags.ts';
import { faultNeeds, faultReaders } from '../../src/mock/options/fault.ts';
import { versionRules } from '../../src/mock/platform-version.ts';
import { versionDifferences } from './version-differences.ts';

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows].join('\n');

/** The file that describes faults. */
export const faultSource = 'src/mock/options/fault.ts';

/** The summaries of the fields in the source of faults, by name. */
function readSummaries(source: string): ReadonlyMap<string, string> {
  const found = source.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+):/gm);
  return new Map([...found].map(([, text = '', name = '']) => [name, text.replace(/\s+(?:\* )?/g, ' ').trim()]));
}

/** The table of the fields that `mock.fail` takes, with the docstrings in the source of faults. */
export function formatFaults(source: string): string {
  const summaries = readSummaries(source);
  const needs: Readonly<Record<string, string | undefined>> = faultNeeds;
  const rows = Object.keys(faultReaders).map((name) => {
    const other = needs[name];
    return row(`\`${name}\``, other === undefined ? '' : `\`${other}\``, summaries.get(name) ?? '');
  });
  return table(['field', 'with', 'effect'], rows);
}

/** The table of the flags that set the configuration. */
export function formatSettingFlags(): string {
  const rows = flagRows.flatMap(([name, { path, variable }]) =>
    path === undefined ? [] : row(`\`--${name}\``, variable === true ? `\`${variableOf(name)}\`` : '', `\`${path}\``),
  );
  return table(['flag', 'variable', 'field of the configuration'], rows);
}

/** The table of the versions of the platform. */
export function formatVersions(): string {
  const versions = Object.keys(versionRules) as (keyof typeof versionRules)[];
  const rows = versionDifferences.map((one) =>
    row(one.behaviour, ...versions.map((version) => one[version]), one.source),
  );
  return table(['behaviour', ...versions.map((version) => `\`${version}\``), 'source'], rows);
}
