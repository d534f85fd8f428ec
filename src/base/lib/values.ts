/** Half a code point, which UTF-8 would replace by U+FFFD. */
export const loneSurrogate: RegExp = /\p{Surrogate}/u;

/** True for an object that is not an array. Its fields are unknown until they are checked. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a list of texts. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

/** True for a plain object of any realm. */
export function isPlainObject(value: unknown): value is object {
  const prototype: unknown = typeof value === 'object' && value !== null && Object.getPrototypeOf(value);
  return prototype !== false && (prototype === null || Object.getPrototypeOf(prototype) === null);
}

/** Returns an own field or element of a value: inherited ones may come from a polluted prototype and do not count. */
export const ownField = (value: unknown, key: string | number): unknown =>
  value !== undefined && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string | number, unknown>>)[key]
    : undefined;

export const hasMethod = (value: unknown, name: PropertyKey): boolean =>
  typeof (value as Record<PropertyKey, unknown> | null | undefined)?.[name] === 'function';

/** Describes the kind of a value without quoting it: an unquoted password may look like a number or a boolean. */
export function describeKind(value: unknown): string {
  if (value === '') return 'an empty string';
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `a ${name}` : 'an object';
}

/** Describes the kind of a value like {@link describeKind}, but shows numbers and booleans. */
export const describeValue = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : describeKind(value);

/** The sentence for a value of another kind. It never quotes the value. */
export const wrongKind = (accepted: string, value: unknown): string =>
  `expected ${accepted}, got ${describeKind(value)}`;

/** False for a Map, RegExp, typed array and the like, whose content is not in properties, whatever the toStringTag. */
export const holdsFields = (object: object): boolean =>
  (Object.getPrototypeOf(object) === Object.prototype ||
    Object.prototype.toString.call(object) === '[object Object]') &&
  !(Symbol.iterator in object);
