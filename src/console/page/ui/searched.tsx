import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { TextField } from './field.js';
import { More } from './more.js';
import { containing } from './words.js';

/** The number of items from which a list can be searched. */
const searchedFrom = 9;

interface SearchedProps<T> {
  /** The noun of an item, like `policy`, and of several. */
  readonly noun: readonly [singular: string, plural: string];
  readonly items: readonly T[];
  /** The text in which parts of names are searched. */
  textOf(item: T): string;
  /** The number of items at first. Default: 30. */
  readonly most?: number;
  /** The class of the list. Default: `items`; `null` for items without a list around them. */
  readonly look?: string | null;
  /** Shows an item that was found: an `li` with a key. */
  children(item: T): ComponentChildren;
}

/** A list that is narrowed by parts of names, and shown piece by piece. Short lists are shown as they are. */
export function Searched<T>({ noun, items, textOf, most = 30, look = 'items', children }: SearchedProps<T>) {
  const [singular, plural] = noun;
  const [text, setText] = useState('');
  const [count, setCount] = useState(most);
  const matches = containing(items, text, textOf);
  const rows = matches.slice(0, count).map(children);
  return (
    <>
      {(items.length >= searchedFrom || text !== '') && (
        <TextField
          label={`Search ${plural}`}
          hidesLabel
          type="search"
          placeholder={`Search ${items.length} ${plural}`}
          value={text}
          onValue={(next) => {
            setText(next);
            setCount(most);
          }}
        />
      )}
      {rows.length > 0 && (look === null ? rows : <ul class={look || undefined}>{rows}</ul>)}
      {matches.length === 0 && text !== '' && <p class="quiet">No {singular} contains this text.</p>}
      <More what={plural} shownRows={rows.length} all={matches.length} onMore={() => setCount(count * 5)} />
    </>
  );
}
