import {
  accepting,
  anyNumber,
  anyText,
  listOf,
  listOrEmpty,
  messageOf,
  optional,
  type Reader,
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

export type EvaluateRequest = Subject & EvaluationItem;
export type EvaluateManyRequest = Subject & { readonly items: readonly EvaluationItem[] };

/** A policy or role as it is stored. */
export interface Stored<T> {
  readonly name: string;
  /** Grows with every write of its kind. */
  readonly index: number;
  readonly item: T;
}

/** A user's role and where it counts. */
export interface UserRole {
  readonly role: string;
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

/** An item without its subject. */
export const readItem = strictObject(itemFields) as Reader<EvaluationItem>;

/** A subject and its item. */
export const readEvaluation = transform(
  strictObject({ ...itemFields, ...subjectFields }),
  ({ user, roles, token, self, ...item }, reading) => ({
    subject: readSubject({ user, roles, token, self }, reading),
    item: item as EvaluationItem,
  }),
);

/** A subject and its items. */
export const readEvaluations = transform(
  strictObject({ items: listOf(readItem), ...subjectFields }),
  ({ items, ...subject }, reading) => ({
    subject: readSubject(subject, reading),
    items,
  }),
);

const readEffect = accepting<Effect>('"Allow" or "Deny"', (value) => value === 'Allow' || value === 'Deny');

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
/** A policy, as a caller gives it. */
export const readPolicy = given.policy as Reader<Policy>;
/** A role, as a caller gives it. */
export const readRole = given.role as Reader<Role>;

/** Anything but Allow is a Deny. */
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

/** The answer to `count` items; another number of decisions is a wrong shape. */
export const decisions = (count: number): Reader<ManyDecisions> =>
  transform(manyDecisions, (answer, reading) => {
    if (answer.items.length !== count)
      reading.at('items', answer.items, (items) => refuse(reading, `${count} decisions`, items));
    return answer;
  });

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

export const storedPolicy: Reader<Stored<Policy>> = messageOf({ ...revision, item: stored.policy as Reader<Policy> });
export const storedRole: Reader<Stored<Role>> = messageOf({ ...revision, item: stored.role as Reader<Role> });
export const deleted = messageOf(revision);

/** One page of names, and how many there are on all pages. */
export const names = messageOf({
  names: listOrEmpty(anyText),
  page: optional(messageOf({ items: optional(anyNumber, 0) })),
});

const userRole = { role: anyText, scope };

export const userRoles = transform(
  messageOf({ bindings: listOrEmpty(messageOf(userRole)) }),
  ({ bindings }): UserRole[] => bindings,
);
export const binding: Reader<BindingChange> = messageOf({ user: anyText, ...userRole, index: anyNumber });
