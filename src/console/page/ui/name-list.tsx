import type { ComponentChildren } from 'preact';
import { Searched } from './searched.js';

interface NamesProps {
  readonly noun: readonly [one: string, many: string];
  readonly names: readonly string[];
  /** Shows a name. Default: as text. */
  show?(name: string): ComponentChildren;
}

/** Names behind their count, which opens the list. A few are shown at once. */
export function Names({ noun, names, show = (name) => name || '(empty name)' }: NamesProps) {
  if (names.length === 0) return null;
  return (
    <details open={names.length < 9}>
      <summary>
        {names.length} {noun[names.length === 1 ? 0 : 1]}
      </summary>
      <div class="stack tight names">
        <Searched noun={noun} items={names} textOf={(name) => name} look="">
          {(name) => <li key={name}>{show(name)}</li>}
        </Searched>
      </div>
    </details>
  );
}
