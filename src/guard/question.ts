import { copyJson } from '../connection/json.js';
import {
  listOf,
  optional,
  type Reader,
  readObject,
  readText,
  readWith,
  strictObject,
  transform,
} from '../lib/readers.js';
import type { Path } from '../lib/reading.js';
import { isPlainObject } from '../lib/values.js';
import type { EvaluationItem } from '../policy/model.js';
import { itemFields } from '../services/authorization/messages.js';

/** A question to a guard: may the caller do `action` on `resource`? */
export interface Question<Action extends string = string, Resource extends string = string> extends EvaluationItem {
  readonly action: Action;
  readonly resource: Resource;
}

/** A question that was read, each of its fields once. */
export interface ReadQuestion {
  readonly action: string;
  readonly resource: string;
  /** What the source is asked; undefined if no resource can be called `resource`: then it is denied. */
  readonly item: EvaluationItem | undefined;
}

/** A resource is made of the caller's input: text that cannot be one is denied, and is not an error of the service. */
const readResource: Reader<{ readonly text: string; readonly isPossible: boolean }> = (value, reading) =>
  typeof value === 'string'
    ? { text: value, isPossible: readWith(value, readText).issues.length === 0 }
    : { text: readText(value, reading), isPossible: false };

/** More levels than any context needs, and few enough for the stack of every platform. */
const deepestContext = 1_000;

/** Reads a context: a copy of it as JSON, so that what is compared is what is sent. */
const readContext: Reader<object> = (value, reading) => {
  const report = (path: Path, problem: string) => reading.under(path, () => reading.report(problem));
  return readObject(copyJson(value, report, deepestContext), reading);
};

/** Reads one question. */
export const readQuestion: Reader<ReadQuestion> = transform(
  strictObject({ ...itemFields, resource: readResource, context: optional(readContext) }),
  ({ action, resource: { text: resource, isPossible }, context }) => ({
    action,
    resource,
    // The cast: a context is read as an object, whatever its fields.
    item: isPossible ? ({ action, resource, ...(context !== undefined && { context }) } as EvaluationItem) : undefined,
  }),
);

/** Reads a list of questions. */
export const readQuestions = listOf(readQuestion);

/** Sorts the fields of objects: `JSON.stringify` then gives equal texts for equal JSON. */
const inOrder = (_name: string, value: unknown): unknown =>
  isPlainObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

const isBare = ({ context }: EvaluationItem): boolean => context === undefined;

/** The text by which equal questions are known. A context is a copy of JSON, so it says all that is asked. */
export function keyOf(kind: 'one' | 'many', items: readonly EvaluationItem[]): string {
  const fields = items.map(({ action, resource, context }) => [action, resource, context]);
  // Most questions have no context, and then there is nothing to sort.
  return `${kind} ${JSON.stringify(fields, items.every(isBare) ? undefined : inOrder)}`;
}
