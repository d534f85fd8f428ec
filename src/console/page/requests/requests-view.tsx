import { useEffect, useMemo, useRef } from 'preact/hooks';
import { readOlder } from '../follow.js';
import { narrow, notify, useSession } from '../page-session.js';
import { Empty } from '../ui/small.js';
import { messageOf } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { VirtualList } from '../ui/virtual-list.js';
import { filterRows, readFilter } from './filter-rows.js';
import { LogFilters } from './log-filters.js';
import { LogHeads, LogRow } from './log-row.js';
import { RequestDetailPane } from './request-detail.js';

/** Shows the log, which follows new requests, beside the details of the selected one. */
export function RequestsView() {
  const session = useSession();
  const address = useValue(session.address);
  const rows = useValue(session.requests);
  const isRead = useValue(session.isLogRead);
  const pane = useRef<HTMLElement>(null);
  const { filters } = address;
  const filter = readFilter(filters);
  const matches = useMemo(() => filterRows(rows, filter), [rows, ...Object.values(filter)]);
  const older = useValue(session.olderRequests);
  const isFiltered = matches !== rows;
  const isSearching = isFiltered && older > 0;
  const load = useLoadOlder(isSearching);
  const open = filters.id;
  const select = (id: string) => narrow(session, 'requests', { id });

  return (
    <div class={open === undefined || open === '' ? 'split' : 'split has-detail'}>
      <section class="pane" aria-label="Log">
        <LogFilters
          filter={filter}
          rows={rows}
          all={rows.length + older}
          shown={isFiltered ? matches.length : undefined}
        />
        {matches.length > 0 ? (
          <>
            <LogHeads />
            <VirtualList
              items={matches}
              count={isFiltered ? matches.length : rows.length + older}
              onMissing={load}
              label="Requests, newest first"
              keyOf={({ id }) => String(id)}
              selected={open}
              onSelect={select}
              onOpen={() => pane.current?.focus()}
              render={(row) => <LogRow row={row} />}
            />
          </>
        ) : (
          isRead && !isSearching && <NoRequests isFiltered={rows.length > 0} url={session.overview.url} />
        )}
      </section>
      <section class="pane detail" aria-label="Request" ref={pane} tabIndex={-1}>
        {open === undefined || open === '' ? (
          <Empty title="No request is open">
            <p>Choose one with the mouse, or with the arrow keys in the list.</p>
          </Empty>
        ) : (
          <RequestDetailPane id={Number(open)} onClose={() => select('')} />
        )}
      </section>
    </div>
  );
}

/** Returns a function that loads older rows. While `isNeeded`, they are loaded to the last. */
function useLoadOlder(isNeeded: boolean): () => void {
  const session = useSession();
  const isLoading = useRef(false);
  const rows = useValue(session.requests);
  const load = async () => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      await readOlder(session);
    } catch (error) {
      notify(session, { text: messageOf(error), isBad: true });
    } finally {
      isLoading.current = false;
    }
  };
  useEffect(() => {
    if (isNeeded) void load();
  }, [isNeeded, rows.at(-1)?.id]);
  return () => void load();
}

function NoRequests({ isFiltered, url }: { isFiltered: boolean; url: string }) {
  return isFiltered ? (
    <Empty title="No request passes the filters">
      <p>Clear a filter to see more.</p>
    </Empty>
  ) : (
    <Empty title="No requests yet">
      <p>Point your application at this address, and its requests appear here:</p>
      <code>{url}</code>
    </Empty>
  );
}
