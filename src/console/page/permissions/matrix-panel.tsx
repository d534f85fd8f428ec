import type { ConsoleState } from '../../api.js';
import { narrow, useSession } from '../page-session.js';
import { Choice, TextField } from '../ui/field.js';
import { Pager } from '../ui/pager.js';
import { Empty, Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { containing } from '../ui/words.js';
import { MatrixTable } from './matrix-table.js';
import type { Opened } from './opened.js';

interface MatrixPanelProps {
  readonly state: ConsoleState;
  onOpen(opened: Opened): void;
}

const labels = { users: 'Users', groups: 'Groups' } as const;
/** The rows and columns of a page. */
const [pageRows, pageColumns] = [50, 50];

/** Chooses the columns: actions in policies, requests and questions, and with a filter also the platform's actions. */
function actionsFor({ actions, platformActions }: ConsoleState, ofQuestions: readonly string[], text: string) {
  const named = [...new Set([...actions, ...ofQuestions])];
  const isWide = text.trim() !== '' || named.length === 0;
  return containing(isWide ? [...new Set([...named, ...platformActions])] : named, text, (action) => action);
}

/** The index of the first item of the page that an address names. */
const firstOf = (text: string | undefined, size: number, all: number): number =>
  Math.floor(Math.max(0, Math.min(Number(text) || 0, all - 1)) / size) * size;

/** Shows the decisions of all users, or groups, and actions on a resource that the user types. */
export function MatrixPanel({ state, onOpen }: MatrixPanelProps) {
  const session = useSession();
  const { filters } = useValue(session.address);
  const { resource = '', of: chosen, users: nameText = '', actions: actionText = '' } = filters;
  const set = (name: string) => (value: string) => {
    const start = name === 'row' || name === 'column' ? {} : { row: '', column: '' };
    narrow(session, 'permissions', { ...start, [name]: value });
  };
  const of = chosen === 'groups' ? chosen : 'users';
  const allNames = containing(state[of], nameText, (name) => name);
  const allActions = actionsFor(state, useValue(session.asked), actionText);
  const row = firstOf(filters.row, pageRows, allNames.length);
  const column = firstOf(filters.column, pageColumns, allActions.length);
  const names = allNames.slice(row, row + pageRows);
  const actions = allActions.slice(column, column + pageColumns);
  const isEmpty = names.length === 0 || actions.length === 0;
  const { value: matrix, problem } = useLoaded(
    () => (isEmpty ? undefined : session.api.matrix({ of, names, actions, resource })),
    [state.revision, of, names.join('\n'), actions.join('\n'), resource],
    60,
  );
  return (
    <section class="stack" aria-label="Matrix">
      <div class="columns">
        <TextField
          label="Resource"
          mono
          value={resource}
          placeholder="All: type a resource or a pattern"
          options={state.resources.slice(0, 500)}
          onValue={set('resource')}
        />
        {(state.groups.length > 0 || of === 'groups') && (
          <Choice label="Rows" value={of} onValue={set('of')} choices={Object.entries(labels)} />
        )}
        <TextField label={labels[of]} type="search" placeholder="All" value={nameText} onValue={set('users')} />
        <TextField
          label="Actions"
          type="search"
          placeholder="Named by policies or requests"
          value={actionText}
          onValue={set('actions')}
        />
      </div>
      {of === 'groups' && <p class="quiet">The groups of bindings and of logged requests: no call lists others.</p>}
      <Problem text={problem} />
      <div class="row pagers">
        <Pager what={of} from={row} size={pageRows} all={allNames.length} onFrom={(from) => set('row')(String(from))} />
        <Pager
          what="actions"
          from={column}
          size={pageColumns}
          all={allActions.length}
          onFrom={(from) => set('column')(String(from))}
        />
      </div>
      {isEmpty && (
        <Empty title="There is nothing to compare">
          <p>
            {state.users.length === 0
              ? 'Bind a user to a role, or send a request: users appear here.'
              : 'No name or no action contains this text.'}
          </p>
        </Empty>
      )}
      {!isEmpty && matrix && <MatrixTable matrix={matrix} onOpen={onOpen} />}
    </section>
  );
}
