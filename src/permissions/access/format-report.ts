import { printable } from '../../base/lib/text/printable.js';
import { describeOwner } from '../model/plan-change.js';
import type { ReportChanges, ReportRow } from './report-access.js';

const ownerOfRow = ({ user = '', group }: ReportRow): string =>
  describeOwner(group === undefined ? { user } : { group });

const accessOf = ({ access }: ReportRow): readonly string[] => (access.length > 0 ? access : ['nothing']);

function formatRow(row: ReportRow): string[] {
  const { role, scope, file, line, lastUsed } = row;
  const place = file === undefined ? '' : ` (${file}:${line})`;
  return [
    `  role ${JSON.stringify(role)} in ${scope}${place}`,
    ...accessOf(row).map((line) => `    ${line}`),
    ...(lastUsed === undefined ? [] : [`    last used: ${lastUsed ?? 'not in the log'}`]),
  ];
}

/** Formats the rows of a report as lines for people, by owner. */
export function formatReport(rows: readonly ReportRow[]): string {
  const byOwner = Map.groupBy(rows, ownerOfRow);
  const lines = [...byOwner].flatMap(([owner, own]) => [owner, ...own.flatMap(formatRow)]);
  return (lines.length > 0 ? lines : ['No bindings.']).map(printable).join('\n');
}

/** Formats what changed since an earlier report, with the signs of a plan. */
export function formatReportChanges({ added, removed, changed }: ReportChanges): string {
  const nameOf = (row: ReportRow) => `${ownerOfRow(row)}, role ${JSON.stringify(row.role)}`;
  const wordsOf = (row: ReportRow) => `${row.scope}: ${accessOf(row).join('; ')}`;
  const lines = [
    ...added.map((row) => `  + ${nameOf(row)} in ${wordsOf(row)}`),
    ...removed.map((row) => `  - ${nameOf(row)} in ${wordsOf(row)}`),
    ...changed.flatMap(({ before, after }) => [
      `  ~ ${nameOf(after)}`,
      `      before: ${wordsOf(before)}`,
      `      now: ${wordsOf(after)}`,
    ]),
  ];
  return (lines.length > 0 ? lines : ['  nothing']).map(printable).join('\n');
}

/** Encodes a cell of CSV (RFC 4180) so that no spreadsheet takes it for a formula, even with full-width signs. */
function toCell(value: string | number): string {
  const text = printable(String(value));
  const safe = /^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const columns = ['owner', 'name', 'role', 'scope', 'access', 'file', 'line', 'last used', 'change'];

/**
 * Formats a report as CSV (RFC 4180, with line feeds), a row for each binding. With changes since an earlier report,
 * removed bindings follow, and the last column says what changed.
 */
export function formatReportCsv(rows: readonly ReportRow[], changes?: ReportChanges): string {
  const changed = new Map<ReportRow, string>([
    ...(changes?.added ?? []).map((row) => [row, 'added'] as const),
    ...(changes?.changed ?? []).map(({ after }) => [after, 'changed'] as const),
    ...(changes?.removed ?? []).map((row) => [row, 'removed'] as const),
  ]);
  const cells = [...rows, ...(changes?.removed ?? [])].map((row) => [
    row.group === undefined ? 'user' : 'group',
    row.user ?? row.group ?? '',
    row.role,
    row.scope,
    accessOf(row).join('; '),
    row.file ?? '',
    row.line ?? '',
    row.lastUsed === null ? 'not in the log' : (row.lastUsed ?? ''),
    changed.get(row) ?? '',
  ]);
  return [columns, ...cells].map((line) => line.map(toCell).join(',')).join('\n');
}
