import {
  oneOf,
  optional,
  type Reader,
  type ReadersOf,
  readFilledText,
  readName,
  readText,
  readWith,
  strictObject,
  transform,
} from '../../base/lib/readers.js';
import { isTexts, ownField } from '../../base/lib/values.js';
import type { UserSubject } from '../model/decider.js';
import type { EvaluationItem } from '../model/model.js';
import type { AccessEvaluation } from './entities.js';

/** A question to the policies. */
export type PolicyQuestion = UserSubject & EvaluationItem;

/**
 * The default mapping: the subject `{ type: 'user', id: 'alice' }` is the user `alice`, and the action
 * `{ name: 'read' }` on the resource `{ type: 'orders', id: '7' }` is `orders:read` on `orders:7`.
 */
export interface MappingOptions {
  /** The type of subjects that are users; all others are denied. Default `user`. */
  readonly subjectType?: string | undefined;
  /** `text` denies a resource with a `:` in its id, which `segments` accepts as further segments. Default `text`. */
  readonly ids?: 'text' | 'segments' | undefined;
  /**
   * The property of the subject that lists its groups; anything but a list of names is denied. Default: a PDP counts
   * none, because the caller chooses them; a client sends `roles`.
   */
  readonly groupsProperty?: string | undefined;
}

/** Maps a question of AuthZEN to the policies; undefined is a denial. */
export type ToQuestion = (evaluation: AccessEvaluation) => PolicyQuestion | undefined;

/** Maps a question to AuthZEN; undefined is a denial. */
export type ToEvaluation = (question: PolicyQuestion) => AccessEvaluation | undefined;

type Ids = NonNullable<MappingOptions['ids']>;

/** The options of the default mapping, with their defaults. */
type Mapping = { readonly subjectType: string; readonly ids: Ids; readonly groupsProperty?: string | undefined };

export const readMappingOptions = strictObject(
  {
    subjectType: optional(readName, 'user'),
    ids: optional<Ids, Ids>(oneOf('text', 'segments'), 'text'),
    groupsProperty: optional(readName),
  } satisfies ReadersOf<MappingOptions>,
  'a function, or an object with subjectType, ids and groupsProperty',
);

/** Reads the option `mapping`: a function, or options of the default mapping. */
const mappingOr = <T>(create: (options: Mapping) => T): Reader<T> => {
  const fromOptions = transform(readMappingOptions, create);
  return (value, reading) =>
    // The cast: the results of the function are checked.
    typeof value === 'function' ? (value as T) : fromOptions(value === undefined ? {} : value, reading);
};

/** True for a text that is exactly one segment. */
const isSegment = (text: string): boolean => text !== '' && !text.includes(':');

export const questionMapping = mappingOr(
  ({ subjectType, ids, groupsProperty }): ToQuestion =>
    ({ subject, action, resource: { type, id } }) => {
      const isId = ids === 'segments' ? id !== '' : isSegment(id);
      if (subject.type !== subjectType || !isSegment(type) || !isSegment(action.name) || !isId) return undefined;
      const question = { user: subject.id, action: `${type}:${action.name}`, resource: `${type}:${id}` };
      const groups = groupsProperty === undefined ? undefined : ownField(subject.properties, groupsProperty);
      if (groups === undefined) return question;
      return isTexts(groups) ? { ...question, roles: groups } : undefined;
    },
);

export const evaluationMapping = mappingOr(
  ({ subjectType, ids, groupsProperty = 'roles' }): ToEvaluation =>
    ({ user, roles, action, resource, context }) => {
      const [type = '', name = '', ...more] = action.split(':');
      const id = resource.slice(type.length + 1);
      const isId = ids === 'segments' ? id !== '' : isSegment(id);
      if (user === '' || type === '' || name === '' || more.length > 0) return undefined;
      if (!isId || !resource.startsWith(`${type}:`)) return undefined;
      const properties = roles?.length ? { properties: { [groupsProperty]: roles } } : {};
      const subject = { type: subjectType, id: user, ...properties };
      return { subject, action: { name }, resource: { type, id }, ...(context && { context }) };
    },
);

const accepts = (value: unknown, reader: Reader<unknown>): boolean => readWith(value, reader).issues.length === 0;

/**
 * Reads the result of a mapping from its own fields. A text for which no policy can grant anything (an empty user, an
 * unpaired surrogate, an excessive length) is a denial, because it may come from the caller.
 * @throws TypeError for a result of another form.
 */
export function readQuestion(mapped: unknown): PolicyQuestion | undefined {
  if (mapped === undefined) return undefined;
  const [user, action, resource] = [ownField(mapped, 'user'), ownField(mapped, 'action'), ownField(mapped, 'resource')];
  const [roles, context] = [ownField(mapped, 'roles'), ownField(mapped, 'context')];
  const areTexts = [user, action, resource, ...(Array.isArray(roles) ? roles : [])].every(
    (text) => typeof text === 'string',
  );
  if (!areTexts || !(roles === undefined || Array.isArray(roles))) {
    throw new TypeError('mapping: expected { user, action, resource, roles?, context? } or undefined');
  }
  const isPossible =
    accepts(user, readName) &&
    accepts(action, readFilledText) &&
    accepts(resource, readText) &&
    (roles ?? []).every((role: unknown) => accepts(role, readName));
  if (!isPossible) return undefined;
  // The casts: checked above; a context is sent as the mapping returns it.
  const question = { user, action, resource } as PolicyQuestion;
  return {
    ...question,
    ...(roles && { roles: [...roles] }),
    ...(context !== undefined && { context }),
  } as PolicyQuestion;
}
