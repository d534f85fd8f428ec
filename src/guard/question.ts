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
import { stableJson } from '../lib/stable-json.js';
import type { EvaluationItem } from '../policy/model/model.js';
import { itemFields } from '../services/authorization/messages.js';

/** A question to a guard: may the caller do `action` on `resource`? */
export interface Question<Action extends string = string, Resource extends string = string> extends EvaluationItem {
  readonly action: Action;
  readonly resource: Resource;
}

/** A validated question, whose fields were each read once. */
export interface ReadQuestion {
  readonly action: string;
  readonly resource: string;
  /** The question for the source; undefined if `resource` is invalid, which is denied. */
  readonly item: EvaluationItem | undefined;
}

/** Resources may contain the caller's input, so an invalid string is denied, not thrown as an error. */
const readResource: Reader<{ readonly text: string; readonly isPossible: boolean }> = (value, reading) =>
  typeof value === 'string'
    ? { text: value, isPossible: readWith(value, readText).issues.length === 0 }
    : { text: readText(value, reading), isPossible: false };

/** Deeper than any real context, and shallow enough for the stack on every runtime. */
const deepestContext = 1_000;

/** Copies a context as JSON, so that the cache key and the request come from the same data. */
const readContext: Reader<object> = (value, reading) => {
  const report = (path: Path, problem: string) => reading.at(path, undefined, () => reading.report(problem));
  return readObject(copyJson(value, report, deepestContext), reading);
};

// The cast: a context is validated as an object with any fields.
const toItem = (action: string, resource: string, context: object | undefined): EvaluationItem =>
  context === undefined ? { action, resource } : { action, resource, context: context as Record<string, unknown> };

export const readQuestion: Reader<ReadQuestion> = transform(
  strictObject({ ...itemFields, resource: readResource, context: optional(readContext) }),
  ({ action, resource: { text: resource, isPossible }, context }) => ({
    action,
    resource,
    item: isPossible ? toItem(action, resource, context) : undefined,
  }),
);

export const readQuestions = listOf(readQuestion);

/** The length of the action keeps the key unambiguous. Contexts are copies of JSON, so the key covers them fully. */
const keyOfItem = ({ action, resource, context }: EvaluationItem): string => {
  const text = `${action.length} ${action} ${resource.length} ${resource}`;
  return context === undefined ? text : `${text} ${stableJson(context)}`;
};

/** The cache key of questions. */
export const keyOf = (kind: 'one' | 'many', items: readonly EvaluationItem[]): string =>
  `${kind} ${items.map(keyOfItem).join('\n')}`;
