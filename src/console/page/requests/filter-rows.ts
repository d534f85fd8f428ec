import type { RequestRow } from '../../api.js';
import { folded } from '../ui/words.js';

/** The filters of the log, as the address holds them; empty text filters nothing. */
export interface LogFilter {
  readonly text: string;
  readonly method: string;
  /** A status like `404`, or a class like `4xx`; `dropped` for connections that a fault closed. */
  readonly status: string;
  readonly user: string;
  readonly decision: string;
}

/** Reads the filters of an address. */
export const readFilter = (filters: Readonly<Record<string, string>>): LogFilter => ({
  text: filters.text ?? '',
  method: filters.method ?? '',
  status: filters.status ?? '',
  user: filters.user ?? '',
  decision: filters.decision ?? '',
});

function hasStatus(status: number, wanted: string): boolean {
  if (wanted === 'dropped') return status === 0;
  const pattern = wanted.toLowerCase();
  return pattern.endsWith('xx') ? String(status)[0] === pattern[0] : String(status).startsWith(pattern);
}

function hasText({ path, query, user, items }: RequestRow, text: string): boolean {
  const has = (field: string | null) => field !== null && folded(field).includes(text);
  return has(path) || has(query) || has(user) || items.some(({ action, resource }) => has(action) || has(resource));
}

export function filterRows(rows: readonly RequestRow[], filter: LogFilter): readonly RequestRow[] {
  const { method, status, user, decision } = filter;
  const text = folded(filter.text.trim());
  if ([text, method, status, user, decision].every((filter) => filter === '')) return rows;
  return rows.filter(
    (row) =>
      (method === '' || row.method === method) &&
      (user === '' || row.user === user) &&
      (decision === '' || row.decision === decision) &&
      (status === '' || hasStatus(row.status, status)) &&
      (text === '' || hasText(row, text)),
  );
}
