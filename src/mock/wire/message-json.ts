import { isObject } from '../../base/lib/values.js';
import { ServiceFailure } from './http.js';

/** The value of a duplicate field. No reader takes a symbol, so a message that has such a field is refused. */
export const duplicate: unique symbol = /* @__PURE__ */ Symbol('duplicate');

/** The depth of nesting that the services read. */
const deepest = 10_000;

/** The end of a string in JSON: its closing quote, or the end of the text. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 0x5c) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Parses JSON as `JSON.stringify` writes it, which has no duplicate names and no text behind it; else undefined. */
function parsePlain(text: string): unknown {
  // A longer one may be too deep.
  if (text.length > deepest || text.includes('\\u')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Finds duplicate fields and the end of the first JSON value; throws RangeError if it is nested too deep. */
function scan(text: string): { readonly end: number; readonly duplicates: readonly string[][] } {
  const duplicates = new Map<string, string[]>();
  const outer: { readonly names: Set<string>; last?: string }[] = [];
  let inner: (typeof outer)[number] = { names: new Set() };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const start = at + 1;
      at = stringEnd(text, at);
      let next = at + 1;
      while (text.charCodeAt(next) <= 0x20) next++;
      if (text.charCodeAt(next) !== 0x3a) continue;
      const raw = text.slice(start, at);
      const name: string = raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw;
      at = next;
      if (inner.names.has(name)) {
        const path = [...outer.flatMap(({ last }) => last ?? []), name];
        duplicates.set(JSON.stringify(path), path);
      }
      inner.names.add(name);
      inner.last = name;
    } else if (code === 0x7b || code === 0x5b) {
      if (outer.push(inner) > deepest) throw new RangeError();
      inner = { names: new Set() };
    } else if (code === 0x7d || code === 0x5d) {
      inner = outer.pop() ?? inner;
      if (outer.length === 0) return { end: at + 1, duplicates: [...duplicates.values()] };
    }
  }
  return { end: text.length, duplicates: [] };
}

/** Marks a duplicate field; in lists, in the first item that has it. */
function mark(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => mark(item, path));
  const [name = '', ...rest] = path;
  if (!isObject(value) || !Object.hasOwn(value, name)) return false;
  if (rest.length > 0) return mark(value[name], rest);
  value[name] = duplicate;
  return true;
}

const pairsAndOthers = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|[^u])/g;

/** True if JSON escapes half of a surrogate pair, which the services refuse. */
const hasLoneSurrogate = (text: string): boolean => /\\u[dD][89a-fA-F]/.test(text.replace(pairsAndOthers, ''));

/**
 * Parses a request message; `undefined` if it is empty. The value of a duplicate field is `duplicate`.
 * @param firstOnly ignores text after the first JSON value.
 * @throws ServiceFailure (InvalidArgument) if it is not JSON.
 */
export function parseMessage(text: string, firstOnly: boolean): unknown {
  if (!/[^ \t\r\n]/.test(text)) return undefined;
  let value = parsePlain(text);
  try {
    if (value !== undefined) return value;
    const { end, duplicates } = scan(text);
    const first = firstOnly ? text.slice(0, end) : text;
    value = JSON.parse(first);
    for (const path of duplicates) mark(value, path);
    if (!hasLoneSurrogate(first)) return value;
  } catch {
    // The engine's own message quotes the body.
    throw new ServiceFailure(3, 'the body is not valid JSON');
  }
  throw new ServiceFailure(3, 'the body is not valid JSON: an escape is half of a surrogate pair');
}
