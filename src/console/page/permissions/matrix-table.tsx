import { useRef, useState } from 'preact/hooks';
import type { Matrix, MatrixCell } from '../../api.js';
import type { Opened } from './opened.js';

interface MatrixTableProps {
  readonly matrix: Matrix;
  onOpen(opened: Opened): void;
}

const looks: Readonly<Record<MatrixCell, readonly [sign: string, text: string, look: string]>> = {
  allow: ['✓', 'Allow', 'allow'],
  deny: ['–', 'Deny', ''],
  'explicit-deny': ['✕', 'Explicit Deny', 'deny'],
  nothing: ['', 'No binding', ''],
  all: ['✓', 'All resources', 'allow'],
  some: ['◐', 'Some resources', 'some'],
  none: ['', 'No resource', ''],
};
const ofResource: readonly MatrixCell[] = ['allow', 'deny', 'explicit-deny', 'nothing'];
const ofPattern: readonly MatrixCell[] = ['all', 'some', 'none'];

type CellPosition = readonly [row: number, column: number];

/** The position that a key moves to in a table of `rows` and `columns`; undefined for other keys. */
function positionAfter(event: KeyboardEvent, [row, column]: CellPosition, rows: number, columns: number) {
  const moves: Readonly<Record<string, CellPosition>> = {
    ArrowDown: [row + 1, column],
    ArrowUp: [row - 1, column],
    ArrowRight: [row, column + 1],
    ArrowLeft: [row, column - 1],
    Home: [event.ctrlKey ? 0 : row, 0],
    End: [event.ctrlKey ? rows - 1 : row, columns - 1],
    PageDown: [row + 10, column],
    PageUp: [row - 10, column],
  };
  const next = moves[event.key];
  const within = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
  return next && ([within(next[0], rows), within(next[1], columns)] as const);
}

/** Users × actions. One cell is in the tab order; the arrow keys move it, Enter opens an explanation. */
export function MatrixTable({ matrix, onOpen }: MatrixTableProps) {
  const { users, actions, resource, cells, granted } = matrix;
  const table = useRef<HTMLTableElement>(null);
  const [position, setPosition] = useState<CellPosition>([0, 0]);
  // Column 0 holds the users. After a filter the position may be outside.
  const at = [Math.min(position[0], users.length - 1), Math.min(position[1], actions.length)] as const;
  const move = (event: KeyboardEvent) => {
    const next = positionAfter(event, at, users.length, actions.length + 1);
    if (next === undefined) return;
    event.preventDefault();
    setPosition(next);
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.join()}"]`)?.focus();
  };
  const focusable = (row: number, column: number) => ({
    'data-cell': `${row},${column}`,
    tabIndex: row === at[0] && column === at[1] ? 0 : -1,
    onFocus: () => setPosition([row, column]),
  });
  return (
    <>
      <div class="matrix">
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of buttons, of the table pattern */}
        <table ref={table} role="grid" aria-label={`Decisions on ${resource || 'all resources'}`} onKeyDown={move}>
          <thead>
            <tr>
              <th scope="col">User</th>
              {actions.map((action) => (
                <th key={action} scope="col" class="mono">
                  <span>{action}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {users.map((user, row) => (
              <tr key={user}>
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    {...focusable(row, 0)}
                    onClick={() => onOpen({ kind: 'grants', user })}
                  >
                    {user || '(empty name)'}
                  </button>
                </th>
                {actions.map((action, index) => {
                  const [sign, text, look] = looks[cells[row]?.[index] ?? 'nothing'];
                  const regions = granted?.[row]?.[index];
                  return (
                    <td key={action}>
                      <button
                        type="button"
                        class={`cell ${look}`}
                        aria-label={`${user}, ${action}: ${text}`}
                        title={`${user}, ${action}: ${text}${regions ? `\n${regions}` : ''}`}
                        {...focusable(row, index + 1)}
                        onClick={() =>
                          onOpen(granted === null ? { kind: 'cell', user, action, resource } : { kind: 'grants', user })
                        }
                      >
                        {sign}
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Legend isPattern={granted !== null} />
    </>
  );
}

/** The meaning of the signs. */
function Legend({ isPattern }: { readonly isPattern: boolean }) {
  return (
    <p class="row quiet">
      {(isPattern ? ofPattern : ofResource)
        .map((kind) => looks[kind])
        .map(([sign, text, look]) => (
          <span key={text} class="row">
            <span class={`cell sample ${look}`} aria-hidden="true">
              {sign}
            </span>
            {text}
          </span>
        ))}
      <span>
        {isPattern
          ? 'A cell shows its patterns on hover; it and a user open the grants.'
          : 'A cell opens its explanation, a user the grants.'}
      </span>
    </p>
  );
}
