import { isDeeper } from '../../base/lib/json-depth.js';

/** The request of a question. Texts may hold placeholders: `{{good}}` is the token of that name. */
export interface QuestionRequest {
  readonly method: string;
  /** Encoded, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string;
}

/** An answer: as it was recorded, expected or observed. */
export interface QuestionAnswer {
  readonly status: number;
  /** By lower-case name; `set-cookie` is a list. Null for a header that is missing. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>> | undefined;
  /** Parsed JSON, another text, or undefined for an empty body. */
  readonly body?: unknown;
}

/** One question, and how its answer is compared. */
export interface QuestionStep {
  readonly request: QuestionRequest;
  /** JSON pointers that are compared by kind only: a token by its claims, a duration within five seconds. */
  readonly volatile?: readonly string[];
  /** Values of the answer that later steps use, as JSON pointers by the names of their placeholders. */
  readonly capture?: Readonly<Record<string, string>>;
  /** True if only the status is compared. */
  readonly statusOnly?: boolean;
  readonly note?: string;
}

/** Returns the value at a JSON pointer. */
export function valueAt(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>(
    // The cast: a missing value has no fields, and any other one may be asked for one.
    (below, key) => (below as Record<string, unknown> | undefined | null)?.[unescapeKey(key)],
    value,
  );
}

const unescapeKey = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** Escapes a name for a JSON pointer. */
export const pointerOf = (parent: string, key: string | number): string =>
  `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const placeholder = /\{\{([\w-]+)\}\}/g;

/** The names of the placeholders in a value. */
export const placeholdersOf = (value: unknown): string[] =>
  Array.from((JSON.stringify(value) ?? '').matchAll(placeholder), ([, name = '']) => name);

/** The texts of placeholders by their names. */
export type Texts = ReadonlyMap<string, string>;

/** A copy with its placeholders filled in; unknown ones stay. */
export function fill<T>(value: T, texts: Texts): T {
  const text = JSON.stringify(value)?.replace(placeholder, (whole, name: string) => {
    const content = texts.get(name);
    return content === undefined ? whole : JSON.stringify(content).slice(1, -1);
  });
  // The cast: only the content of texts has changed.
  return text === undefined ? value : (JSON.parse(text) as T);
}

/** The levels of JSON that are compared; no answer of the services has as many. */
const deepest = 200;

/** The longest body that is read as JSON, in characters; so much of a longer one is compared as text. */
const longest = 1_000_000;

/** Reads a body as JSON, else as text. */
export function parseBody(text: string): unknown {
  if (text.length > longest) return text.slice(0, longest);
  try {
    return text === '' ? undefined : isDeeper(text, deepest) ? text : JSON.parse(text);
  } catch {
    return text;
  }
}

/** The headers of a request, as pairs. */
export const headerPairs = ({ headers = {} }: QuestionRequest): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, text as string]),
  );

/** The body of a request, as text. */
export const bodyText = ({ raw, body }: QuestionRequest): string | undefined =>
  raw ?? (body === undefined ? undefined : JSON.stringify(body));
