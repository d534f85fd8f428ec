import {
  accepting,
  anyNumber,
  anyText,
  listOf,
  listOrEmpty,
  messageOf,
  optional,
  type Reader,
  type Readers,
  type ReadFields,
  readFilledText,
  readName,
  readObject,
  readText,
  readToken,
  refuse,
  strictObject,
  textOrEmpty,
  transform,
} from '../../lib/readers.js';
import type { Decision, Effect, EvaluationItem, ManyDecisions, Policy, Role } from '../../policy/model.js';
import { describeShapes } from '../../policy/shape.js';

/** Who asks: a user, with roles if wanted, a token, or this client's own token; never a mixture. */
export type Subject =
  | {
      /** Not empty: on the wire a missing user is the superuser. */
      readonly user: string;
      /** More roles that count, for this question alone. Deprecated upstream: the observed services ignore them. */
      readonly roles?: readonly string[] | undefined;
      readonly token?: undefined;
      readonly self?: undefined;
    }
  | { readonly token: string; readonly user?: undefined; readonly roles?: undefined; readonly self?: undefined }
  | {
      /** Whoever the client's credentials are: their bearer token, which is asked for if there is none yet. */
      readonly self: true;
      readonly user?: undefined;
      readonly roles?: undefined;
      readonly token?: undefined;
    };

/** A subject, and what it wants to do. */
export type EvaluateRequest = Subject & EvaluationItem;
/** A subject, and all that it wants to do. */
export type EvaluateManyRequest = Subject & { readonly items: readonly EvaluationItem[] };

/** A policy or a role as it is stored. */
export interface Stored<T> {
  /** The name that it is stored under. */
  readonly name: string;
  /** Grows with every write of its kind. */
  readonly index: number;
  /** What is stored: the policy or the role. */
  readonly item: T;
}

/** A role that a user has. */
export interface UserRole {
  readonly role: string;
  /** Where the role counts; null: nowhere. */
  readonly scope: Policy | null;
}

/** A binding after a write. */
export interface BindingChange extends UserRole {
  readonly user: string;
  readonly index: number;
}

/** A subject that was read: one of user, token and self is there. */
export interface WireSubject {
  readonly user: string | undefined;
  readonly roles: readonly string[] | undefined;
  readonly token: string | undefined;
  readonly self: true | undefined;
}

// A copy, because a batch is sent later.
const readContext: Reader<object> = transform(readObject, (context) => structuredClone(context));

/** How the fields of an item are read. */
export const itemFields = { action: readFilledText, resource: readText, context: optional(readContext) };
const subjectFields = {
  user: optional(readName),
  roles: optional(listOf(readName)),
  token: optional(readToken),
  self: optional(accepting<true>('true', (value) => value === true)),
};

/** Refuses a mixture of user, token and self, and a request without any of them. */
const readSubject = (subject: WireSubject, reading: Parameters<Reader<WireSubject>>[1]): WireSubject => {
  const { user, roles, token, self } = subject;
  const others = [user ?? roles, token, self].filter((one) => one !== undefined).length;
  if (others !== 1 || (user === undefined && roles !== undefined)) {
    reading.at(token ? 'token' : self ? 'self' : 'user', undefined, () =>
      reading.report(
        'expected one of a user, with or without roles, a token and self: true; without any it would be the superuser',
      ),
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

/** Reads a subject and its item. */
export const readEvaluation = withSubject(itemFields);

/** Reads a subject and its items. */
export const readEvaluations = withSubject({ items: listOf(readItem) });

const readEffect = accepting<Effect>('"Allow" or "Deny"', (value) => value === 'Allow' || value === 'Deny');

// Arguments: every field is checked, and no other is accepted.
const given = describeShapes<Reader<unknown>>({
  effect: readEffect,
  action: readFilledText,
  resource: readText,
  name: readName,
  text: readText,
  object: strictObject,
  list: (item) => listOf(item),
  texts: (item) => listOf(item),
  optional: (field) => optional(field),
  nullish: (field) => (value, reading) => (value === undefined || value === null ? value : field(value, reading)),
});

// The casts: describeShapes takes each shape from the fields of its type.
/** Reads a policy that a caller gives. */
export const readPolicy = given.policy as Reader<Policy>;
/** Reads a role that a caller gives. */
export const readRole = given.role as Reader<Role>;

/** Reads the effect of an answer: anything but Allow is a Deny. */
const effect: Reader<Effect> = (value) => (value === 'Allow' ? value : 'Deny');

const decisionFields = { effect, message: textOrEmpty };
const judge = <F extends ReadFields<typeof decisionFields>>(fields: F) => ({
  ...fields,
  allowed: fields.effect === 'Allow',
});

/** Reads a decision. */
export const decision: Reader<Decision> = transform(messageOf(decisionFields), judge);

const manyDecisions: Reader<ManyDecisions> = transform(
  messageOf({ ...decisionFields, items: listOrEmpty(decision) }),
  judge,
);

/** Reads the answer to `count` items; another number of decisions is a wrong shape. */
export const decisions = (count: number): Reader<ManyDecisions> =>
  transform(manyDecisions, (answer, reading) => {
    if (answer.items.length !== count)
      reading.at('items', answer.items, (items) => refuse(reading, `${count} decisions`, items));
    return answer;
  });

// Answers: what is empty may be missing, and unknown fields do not count.
const stored = describeShapes<Reader<unknown>>({
  effect,
  action: anyText,
  resource: anyText,
  name: anyText,
  text: anyText,
  object: messageOf,
  list: listOrEmpty,
  texts: listOrEmpty,
  optional: (field) => optional(field, ''),
  nullish: (field) => optional(field, null),
});
const scope = stored.scope as Reader<Policy | null>;
const revision = { name: anyText, index: anyNumber };

/** Reads a policy with its name and its index. */
export const storedPolicy: Reader<Stored<Policy>> = messageOf({ ...revision, item: stored.policy as Reader<Policy> });
/** Reads a role with its name and its index. */
export const storedRole: Reader<Stored<Role>> = messageOf({ ...revision, item: stored.role as Reader<Role> });
/** Reads what is left of something deleted. */
export const deleted = messageOf(revision);

/** Reads one page of names, and how many names there are on all pages. */
export const names = messageOf({
  names: listOrEmpty(anyText),
  page: optional(messageOf({ items: optional(anyNumber, 0) })),
});

const userRole = { role: anyText, scope };

/** Reads the roles of a user. */
export const userRoles = transform(
  messageOf({ bindings: listOrEmpty(messageOf(userRole)) }),
  ({ bindings }): UserRole[] => bindings,
);
/** Reads a binding after a write. */
export const binding: Reader<BindingChange> = messageOf({ user: anyText, ...userRole, index: anyNumber });
