import { isObject } from '../../base/lib/values.js';
import { looksSecret } from '../../base/secrets/redact.js';
import { decodeSegment } from '../wire/path-rules.js';
import { decodeContent, jsonOf, sha256, textOf } from './body-bytes.js';
import { readMultipart } from './read-multipart.js';
import type { RecordedBody, RecordedExchange } from './recording-format.js';
import { type Bindings, hasReference } from './references.js';

/** The parts of a request besides method and path that must equal the recording's. */
export type MatchedPart = 'query' | 'body';

/** A request that is compared with recordings. */
export interface AskedRequest {
  readonly method: string;
  /** The path as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** The body without its `Content-Encoding`. */
  readonly body: Buffer;
}

/** A part of a request that differs, and the places in it: names of parameters, or JSON pointers. */
export interface RequestDifference {
  readonly part: 'method' | 'path' | MatchedPart;
  readonly places: readonly string[];
}

/** The name of a field for a message; a name may be a value of the caller. */
const shownName = (name: string): string => (/^[\w.:[\]-]{1,40}$/.test(name) && !looksSecret(name) ? name : '…');
const mostShown = 5;

/** A difference as a message shows it; values are left out. */
export function formatDifference({ part, places }: RequestDifference): string {
  const texts = [...new Set(places)];
  if (texts.length > mostShown) texts.splice(mostShown, texts.length, `and ${texts.length - mostShown} more`);
  return texts.length === 0 ? part : `${part} (${texts.join(', ')})`;
}

function matchPath(pattern: string, path: string, bindings: Bindings): boolean {
  const [recorded, asked] = [pattern, path].map((text) => text.split('/').map((segment) => decodeSegment(segment)));
  if (recorded === undefined || asked?.length !== recorded.length) return false;
  return recorded.every((segment, index) => bindings.match(segment, asked[index] ?? ''));
}

/** The names of parameters that differ: in any order, but repeated ones keep theirs. */
function differingNames(recorded: URLSearchParams, asked: URLSearchParams, bindings: Bindings): string[] {
  const names = [...new Set([...recorded.keys(), ...asked.keys()])];
  return names.filter((name) => {
    const [patterns, values] = [recorded.getAll(name), asked.getAll(name)];
    return (
      patterns.length !== values.length ||
      !patterns.every((pattern, index) => matchText(pattern, values[index] ?? '', bindings))
    );
  });
}

/** The pairs of fields of two objects, undefined where one lacks the field; names may hold references. */
function* fieldsOf(recorded: object, asked: object, bindings: Bindings): Generator<[string, unknown, unknown]> {
  const left = new Map(Object.entries(asked));
  for (const [name, pattern] of Object.entries(recorded)) {
    const key =
      left.has(name) || !hasReference(name) ? name : [...left.keys()].find((key) => bindings.match(name, key));
    yield [key ?? name, pattern, left.get(key ?? name)];
    left.delete(key ?? name);
  }
  for (const [name, value] of left) yield [name, undefined, value];
}

/** Returns the pointers of JSON values that differ. */
export const compareJson = (recorded: unknown, asked: unknown, bindings: Bindings): string[] => [
  ...differing(recorded, asked, bindings, ''),
];

function* differing(recorded: unknown, asked: unknown, bindings: Bindings, at: string): Generator<string> {
  if (Array.isArray(recorded) && Array.isArray(asked)) {
    for (let index = 0; index < Math.max(recorded.length, asked.length); index += 1)
      yield* differing(recorded[index], asked[index], bindings, `${at}/${index}`);
  } else if (isObject(recorded) && isObject(asked)) {
    for (const [name, pattern, value] of fieldsOf(recorded, asked, bindings))
      yield* differing(pattern, value, bindings, `${at}/${shownName(name)}`);
  } else if (Object(recorded) === recorded || !matchScalar(recorded, asked, bindings)) yield at || '/';
}

/** Compares texts; JSON in them by its values. */
function matchText(pattern: string, text: string, bindings: Bindings): boolean {
  if (pattern === text) return true;
  const [recorded, asked] = [jsonOf(pattern), jsonOf(text)];
  const isJson = Object(recorded) === recorded && Object(asked) === asked;
  return isJson ? compareJson(recorded, asked, bindings).length === 0 : bindings.match(pattern, text);
}

