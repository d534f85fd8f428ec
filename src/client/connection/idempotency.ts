import { accepting, optionsOf, type Reader, type ReadersOf, type ReadOptions, refuse } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import { isValidHeader, readHeaderText } from './headers.js';

/** A key by which a service recognizes a request that it has processed already. */
export interface IdempotencyKey {
  /** The header. Default `Idempotency-Key`. */
  readonly header?: string | undefined;
  /** The key. Default: 128 random bits for each call. */
  readonly value?: string | undefined;
}

const readKey = optionsOf({
  header: accepting<string>('the name of a header', (name) => typeof name === 'string' && isValidHeader(name, '')),
  value: readHeaderText,
} satisfies ReadersOf<IdempotencyKey>);

/** Reads the option: true for a random key, or an object. */
export const idempotencyOption: Reader<boolean | ReadOptions<{ header: Reader<string>; value: Reader<string> }>> = (
  value,
  reading,
) => {
  if (typeof value === 'boolean') return value;
  return isObject(value) ? readKey(value, reading) : refuse(reading, 'true, false or { header, value }', value);
};

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte + 256).toString(16).slice(1)).join('');

/** Sets the key of a POST or a PATCH among its headers; true if the call may then be retried as a read. */
export function setIdempotencyKey(
  headers: Record<string, string>,
  method: string,
  option: boolean | IdempotencyKey = false,
): boolean {
  if (!option || (method !== 'POST' && method !== 'PATCH')) return false;
  const { header = 'idempotency-key', value = randomKey() } = option === true ? {} : option;
  headers[header.toLowerCase()] = value;
  return true;
}
