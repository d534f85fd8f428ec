import { number } from './words.js';

interface MoreProps {
  readonly noun: string;
  /** Default: the noun with an s. */
  readonly many?: string;
  readonly shownRows: number;
  readonly all: number;
  onMore(): void;
}

/** Shows more rows of a list, if it has more. */
export function More({ noun, many = `${noun}s`, shownRows, all, onMore }: MoreProps) {
  if (shownRows >= all) return null;
  return (
    <p class="row">
      <span class="quiet">
        The first {number(shownRows)} of {number(all)} {many}.
      </span>
      <button type="button" aria-label={`Show more ${many}`} onClick={onMore}>
        Show more
      </button>
    </p>
  );
}
