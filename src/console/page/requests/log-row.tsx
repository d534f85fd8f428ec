import type { RequestRow } from '../../api.js';
import { DecisionBadge } from '../ui/small.js';

export const statusText = (status: number): string => (status === 0 ? 'dropped' : String(status));

const statusClass = (status: number): string => {
  if (status === 0 || status >= 500) return 'deny';
  return status >= 400 ? 'warn' : '';
};

export const addressOf = ({ path, query }: RequestRow): string => (query === '' ? path : `${path}?${query}`);

/** Splits the path and its query in two, so that the end stays visible in a narrow row. */
function Address({ row }: { row: RequestRow }) {
  const address = addressOf(row);
  const at = Math.max(0, address.lastIndexOf('/', address.length - 2));
  return (
    <span class="cell-path mono" title={address}>
      <span>{address.slice(0, at)}</span>
      <span>{address.slice(at)}</span>
    </span>
  );
}

export function LogRow({ row }: { row: RequestRow }) {
  const [first] = row.items;
  const question = first && (first.resource === '' ? first.action : `${first.action} on ${first.resource}`);
  const more = row.itemCount > 1 ? ` and ${row.itemCount - 1} more` : '';
  return (
    <>
      <span class="cell-item" title={question}>
        {row.console && <span class="badge accent">Console</span>}{' '}
        {question ? (
          question + more
        ) : (
          <span class="narrow-only mono">
            {row.method} {row.path}
          </span>
        )}
      </span>
      <span class="cell-decision">
        <DecisionBadge decision={row.decision ?? undefined} />
      </span>
      <span class="cell-user">{row.user ?? ''}</span>
      <span class="mono cell-method">{row.method}</span>
      <Address row={row} />
      <span class="quiet mono cell-time">{row.time.slice(11, 19)}</span>
      <span class={`cell-status mono ${statusClass(row.status)}`}>{statusText(row.status)}</span>
    </>
  );
}

/** The heads of the columns. */
export function LogHeads() {
  return (
    <div class="list-heads">
      <span class="cell-item">Action on resource</span>
      <span class="cell-decision">Decision</span>
      <span class="cell-user">User</span>
      <span class="cell-method">Method</span>
      <span class="cell-path">Path</span>
      <span class="cell-time">Time</span>
      <span class="cell-status">Status</span>
    </div>
  );
}
