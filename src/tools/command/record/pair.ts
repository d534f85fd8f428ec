import { stableJson } from '../../../base/lib/stable-json.js';
import { isObject } from '../../../base/lib/values.js';
import { isOpaqueWord } from '../../../base/secrets/token-form.js';
import type { Verdict } from '../../../mock/adapters/node/playback/check-document.js';
import { jsonOf, textOf } from '../../../mock/recordings/body-bytes.js';
import { type AskedRequest, compareJson, differences } from '../../../mock/recordings/match-recording.js';
import type { Chunk, RecordedExchange, Recording } from '../../../mock/recordings/recording-format.js';
import { Bindings, hasReference, splitReferences } from '../../../mock/recordings/references.js';
import { decodeSegment } from '../../../mock/wire/path-rules.js';
import { type Captured, headerOf } from './captured.js';
import { type KnownValues, kindOf } from './known-values.js';

/** An exchange of this run, with what the document says of it. */
export type Checked = { readonly captured: Captured; readonly verdict: Verdict };

/** An exchange of this run, and the recording that it renews. */
export interface Pair extends Checked {
  readonly before: Recording | undefined;
  /** True if the time was over before a recording was found. */
  readonly isOver: boolean;
}

const asAsked = ({ method, path, query, request: { headers, body } }: Captured): AskedRequest => ({
  method,
  path,
  query: new URLSearchParams(query),
  contentType: headerOf(headers, 'content-type'),
  body,
});

/** Segments that differ at each run: ids by their form, and references. */
const isRunSegment = (text: string): boolean => kindOf(text) === 'uuid' || isOpaqueWord(text) || hasReference(text);

const loosely = (path: string): string =>
  path
    .split('/')
    .map((segment) => (isRunSegment(segment) ? '*' : segment))
    .join('/');

/** The parts by which a recording may match an exchange, the surest first; none for a path that is only similar. */
const levels = [['query', 'body'], ['query'], [], undefined] as const;

const fits = ({ captured, verdict: { template } }: Checked, old: Recording, parts: (typeof levels)[number]): boolean =>
  parts === undefined
    ? loosely(captured.path) === loosely(old.path) || (template !== undefined && template === old.template)
    : differences(asAsked(captured), old, parts, new Bindings()).length === 0;

/** The recordings that may be of an exchange: they have its path, or references in theirs. */
function candidatesBy(recordings: readonly Recording[]): (captured: Captured) => Iterable<Recording> {
  const byPath = Map.groupBy(recordings, ({ method, path }) => `${method} ${path}`);
  const others = Map.groupBy(
    recordings.filter(({ path }) => hasReference(path)),
    ({ method }) => method,
  );
  return ({ method, path }) => [...(byPath.get(`${method} ${path}`) ?? []), ...(others.get(method) ?? [])];
}

/** Finds the recording that each exchange renews; each recording is taken once. */
export function pairUp(exchanges: readonly Checked[], recordings: readonly Recording[], isOver: () => boolean): Pair[] {
  const left = new Set(recordings);
  const matches = new Map<Captured, Recording>();
  const samePath = candidatesBy(recordings);
  let over = false;
  for (const parts of levels) {
    for (const asking of exchanges) {
      const { captured } = asking;
      if (matches.has(captured)) continue;
      over ||= isOver();
      if (over) break;
      for (const before of parts === undefined ? left : samePath(captured)) {
        if (!left.has(before) || before.method !== captured.method || !fits(asking, before, parts)) continue;
        left.delete(before);
        matches.set(captured, before);
        break;
      }
    }
  }
  return exchanges.map((exchange) => {
    const before = matches.get(exchange.captured);
    return { ...exchange, before, isOver: over && before === undefined };
  });
}

const chunkText = (chunks: readonly Chunk[]): string => chunks.map(({ text }) => text ?? '').join('');

/** The pairs of values that stand at the same place of a recording and of its new exchange. */
function* valuesAt(recorded: unknown, value: unknown): Generator<readonly [unknown, string | number]> {
  if (Array.isArray(recorded) && Array.isArray(value)) {
    for (const [index, item] of recorded.entries()) yield* valuesAt(item, value[index]);
  } else if (isObject(recorded) && isObject(value)) {
    for (const [name, field] of Object.entries(recorded))
      if (Object.hasOwn(value, name)) yield* valuesAt(field, value[name]);
  } else if (typeof value === 'string' || typeof value === 'number') yield [recorded, value];
}

