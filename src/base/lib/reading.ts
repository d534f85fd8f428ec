import { printable } from './printable.js';

/** The place of something in a value: `['policies', 'read-only', 'statements', 0]`. */
export type Path = readonly (string | number)[];

/** An issue found in a value. */
export interface ReadingIssue {
  readonly path: Path;
  /** The problem and what is accepted. Never quotes the value. */
  readonly message: string;
}

/**
 * Formats a path for people: `policies.read-only.statements[0].actions[1]`. Names are quoted if they need it.
 *
 * @example
 * ```ts
 * for (const { path, message } of validatePolicy({ statements: 'none' })) console.log(formatPath(path), message);
 * ```
 */
export function formatPath(path: Path): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[\p{L}\p{N}_$…-]+$/u.test(key)) text += `[${printable(JSON.stringify(key))}]`;
    else text += (text && '.') + key;
  }
  return text;
}

/**
 * One walk through a value: the current place and the issues found so far. `I` is the type of an issue. The path is one
 * stack, so a valid value allocates no paths.
 */
export class Reading<I extends ReadingIssue> {
  readonly issues: I[] = [];
  readonly #path: (string | number | Path)[] = [];

  /** Reads the value at a key, or at a path of keys. */
  at<T>(key: string | number | Path, value: unknown, reader: (value: unknown, reading: this) => T): T {
    this.#path.push(key);
    const read = reader(value, this);
    this.#path.pop();
    return read;
  }

  /**
   * Reports an issue of the current value. Readers return the result, a placeholder: a value read with issues is never
   * used.
   */
  report<T>(message: string, more?: Omit<I, keyof ReadingIssue>): T {
    // The casts: path, message and the fields of its kind make an issue; the placeholder is never used.
    this.issues.push({ path: this.#path.flat(), message, ...more } as ReadingIssue as I);
    return undefined as T;
  }
}
