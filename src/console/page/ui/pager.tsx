import { number } from './words.js';

interface PagerProps {
  /** The items in words, like `users`. */
  readonly what: string;
  /** The index of the first item of the page. */
  readonly from: number;
  readonly size: number;
  readonly all: number;
  onFrom(from: number): void;
}

/** Turns the pages of a long list. */
export function Pager({ what, from, size, all, onFrom }: PagerProps) {
  if (all <= size) return null;
  // A button that becomes disabled would lose the focus.
  const [isFirst, isLast] = [from === 0, from + size >= all];
  return (
    <div class="row">
      <span class="quiet" role="status">
        {number(from + 1)}–{number(Math.min(all, from + size))} of {number(all)} {what}
      </span>
      <button type="button" aria-disabled={isFirst} onClick={() => isFirst || onFrom(Math.max(0, from - size))}>
        Previous {what}
      </button>
      <button type="button" aria-disabled={isLast} onClick={() => isLast || onFrom(from + size)}>
        Next {what}
      </button>
    </div>
  );
}
