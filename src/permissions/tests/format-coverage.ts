import { printable } from '../../base/lib/text/printable.js';
import type { Coverage, CoveredItem } from './test-coverage.js';

function toText({ items }: Coverage): string {
  const lines = items.flatMap(({ name, decided, place }) => {
    if (decided > 0) return [];
    return printable(`${place ? `${place.file}:${place.line}:${place.column}: ` : ''}${name} decided nothing`);
  });
  const share = (kind: CoveredItem['kind']) => {
    const all = items.filter((item) => item.kind === kind);
    return `${all.filter(({ decided }) => decided > 0).length} of ${all.length} ${kind}s`;
  };
  return [...lines, `${share('statement')} and ${share('binding')} decided something.`].join('\n');
}

/** If several items stand on one line, the lowest count is shown, so that an unused one is not hidden. */
function toLcov({ items }: Coverage): string {
  const files = new Map<string, Map<number, number>>();
  for (const { decided, place } of items) {
    if (place === undefined) continue;
    const lines = files.get(place.file) ?? new Map<number, number>();
    files.set(place.file, lines);
    lines.set(place.line, Math.min(decided, lines.get(place.line) ?? Number.POSITIVE_INFINITY));
  }
  const records = [...files].flatMap(([file, lines]) => {
    const counts = [...lines].sort(([a], [b]) => a - b);
    const hit = counts.filter(([, decided]) => decided > 0).length;
    const data = counts.map(([line, decided]) => `DA:${line},${decided}`);
    return ['TN:', `SF:${printable(file)}`, ...data, `LF:${counts.length}`, `LH:${hit}`, 'end_of_record', ''];
  });
  return records.join('\n');
}

/**
 * Formats coverage: unused statements and bindings as lines for people, all items as JSON, or the lines of the files as
 * lcov for coverage tools.
 * @example
 * ```ts
 * import { formatCoverage } from 'arango-services/permissions';
 *
 * const item = { kind: 'binding', name: 'binding of user "eve" to role "viewer"', decided: 0 } as const;
 * console.log(formatCoverage({ items: [item] })); // binding of user "eve" to role "viewer" decided nothing …
 * ```
 */
export function formatCoverage(coverage: Coverage, as: 'text' | 'json' | 'lcov' = 'text'): string {
  if (as === 'json') return JSON.stringify(coverage);
  return as === 'lcov' ? toLcov(coverage) : toText(coverage);
}