/** The pairs of `valuesAt` for lines of JSON. */
function* valuesOfLines(recorded: string, text: string): Generator<readonly [unknown, string | number]> {
  const valuesOf = (all: string) => all.split('\n').map((line) => jsonOf(line.replace(/^data:[ ]?/, '')));
  const [before, now] = [valuesOf(recorded), valuesOf(text)];
  for (const [index, item] of before.entries()) if (item !== undefined) yield* valuesAt(item, now[index]);
}

function* samePlaces({ before, captured }: Pair): Generator<readonly [unknown, string | number]> {
  if (before === undefined) return;
  const { request, response } = captured;
  const [recordedPath, path] = [before.path.split('/'), captured.path.split('/')];
  if (recordedPath.length === path.length)
    for (const [index, segment] of recordedPath.entries()) yield [segment, decodeSegment(path[index] ?? '')];
  const query = new URLSearchParams(captured.query);
  for (const [name, value] of new URLSearchParams(before.query))
    if (query.has(name)) yield [value, query.get(name) ?? ''];
  for (const [name, value] of Object.entries(before.response.headers)) {
    const now = response.headers.flatMap(([header, text]) => (header === name ? text : []));
    for (const [index, text] of [value].flat().entries()) if (now[index] !== undefined) yield [text, now[index]];
  }
  for (const [{ json, text }, bytes] of [
    [before.request, request.body],
    [before.response, response.body],
  ] as const) {
    const now = textOf(bytes);
    if (now === undefined) continue;
    if (json !== undefined) yield* valuesAt(json, jsonOf(now));
    else if (text !== undefined) yield* valuesOfLines(text, now);
  }
  const { chunks } = before.response;
  if (chunks !== undefined) yield* valuesOfLines(chunkText(chunks), textOf(response.body) ?? '');
}

const seconds = [1e9, 2e10] as const;
const isMoment = (value: number): boolean =>
  [1, 1_000].some((factor) => value >= seconds[0] * factor && value < seconds[1] * factor);

/** True for a value that has the form of an id, a time or a token. */
const isOfRun = (value: unknown): boolean =>
  typeof value === 'number'
    ? isMoment(value)
    : typeof value === 'string' && (kindOf(value) !== 'text' || isOpaqueWord(value));

/**
 * Learns from the recordings: a reference keeps its name for the value that stands at its place now, and a value that
 * differs from the recorded one is replaced if both have the form of an id, a time or a token.
 */
export function learn(pairs: readonly Pair[], recordings: readonly Recording[], knownValues: KnownValues): void {
  for (const recording of recordings)
    for (const [index, part] of splitReferences(JSON.stringify(recording)).entries())
      if (index % 2 === 1) knownValues.reserve(part);
  const bindings = new Bindings();
  for (const pair of pairs) {
    const { before, captured } = pair;
    if (before === undefined) continue;
    differences(asAsked(captured), before, ['query', 'body'], bindings);
    for (const [recorded, value] of samePlaces(pair)) {
      if (typeof recorded === 'string' && hasReference(recorded)) compareJson(recorded, value, bindings);
      else if (recorded !== value && isOfRun(recorded) && isOfRun(value))
        knownValues.note(String(value), kindOf(value));
    }
  }
  for (const [reference, value] of bindings.entries) knownValues.adopt(reference, value);
}

/** The text of a body in pieces: where they end, and when they came, differs at each run. */
const withoutPieces = ({ chunks, ...response }: RecordedExchange['response']) =>
  chunks === undefined
    ? response
    : { ...response, text: chunks.map(({ text, base64 }) => text ?? base64 ?? '').join(''), isStream: true };

/** True if a recording says the same as before, apart from times. */
export function isSame(now: RecordedExchange, before: RecordedExchange): boolean {
  const form = ({ method, path, query, template, request, response }: RecordedExchange): string =>
    stableJson([
      [method, path, query, template],
      [request, withoutPieces(response)],
    ]);
  return form(now) === form(before);
}
