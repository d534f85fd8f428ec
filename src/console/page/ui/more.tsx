import { number } from './words.js';

interface MoreProps {
  /** The items in words, like `users`. */
  readonly what: string;
  readonly shownRows: number;
  readonly all: number;
  onMore(): void;
}

/** Shows more rows of a list, if it has more. */
export function More({ what, shownRows, all, onMore }: MoreProps) {
  if (shownRows >= all) return null;
  return (
    <p class="row">
      <span class="quiet">
        The first {number(shownRows)} of {number(all)} {what}.
      </span>
      <button type="button" aria-label={`Show more ${what}`} onClick={onMore}>
        Show more
      </button>
    </p>
  );
}
