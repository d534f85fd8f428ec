import type { ConsoleState } from '../../api.js';
import { useSession } from '../page-session.js';
import { Choice, TextField } from '../ui/field.js';
import { Empty, Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { MatrixTable } from './matrix-table.js';
import type { Opened } from './opened.js';

interface MatrixPanelProps {
  readonly state: ConsoleState;
  onOpen(opened: Opened): void;
}

const labels = { users: 'Users', groups: 'Groups' } as const;
const mostNames = 200;
const mostActions = 100;
const mostCells = 5_000;

/** The names that contain one of the words. */
function containing(names: readonly string[], text: string): readonly string[] {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return words.length === 0 ? names : names.filter((name) => words.some((word) => name.toLowerCase().includes(word)));
}

/** Chooses the columns: actions in policies, requests and questions, and with a filter also the platform's actions. */
function actionsFor({ actions, platformActions }: ConsoleState, asked: readonly string[], text: string) {
  const named = [...new Set([...actions, ...asked])];
  const isWide = text.trim() !== '' || named.length === 0;
  return containing(isWide ? [...new Set([...named, ...platformActions])] : named, text);
}

const limitText = (what: string, shown: number, all: number): string[] =>
  shown < all ? [`The first ${shown} of ${all} ${what}: type a part of a name for others.`] : [];

/** Shows the decisions of all users, or groups, and actions on a resource that the user types. */
export function MatrixPanel({ state, onOpen }: MatrixPanelProps) {
  const session = useSession();
  const { filters } = useValue(session.address);
  const { resource = '', of: chosen, users: nameText = '', actions: actionText = '' } = filters;
  const set = (name: string) => (value: string) => {
    const address = session.address.get();
    session.address.set({ ...address, view: 'permissions', filters: { ...address.filters, [name]: value } });
  };
  const of = chosen === 'groups' ? chosen : 'users';
  const allNames = containing(state[of], nameText);
  const allActions = actionsFor(state, useValue(session.asked), actionText);
  const names = allNames.slice(0, mostNames);
  const actions = allActions.slice(0, Math.min(mostActions, Math.floor(mostCells / Math.max(1, names.length))));
  const isEmpty = names.length === 0 || actions.length === 0;
  const { value: matrix, problem } = useLoaded(
    () => (isEmpty ? undefined : session.api.matrix({ of, names, actions, resource })),
    [state.revision, of, names.join('\n'), actions.join('\n'), resource],
    60,
  );
  const limits = [
    ...limitText(of, names.length, allNames.length),
    ...limitText('actions', actions.length, allActions.length),
  ];
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
      {limits.map((limit) => (
        <p key={limit} class="quiet">
          {limit}
        </p>
      ))}
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
