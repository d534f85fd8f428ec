import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { TextField } from './field.js';
import { More } from './more.js';
import { containing } from './words.js';

/** The number of items from which a list can be searched. */
const searchedFrom = 9;

interface SearchedProps<T> {
  /** The noun of an item, like `policy`, and of several. */
  readonly noun: readonly [one: string, many: string];
  readonly items: readonly T[];
  /** The text in which parts of names are searched. */
  textOf(item: T): string;
  /** The number of items at first. Default: 30. */
  readonly most?: number;
  /** Shows the items that were found. */
  children(found: readonly T[]): ComponentChildren;
}

/** A list that is narrowed by parts of names, and shown piece by piece. Short lists are shown as they are. */
export function Searched<T>({ noun: [one, many], items, textOf, most = 30, children }: SearchedProps<T>) {
  const [text, setText] = useState('');
  const [count, setCount] = useState(most);
  const found = containing(items, text, textOf);
  return (
    <>
      {(items.length >= searchedFrom || text !== '') && (
        <TextField
          label={`Search ${many}`}
          hidesLabel
          type="search"
          placeholder={`Search ${items.length} ${many}`}
          value={text}
          onValue={(next) => {
            setText(next);
            setCount(most);
          }}
        />
      )}
      {found.length > 0 && children(found.slice(0, count))}
      {found.length === 0 && text !== '' && <p class="quiet">No {one} contains this text.</p>}
      <More
        what={many}
        shownRows={Math.min(count, found.length)}
        all={found.length}
        onMore={() => setCount(count * 5)}
      />
    </>
  );
}
