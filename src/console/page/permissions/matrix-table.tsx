import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Matrix, MatrixCell } from '../../api.js';
import { breakable } from '../ui/breakable.js';
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

/** True while the heads of the columns fit beside each other. */
function useFlatHeads(names: readonly string[], actions: readonly string[]) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setWidth(box.current?.clientWidth ?? 0);
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  // About the widths of letters: a head that does not fit makes the table scroll.
  const ofNames = Math.min(420, 9 * Math.max(...names.map((name) => name.length)) + 32);
  const ofActions = actions.reduce((sum, action) => sum + Math.max(40, 8 * action.length + 24), 0);
  return { box, isFlat: ofNames + ofActions <= width };
}

/** Keeps one cell of a table in the tab order, which the arrow keys move; `focusable` returns a cell's attributes. */
function useFocusedCell(rows: number, columns: number) {
  const table = useRef<HTMLTableElement>(null);
  const [position, setPosition] = useState<CellPosition>([0, 0]);
  // After a filter the position may be outside.
  const at = [Math.min(position[0], rows - 1), Math.min(position[1], columns - 1)] as const;
  const move = (event: KeyboardEvent) => {
    const next = positionAfter(event, at, rows, columns);
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
  return { table, move, focusable };
}

/** Users or groups × actions. Enter opens an explanation of the cell that has the focus. */
export function MatrixTable({ matrix, onOpen }: MatrixTableProps) {
  const { of, names, actions, resource, cells, granted } = matrix;
  const rows = names.map((name) => ({ name, subject: of === 'users' ? { user: name } : { roles: [name] } }));
  const { box, isFlat } = useFlatHeads(names, actions);
  // Column 0 holds the names.
  const { table, move, focusable } = useFocusedCell(names.length, actions.length + 1);
  return (
    <>
      <div class={isFlat ? 'matrix flat' : 'matrix'} ref={box}>
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of buttons, of the table pattern */}
        <table ref={table} role="grid" aria-label={`Decisions on ${resource || 'all resources'}`} onKeyDown={move}>
          <thead>
            <tr>
              <th scope="col">{of === 'users' ? 'User' : 'Group'}</th>
              {actions.map((action) => (
                <th key={action} scope="col" class="mono">
                  <span>{action}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((named, row) => (
              <tr key={named.name}>
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    {...focusable(row, 0)}
                    onClick={() => onOpen({ kind: 'grants', ...named })}
                  >
                    {named.name ? breakable(named.name) : '(empty name)'}
                  </button>
                </th>
                {actions.map((action, index) => {
                  const [sign, text, look] = looks[cells[row]?.[index] ?? 'nothing'];
                  const regions = granted?.[row]?.[index];
                  const label = `${named.name}, ${action}: ${text}`;
                  const about = granted ? { kind: 'grants' as const } : { kind: 'cell' as const, action, resource };
                  return (
                    <td key={action}>
                      <button
                        type="button"
                        class={`cell ${look}`}
                        aria-label={label}
                        title={regions ? `${label}\n${regions}` : label}
                        {...focusable(row, index + 1)}
                        onClick={() => onOpen({ ...about, ...named })}
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
          ? 'A cell shows its patterns on hover; it and a name open the grants.'
          : 'A cell opens its explanation, a name the grants.'}
      </span>
    </p>
  );
}
