import {
  accepting,
  anyNumber,
  anyText,
  listOf,
  listOrEmpty,
  longestList,
  messageOf,
  oneOf,
  optional,
  type Reader,
  type Readers,
  type ReadFields,
  readFilledText,
  readName,
  readObject,
  readText,
  readToken,
  strictObject,
  textOrEmpty,
  transform,
  withoutUndefined,
} from '../../../base/lib/readers.js';
import type { Decision, Effect, EvaluationItem, ManyDecisions, Policy, Role } from '../../../policy/model/model.js';
import { formatRevision } from '../../../policy/model/revision.js';
import { describeShapes } from '../../../policy/model/shape.js';

/** The subject of a question: a user with optional roles, a token, or this client's own token; exactly one of them. */
export type Subject =
  | {
      /** Must not be empty: on the wire, a missing user is the superuser. */
      readonly user: string;
      /**
       * The groups of the user, for this question only: platforms that bind roles to groups count what these were
       * given. Older ones ignore them. By the specification they are roles.
       */
      readonly roles?: readonly string[] | undefined;
      readonly token?: undefined;
      readonly self?: undefined;
    }
  | { readonly token: string; readonly user?: undefined; readonly roles?: undefined; readonly self?: undefined }
  | {
      /** Uses the bearer token of the client's credentials, which is obtained if there is none yet. */
      readonly self: true;
      readonly user?: undefined;
      readonly roles?: undefined;
      readonly token?: undefined;
    };

/** A subject with one action and resource. */
export type EvaluateRequest = Subject & EvaluationItem;
/** A subject with a list of actions and resources. */
export type EvaluateManyRequest = Subject & { readonly items: readonly EvaluationItem[] };

/** A stored policy or role. */
export interface Stored<T> {
  readonly name: string;
  /** Increases with each write to any policy (or any role). */
  readonly index: number;
  /** The policy or role. */
  readonly item: T;
  /** The write that made this version, as text for `replica.reached` and `atLeast`, in any process. */
  readonly revision: string;
}

/** A deleted policy or role. */
export interface Deleted extends Omit<Stored<never>, 'item'> {}

/** The owners of roles: users, and groups where the platform binds roles to groups. */
export type BindingOwner = 'user' | 'group';

/** A role of a user or of a group. */
export interface UserRole {
  readonly role: string;
  /** The scope in which the role applies; null: nowhere. */
  readonly scope: Policy | null;
}

/** A binding of a user, or of a group, after a write. */
export type BindingChange<K extends BindingOwner = 'user'> = UserRole & {
  readonly [owner in K]: string;
} & {
  /** Increases with each write to any binding of users, or of groups. */
  readonly index: number;
  /** The write, as text for `replica.reached` and `atLeast`, in any process. */
  readonly revision: string;
};

/** A validated subject: exactly one of user, token and self is set. */
export interface WireSubject {
  readonly user: string | undefined;
  readonly roles: readonly string[] | undefined;
  readonly token: string | undefined;
  readonly self: true | undefined;
}

// A copy, because a batch is sent later.
const readContext: Reader<object> = transform(readObject, (context) => structuredClone(context));

export const itemFields = { action: readFilledText, resource: readText, context: optional(readContext) };
const subjectFields = {
  user: optional(readName),
  roles: optional(listOf(readName, longestList)),
  token: optional(readToken),
  self: optional(accepting<true>('true', (value) => value === true)),
};

/** Rejects a request with more than one of user, token and self, or with none. */
const readSubject = (subject: WireSubject, reading: Parameters<Reader<WireSubject>>[1]): WireSubject => {
  const { user, roles, token, self } = subject;
  const others = [user ?? roles, token, self].filter((field) => field !== undefined).length;
  if (others !== 1 || (user === undefined && roles !== undefined)) {
    reading.at(token ? 'token' : self ? 'self' : 'user', undefined, () =>
      reading.report('expected one of user, token and self'),
    );
  }
  return subject;
};

