import { isObject } from '../../lib/values.js';
import { ServiceFailure } from './http.js';

/** The value of a field that came twice. No reader takes a symbol, so a message that knows the field is refused. */
export const duplicate: unique symbol = /* @__PURE__ */ Symbol('duplicate');

/** Where a text in JSON ends: at its closing quote, or with the whole text. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 0x5c) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** The paths of fields that come twice in the first JSON value of a text, and where that value ends. */
function scan(text: string): { readonly end: number; readonly duplicates: readonly string[][] } {
  const duplicates = new Map<string, string[]>();
  const outer: (string[] | undefined)[] = [];
  let names: string[] | undefined;
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
      if (names === undefined) {
        names = [name];
        continue;
      }
      if (names.includes(name)) {
        const path = [...outer.flatMap((above) => above?.at(-1) ?? []), name];
        duplicates.set(JSON.stringify(path), path);
      }
      names.push(name);
    } else if (code === 0x7b || code === 0x5b) {
      outer.push(names);
      names = undefined;
    } else if (code === 0x7d || code === 0x5d) {
      names = outer.pop();
      if (outer.length === 0) return { end: at + 1, duplicates: [...duplicates.values()] };
    }
  }
  return { end: text.length, duplicates: [] };
}

/** Marks a field that came twice; in lists, in the first item that has it. */
function mark(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => mark(item, path));
  const [name = '', ...rest] = path;
  if (!isObject(value) || !Object.hasOwn(value, name)) return false;
  if (rest.length > 0) return mark(value[name], rest);
  value[name] = duplicate;
  return true;
}

const pairsAndOthers = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|[^u])/g;

/** Whether JSON has an escape of half a code point, as no text may have it on the wire. */
function hasLoneSurrogate(text: string): boolean {
  return text.includes('\\u') && /\\u[dD][89a-fA-F]/.test(text.replace(pairsAndOthers, ''));
}

/**
 * The JSON of a request message; `undefined` where there is none. A field that comes twice is `duplicate`.
 * @param firstOnly whether what follows the first JSON value is ignored.
 * @throws ServiceFailure (InvalidArgument) for what is not JSON.
 */
export function parseMessage(text: string, firstOnly: boolean): unknown {
  if (!/[^ \t\r\n]/.test(text)) return undefined;
  let value: unknown;
  try {
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
