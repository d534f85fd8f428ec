import { useState } from 'preact/hooks';
import { useSession } from '../session.js';
import { Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { number, shown } from '../ui/words.js';
import { CountTable } from './count-table.js';
import type { OpenLog } from './logs.js';
import { Timeline } from './timeline.js';
import type { LogView, Who } from './types.js';
import { whoText } from './words.js';

/** The number of rows of each table at first, and the factor by which "Show more" raises it. */
const firstRows = 10;
const moreRows = 5;

const kinds: ReadonlySet<string> = new Set(['user', 'hash', 'roles', 'superuser'] satisfies Who['kind'][]);

/** The subject in the filters of the address. */
function whoOf({ user, as = 'user' }: Readonly<Record<string, string>>): Who | undefined {
  if (!kinds.has(as)) return undefined;
  if (as === 'superuser') return { kind: 'superuser', name: '' };
  // The cast: it is one of the kinds.
  return user === undefined || user === '' ? undefined : { kind: as as Who['kind'], name: user };
}

function totalText({ denied, allowed, deniedInVain }: LogView): string {
  const total = `${number(denied)} denied, ${number(allowed)} allowed.`;
  return deniedInVain > 0
    ? `${total} ${number(deniedInVain)} denials of the log were not enforced: the callers were let through.`
    : total;
}

/** The decisions of a log over time, by user, action and question. A name narrows all of them. */
export function DecisionsPanel({ log }: { log: OpenLog }) {
  const session = useSession();
  const { filters } = useValue(session.address);
  const { action: actionText = '' } = filters;
  const action = actionText === '' ? undefined : actionText;
  const who = whoOf(filters);
  const [most, setMost] = useState(firstRows);
  const { value, problem } = useLoaded(
    () => log.ask('view', { who, action, most }),
    [log, who?.kind, who?.name, action, most],
  );
  const narrow = (changes: Readonly<Record<string, string>>): void => {
    const address = session.address.get();
    session.address.set({ ...address, view: 'log', filters: { ...address.filters, ...changes } });
  };
  const isOnly = (one: Who) => who !== undefined && one.kind === who.kind && one.name === who.name;
  const showMore = () => setMost(most * moreRows);
  const nameButton = (text: string, isChosen: boolean, choose: () => void) => (
    <button type="button" class="link" aria-pressed={isChosen} onClick={choose}>
      {text}
    </button>
  );
  const noOne = { user: '', as: '' };
  if (value === undefined) return <Problem text={problem} />;
  return (
    <section class="stack" aria-label="Decisions">
      <div class="row">
        <h2>Decisions</h2>
        <span role="status">{totalText(value)}</span>
        {who !== undefined && (
          <button type="button" onClick={() => narrow(noOne)}>
            Only {whoText(who)} ×
          </button>
        )}
        {action !== undefined && (
          <button type="button" onClick={() => narrow({ action: '' })}>
            Only {shown(action)} ×
          </button>
        )}
      </div>
      <Timeline view={value} />
      <div class="stack halves">
        <CountTable
          title="By user"
          noun="user"
          columns={['User']}
          part={value.users}
          keyOf={({ who: one }) => `${one.kind} ${one.name}`}
          cells={({ who: one }) => [
            nameButton(whoText(one), isOnly(one), () =>
              narrow(isOnly(one) ? noOne : { user: one.name, as: one.kind === 'user' ? '' : one.kind }),
            ),
          ]}
          onMore={showMore}
        />
        <CountTable
          title="By action"
          noun="action"
          columns={['Action']}
          part={value.actions}
          keyOf={(row) => row.action}
          cells={(row) => [
            nameButton(shown(row.action), row.action === action, () =>
              narrow({ action: row.action === action ? '' : row.action }),
            ),
          ]}
          onMore={showMore}
        />
      </div>
      <CountTable
        title="Questions"
        noun="question"
        columns={['User', 'Question']}
        part={value.questions}
        keyOf={(row) => JSON.stringify([row.who, row.groups, row.action, row.resource])}
        cells={(row) => [
          <>
            {whoText(row.who)} {row.groups.length > 0 && <small>with {shown(row.groups.join(', '))}</small>}
          </>,
          <>
            <code>{shown(row.action)}</code> on <code>{shown(row.resource)}</code>
          </>,
        ]}
        onMore={showMore}
      />
    </section>
  );
}
