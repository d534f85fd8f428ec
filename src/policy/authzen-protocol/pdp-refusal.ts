import { type Reader, readOrRefuse } from '../../base/lib/readers.js';

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

/** Reads a value, or says what is wrong with it. */
export const readOr = <T, U>(value: unknown, reader: Reader<T>, otherwise: (problem: string) => U): T | U =>
  readOrRefuse(value, reader, '', (at, problem) => otherwise(at === '' ? problem : `${at}: ${problem}`));

/** Reads the body of a request; throws PdpRefusal with status 400 for the first issue. */
export const readBody = <T>(body: unknown, reader: Reader<T>): T =>
  readOr(body, reader, (problem) => {
    throw new PdpRefusal(400, problem);
  });