const matchScalar = (recorded: unknown, asked: unknown, bindings: Bindings): boolean =>
  typeof recorded === 'string' && typeof asked === 'string'
    ? matchText(recorded, asked, bindings)
    : bindings.matchScalar(recorded, asked);

/** Compares texts line by line if they are lists of JSON. */
function matchLines(pattern: string, text: string, bindings: Bindings): boolean {
  const [recorded, asked] = [pattern, text].map((lines) => lines.split(/\r?\n/));
  const isJson = recorded !== undefined && recorded.length > 1 && /^[[{]/.test(pattern);
  if (!isJson || asked?.length !== recorded.length) return matchText(pattern, text, bindings);
  return recorded.every((line, index) => matchText(line, asked[index] ?? '', bindings));
}

const isForm = (contentType: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(contentType);

/** Compares a body, or a part of one; undefined if they are equal, else the places that differ. */
function compareBody(recorded: RecordedBody, asked: Buffer, bindings: Bindings): string[] | undefined {
  const { json, text, base64, bytes: digest } = recorded;
  if (digest !== undefined) return digest.length === asked.length && digest.sha256 === sha256(asked) ? undefined : [];
  if (json === undefined && text === undefined && base64 === undefined) return asked.length === 0 ? undefined : [];
  const askedText = textOf(asked);
  const bytes = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  const pattern = text ?? (bytes && textOf(bytes));
  const [value, sent] = [json ?? (pattern && jsonOf(pattern)), askedText === undefined ? undefined : jsonOf(askedText)];
  if (value !== undefined && sent !== undefined) {
    const places = compareJson(value, sent, bindings);
    return places.length === 0 ? undefined : places;
  }
  if (json !== undefined) return [];
  if (pattern === undefined) return bytes?.equals(asked) === true ? undefined : [];
  return matchLines(pattern, askedText ?? asked.toString('base64'), bindings) ? undefined : [];
}

function compareParts(
  recorded: NonNullable<RecordedExchange['request']['parts']>,
  { body, contentType }: AskedRequest,
  bindings: Bindings,
): string[] | undefined {
  const asked = readMultipart(body, contentType);
  if (asked?.length !== recorded.length) return [];
  const differing = recorded.filter(({ name, filename, type, ...fields }, index) => {
    const part = asked[index];
    if (part === undefined) return true;
    const isSame =
      bindings.match(name, part.name) &&
      bindings.match(filename ?? '', part.filename ?? '') &&
      type?.toLowerCase() === part.type?.toLowerCase();
    return !isSame || compareBody(fields, part.body, bindings) !== undefined;
  });
  return differing.length === 0 ? undefined : differing.map(({ name }) => shownName(name));
}

function compareRequestBody(recorded: RecordedExchange['request'], asked: AskedRequest, bindings: Bindings) {
  const { parts, text } = recorded;
  if (parts !== undefined) return compareParts(parts, asked, bindings);
  if (text === undefined || !isForm(asked.contentType)) return compareBody(recorded, asked.body, bindings);
  const form = new URLSearchParams(asked.body.toString());
  const names = differingNames(new URLSearchParams(text), form, bindings);
  return names.length === 0 ? undefined : names.map(shownName);
}

/**
 * The parts of a request that differ from a recording, in the order of a request line. References of the recording are
 * bound on the way, also if other parts differ.
 */
export function differences(
  asked: AskedRequest,
  recorded: RecordedExchange,
  parts: readonly MatchedPart[],
  bindings: Bindings,
): RequestDifference[] {
  const found: RequestDifference[] = [];
  if (asked.method !== recorded.method) found.push({ part: 'method', places: [] });
  if (!matchPath(recorded.path, asked.path, bindings)) found.push({ part: 'path', places: [] });
  if (parts.includes('query')) {
    const names = differingNames(new URLSearchParams(recorded.query), asked.query, bindings);
    if (names.length > 0) found.push({ part: 'query', places: names.map(shownName) });
  }
  if (parts.includes('body')) {
    const places = compareRequestBody(recorded.request, asked, bindings);
    if (places !== undefined) found.push({ part: 'body', places });
  }
  return found;
}

/** The body of a request without its `Content-Encoding`; as it is if that cannot be undone. */
export const plainBody = (body: Buffer, encoding: string | undefined): Buffer =>
  encoding === undefined ? body : (decodeContent(body, encoding) ?? body);
