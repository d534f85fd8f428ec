import { type Finding, type Reader, readWith } from '../lib/readers.js';
import { formatPath } from '../lib/reading.js';

/** A request that gets an error instead of decisions. The message quotes nothing of the request. */
export class PdpRefusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Describes the first issue of a value; undefined if there is none. */
function describeFirst([first]: readonly Finding[]): string | undefined {
  if (first === undefined) return undefined;
  const at = formatPath(first.path);
  const message = first.got === undefined ? first.message : `${first.message}, got ${first.got}`;
  return at === '' ? message : `${at}: ${message}`;
}

/** Reads a value, or says what is wrong with it. */
export function readOr<T, U>(value: unknown, reader: Reader<T>, otherwise: (problem: string) => U): T | U {
  const read = readWith(value, reader);
  const problem = describeFirst(read.issues);
  return problem === undefined ? read.value : otherwise(problem);
}

/**
 * Reads the body of a request.
 * @throws PdpRefusal with status 400 for the first issue.
 */
export const readBody = <T>(body: unknown, reader: Reader<T>): T =>
  readOr(body, reader, (problem) => {
    throw new PdpRefusal(400, problem);
  });