/** Reads an item without a subject. */
export const readItem = strictObject(itemFields) as Reader<EvaluationItem>;

const withSubject = <R extends Readers>(fields: R) =>
  transform(strictObject({ ...fields, ...subjectFields }), ({ user, roles, token, self, ...asked }, reading) => ({
    subject: readSubject({ user, roles, token, self }, reading),
    asked,
  }));

export const readEvaluation = withSubject(itemFields);

export const readEvaluations = withSubject({ items: listOf(readItem, longestList) });

// Arguments: every field is validated, and unknown fields are rejected. A message as a whole is bounded, to 4 MiB.
const argumentReaders = describeShapes<Reader<unknown>>({
  effect: oneOf<Effect>('Allow', 'Deny'),
  action: readFilledText,
  resource: readText,
  name: readName,
  description: optional(readText),
  object: strictObject,
  list: listOf,
  texts: listOf,
  nullish: (field) => (value, reading) => (value === undefined || value === null ? value : field(value, reading)),
});

// The casts: describeShapes takes each shape from the fields of its type.
/** Reads a policy argument. */
export const readPolicy = argumentReaders.policy as Reader<Policy>;
/** Reads a role argument. */
export const readRole = withoutUndefined(argumentReaders.role as Reader<Role>, 'scope');

/** Reads the effect in a response: anything but Allow is a Deny. */
const effect: Reader<Effect> = (value) => (value === 'Allow' ? value : 'Deny');

const decisionFields = { effect, message: textOrEmpty };
const judge = <F extends ReadFields<typeof decisionFields>>(fields: F) => ({
  ...fields,
  allowed: fields.effect === 'Allow',
});

export const decision: Reader<Decision> = transform(messageOf(decisionFields), judge);

const manyDecisions: Reader<ManyDecisions> = transform(
  messageOf({ ...decisionFields, items: listOrEmpty(decision) }),
  judge,
);

/** Reads the response to `count` items; any other number of decisions is invalid. */
export const decisions = (count: number): Reader<ManyDecisions> =>
  transform(manyDecisions, (answer, reading) => {
    if (answer.items.length !== count) reading.at('items', 0, () => reading.report(`expected ${count} decisions`));
    return answer;
  });

// Responses: empty fields may be missing, and unknown fields are ignored.
const stored = describeShapes<Reader<unknown>>({
  effect,
  action: anyText,
  resource: anyText,
  name: anyText,
  description: optional(anyText, ''),
  object: messageOf,
  list: listOrEmpty,
  texts: listOrEmpty,
  nullish: (field) => optional(field, null),
});
const scope = stored.scope as Reader<Policy | null>;
/** Reads a version that a write made, and adds its revision. */
const versionOf = <F extends Readers>(kind: string, fields: F) =>
  transform(messageOf({ ...fields, index: anyNumber }), (read) => ({ ...read, revision: formatRevision(kind, read) }));

const name = { name: anyText };
// The casts: the reader of the item is that of its type.
/** Reads a policy with its name and its index. */
export const storedPolicy = versionOf('policy', { ...name, item: stored.policy as Reader<Policy> });
/** Reads a role with its name and its index. */
export const storedRole = versionOf('role', { ...name, item: stored.role as Reader<Role> });
/** Reads the response of a delete. */
export const deletedOf = (kind: string): Reader<Deleted> => versionOf(kind, name);

/** Reads one page of names, and the total number of names. */
export const names = messageOf({
  names: listOrEmpty(anyText),
  page: optional(messageOf({ items: optional(anyNumber, 0) })),
});

const userRole = { role: anyText, scope };

export const userRoles = transform(
  messageOf({ bindings: listOrEmpty(messageOf(userRole)) }),
  ({ bindings }): UserRole[] => bindings,
);
/** Reads a binding after a write, by the kind of its owner. */
export const bindingChanges = {
  user: versionOf('binding', { user: anyText, ...userRole }),
  group: versionOf('groupBinding', { group: anyText, ...userRole }),
};
