/** Half a code point: on the wire it would become another text. */
export const loneSurrogate: RegExp = /\p{Surrogate}/u;

/** Whether a value has fields: an object that is no array. Each field is checked before it is used. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a plain object, of whatever realm. */
export function isPlainObject(value: unknown): value is object {
  const prototype: unknown = typeof value === 'object' && value !== null && Object.getPrototypeOf(value);
  return prototype !== false && (prototype === null || Object.getPrototypeOf(prototype) === null);
}

/** Whether a value has a method of that name. */
export const hasMethod = (value: unknown, name: PropertyKey): boolean =>
  typeof (value as Record<PropertyKey, unknown> | null | undefined)?.[name] === 'function';

/** What a value is, in words that quote no text of it. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value ? 'a string' : 'an empty string';
  if (typeof value === 'symbol' || typeof value === 'function' || typeof value === 'bigint') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid Date';
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `a ${name}` : 'an object';
}

/** The same where even a number could be a secret, which somebody forgot to quote. */
export const describeKind = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? `a ${typeof value}` : describeValue(value);
