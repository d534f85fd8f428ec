import { useMemo } from 'preact/hooks';
import type { RequestRow } from '../../api.js';
import { narrow, notify, useSession } from '../page-session.js';
import { Choice, TextField } from '../ui/field.js';
import { messageOf } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import type { LogFilter } from './filter-rows.js';

interface LogFiltersProps {
  readonly filter: LogFilter;
  readonly rows: readonly RequestRow[];
  /** The number of rows in the log, with those that are not loaded. */
  readonly all: number;
  /** The number of rows that pass the filters; undefined without filters. */
  readonly shown: number | undefined;
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();
const withAny = (any: string, values: readonly string[]) => [
  ['', any] as const,
  ...values.map((value) => [value, value] as const),
];

const statuses = [
  ['', 'Any'],
  ['2xx', '2xx'],
  ['3xx', '3xx'],
  ['4xx', '4xx'],
  ['5xx', '5xx'],
  ['dropped', 'Dropped'],
] as const;

/** Shows the filters above the log, with the number of rows that pass. */
export function LogFilters({ filter, rows, all, shown }: LogFiltersProps) {
  const session = useSession();
  const set = (name: keyof LogFilter) => (value: string) => narrow(session, 'requests', { [name]: value });
  const methods = useMemo(() => distinct([filter.method, ...rows.map(({ method }) => method)]).filter(Boolean), [rows]);
  const state = useValue(session.state);
  const users = useMemo(
    () => distinct([filter.user, ...(state?.users ?? []), ...rows.map(({ user }) => user ?? '')]).filter(Boolean),
    [rows, state],
  );
  const clear = () =>
    session.api.clearRequests().catch((error) => notify(session, { text: messageOf(error), isBad: true }));
  return (
    <form class="filters" aria-label="Filter the log" onSubmit={(event) => event.preventDefault()}>
      <TextField
        label="Text"
        type="search"
        placeholder="Path, user, action or resource"
        value={filter.text}
        onValue={set('text')}
      />
      <Choice label="Method" value={filter.method} onValue={set('method')} choices={withAny('Any', methods)} />
      <Choice label="Status" value={filter.status} onValue={set('status')} choices={statuses} />
      <Choice label="User" value={filter.user} onValue={set('user')} choices={withAny('Any', users)} />
      <Choice
        label="Decision"
        value={filter.decision}
        onValue={set('decision')}
        choices={withAny('Any', ['Allow', 'Deny'])}
      />
      <div class="filters-end">
        <span role="status" class="quiet">
          {shown === undefined ? `${all} requests` : `${shown} of ${all} requests`}
        </span>
        <button type="button" class="danger" disabled={rows.length === 0} onClick={clear}>
          Clear log
        </button>
      </div>
    </form>
  );
}
