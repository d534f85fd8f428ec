import type { IssuePath } from './text/paths.js';

/** An issue found in a value. */
export interface ReadingIssue {
  readonly path: IssuePath;
  /** The problem and what is accepted. Never quotes the value. */
  readonly message: string;
}

/** One walk through a value: the current place, and the issues (of type `I`) found so far. */
export class Reading<I extends ReadingIssue> {
  readonly issues: I[] = [];
  readonly #path: (string | number | IssuePath)[] = [];

  /** Reads the value at a key, or at a path of keys. */
  at<T>(key: string | number | IssuePath, value: unknown, reader: (value: unknown, reading: this) => T): T {
    this.#path.push(key);
    const read = reader(value, this);
    this.#path.pop();
    return read;
  }

  /** Reports an issue of the current value. The result is a placeholder that is never used. */
  report<T>(message: string, more?: Omit<I, keyof ReadingIssue>): T {
    // The casts: path, message and the fields of its kind make an issue; the placeholder is never used.
    this.issues.push({ path: this.#path.flat(), message, ...more } as ReadingIssue as I);
    return undefined as T;
  }
}
