import {
  listOf,
  optional,
  type Reader,
  type ReadersOf,
  readObject,
  readText,
  readWith,
  strictObject,
  transform,
} from '../../base/lib/readers.js';
import { stableJson } from '../../base/lib/stable-json.js';
import { isLarger } from '../../base/lib/text/is-larger.js';
import type { IssuePath } from '../../base/lib/text/paths.js';
import { itemFields } from '../../client/services/authorization/authorization-messages.js';
import type { EvaluationItem } from '../../policy/model/model.js';
import { readRevision } from '../../policy/model/read-revision.js';
import { copyJson } from './copy-json.js';

/** A question to a guard: may the caller do `action` on `resource`? */
export interface GuardQuestion<Action extends string = string, Resource extends string = string>
  extends EvaluationItem {
  readonly action: Action;
  readonly resource: Resource;
  /**
   * The `revision` of a write, or a list of them, which the decision must reflect: a guard over a replica waits until
   * the replica holds it, within its timeout, and answers 503 otherwise. A guard over anything else rejects it.
   */
  readonly atLeast?: string | readonly string[] | undefined;
}

/** A validated question, whose fields were each read once. */
export interface ReadQuestion {
  readonly action: string;
  readonly resource: string;
  /** The question for the source; undefined if `resource` is invalid, which is denied. */
  readonly item: EvaluationItem | undefined;
  /** The revisions of writes that the decision must reflect. */
  readonly atLeast: readonly string[];
}

/** The bytes of text that the services take in a message. */
const mostBytes = 4_194_304;

/** Resources may contain the caller's input, so an invalid string is denied, not thrown as an error. */
const readResource: Reader<{ readonly text: string; readonly isPossible: boolean }> = (value, reading) =>
  typeof value === 'string'
    ? { text: value, isPossible: readWith(value, readText).issues.length === 0 && !isLarger(value, mostBytes) }
    : { text: readText(value, reading), isPossible: false };

const mostRevisions = 100;
const noRevisions: readonly string[] = [];

/** Deeper than any real context, and shallow enough for the stack on every runtime. */
const deepestContext = 1_000;

/** Copies a context as JSON, so that the cache key and the request come from the same data. */
const readContext: Reader<object> = (value, reading) => {
  const report = (path: IssuePath, problem: string) => reading.at(path, undefined, () => reading.report(problem));
  return readObject(copyJson(value, report, deepestContext), reading);
};

// The cast: a context is validated as an object with any fields.
const toItem = (action: string, resource: string, context: object | undefined): EvaluationItem =>
  context === undefined ? { action, resource } : { action, resource, context: context as Record<string, unknown> };

/** A revision, as text: the decider reads it again. */
const readRevisionText: Reader<string> = transform(readText, (text, reading) => {
  readRevision(text, reading);
  return text;
});

/** Reads revisions of writes. */
export const readRevisions = listOf(readRevisionText, mostRevisions);

const readAtLeast: Reader<readonly string[]> = (value, reading) =>
  Array.isArray(value) ? readRevisions(value, reading) : [readRevisionText(value, reading)];

export const readQuestion: Reader<ReadQuestion> = transform(
  strictObject({
    ...itemFields,
    resource: readResource,
    context: optional(readContext),
    atLeast: optional(readAtLeast, noRevisions),
  } satisfies ReadersOf<GuardQuestion>),
  ({ action, resource: { text: resource, isPossible }, context, atLeast }) => ({
    action,
    resource,
    item: isPossible ? toItem(action, resource, context) : undefined,
    atLeast,
  }),
);

export const readQuestions = listOf(readQuestion);

/** The length of the action keeps the key unambiguous. Contexts are copies of JSON, so the key covers them fully. */
const keyOfItem = ({ action, resource, context }: EvaluationItem): string => {
  const text = `${action.length} ${action} ${resource.length} ${resource}`;
  return context === undefined ? text : `${text} ${stableJson(context)}`;
};

/** The cache key of questions. Revisions hold no spaces, so that the key is unambiguous. */
export const keyOf = (
  kind: 'one' | 'many',
  items: readonly EvaluationItem[],
  atLeast: readonly string[] = [],
): string => `${kind}${atLeast.length > 0 ? `@${atLeast.join()}` : ''} ${items.map(keyOfItem).join('\n')}`;
