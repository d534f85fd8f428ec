import { printable } from './printable.js';

/** Where something stands in a value: `['policies', 'read-only', 'statements', 0]`. */
export type Path = readonly (string | number)[];

/** A fault in a value. */
export interface ReadingIssue {
  readonly path: Path;
  /** What is wrong and what is accepted; it quotes no text of the value. */
  readonly message: string;
}

/**
 * A path as people read it: `policies.read-only.statements[0].actions[1]`; names that need it stand in quotes.
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
    else if (!/^[\p{L}\p{N}_-]+$/u.test(key)) text += `[${printable(JSON.stringify(key))}]`;
    else text += text === '' ? key : `.${key}`;
  }
  return text;
}

/**
 * One walk through a value: where in it the reader stands, and the faults that were found so far. `I` is what is
 * noted of each. The path is one stack: a value without faults costs no paths.
 */
export class Reading<I extends ReadingIssue> {
  readonly issues: I[] = [];
  readonly #path: (string | number)[] = [];

  /** Reads what stands at a key of the value. */
  at<T>(key: string | number, value: unknown, reader: (value: unknown, reading: this) => T): T {
    this.#path.push(key);
    const read = reader(value, this);
    this.#path.pop();
    return read;
  }

  /** Does what concerns a place further down. */
  under(path: Path, work: () => void): void {
    this.#path.push(...path);
    work();
    this.#path.length -= path.length;
  }

  /**
   * Notes a fault of the value that is being read. A reader returns what this gives: where there are issues, nobody
   * uses what was read.
   */
  report(message: string, more?: Omit<I, keyof ReadingIssue>): never {
    // The casts: a path, a message and what else its kind has make an issue; and nobody uses what a failed reading
    // gives.
    this.issues.push({ path: [...this.#path], message, ...more } as ReadingIssue as I);
    return undefined as never;
  }
}
