type Order = (keys: string[]) => string[];

const isPlain = (value: object) => [Object.prototype, null].includes(Object.getPrototypeOf(value));
const keyOf = (key: string) => (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? key : quote(key));
const quote = (text: string) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

function formatObject(value: object, order: Order, outer: readonly object[]): string {
  if (outer.includes(value)) return '[circular]';
  const inner = (part: unknown) => formatBy(part, order, [...outer, value]);
  if (Array.isArray(value)) return `[${value.map(inner).join(', ')}]`;
  if (value instanceof Date) return `Date ${Number.isNaN(value.getTime()) ? 'Invalid' : value.toISOString()}`;
  if (value instanceof Error) return String(value);
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} ${inner([...value])}`;
  if (value instanceof Uint8Array) return `Uint8Array ${inner([...value])}`;
  if (!isPlain(value)) return value.constructor?.name ?? 'Object';
  const record: Record<string, unknown> = { ...value };
  const fields = order(Object.keys(record)).map((key) => `${keyOf(key)}: ${inner(record[key])}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function formatBy(value: unknown, order: Order, outer: readonly object[] = []): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'function') return `function ${value.name}`;
  return typeof value === 'object' && value !== null ? formatObject(value, order, outer) : String(value);
}

/** Formats a value as TypeScript writes it, for the output of a block: `{ user: 'root' }`. */
export const format = (value: unknown): string => formatBy(value, (keys) => keys);

/** True for equal values; the order of fields does not matter. */
export const isSame = (a: unknown, b: unknown): boolean => {
  const sorted = (value: unknown) => formatBy(value, (keys) => keys.sort());
  return Object.is(a, b) || (typeof a === typeof b && sorted(a) === sorted(b));
};
