import { expected, InvalidArgumentError } from '../../errors.js';
import { many, mapped, note, number, shape, text } from '../../lib/answers.js';
import {
  accepting,
  listOf,
  optional,
  type Read,
  type Reader,
  readFilledText,
  readName,
  readObject,
  readText,
  readToken,
  record,
} from '../../lib/arguments.js';
import type { Decision, Effect, EvaluationItem, ManyDecisions, Policy, Role } from '../../policy/model.js';
import { describeShapes } from '../../policy/shape.js';

/** Who asks: a user, with roles if wanted, or a token; never a mixture. */
export type Subject =
  | {
      /** Not empty: on the wire a missing user is the superuser. */
      readonly user: string;
      readonly roles?: readonly string[] | undefined;
      readonly token?: undefined;
    }
  | { readonly token: string; readonly user?: undefined; readonly roles?: undefined };

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

/** A subject and items, as the wire has them. */
export interface WireSubject {
  readonly user: string | undefined;
  readonly roles: readonly string[] | undefined;
  readonly token: string | undefined;
}

// A copy, because a batch is sent later.
const readContext: Reader<object> = (value, field) => structuredClone(readObject(value, field));

const itemFields = { action: readFilledText, resource: readText, context: optional(readContext) };
const subjectFields = { user: optional(readName), roles: optional(listOf(readName)), token: optional(readToken) };

const readSubject = ({ user, roles, token }: WireSubject): WireSubject => {
  if (token === undefined ? user === undefined : user !== undefined || roles !== undefined) {
    throw new InvalidArgumentError(
      token === undefined ? 'user' : 'token',
      'expected either a user, with or without roles, or a token; without both it would be the superuser',
    );
  }
  return { user, roles, token };
};

/** An item without its subject. */
export const readItem = record(itemFields) as Reader<EvaluationItem>;

/** A subject and its item. */
export const readEvaluation = mapped(
  record({ ...itemFields, ...subjectFields }),
  ({ user, roles, token, ...item }) => ({
    subject: readSubject({ user, roles, token }),
    item: item as EvaluationItem,
  }),
);

/** A subject and its items. */
export const readEvaluations = mapped(
  record({ items: listOf(readItem), ...subjectFields }),
  ({ items, ...subject }) => ({
    subject: readSubject(subject),
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
  object: record,
  list: (item) => listOf(item),
  texts: (item) => listOf(item),
  optional: (field) => optional(field),
  nullish: (field) => (value, at) => (value === undefined || value === null ? value : field(value, at)),
});

// The casts: describeShapes takes each shape from the fields of its type.
/** A policy, as a caller gives it. */
export const readPolicy = given.policy as Reader<Policy>;
/** A role, as a caller gives it. */
export const readRole = given.role as Reader<Role>;

/** Anything but Allow is a Deny. */
const effect: Reader<Effect> = (value) => (value === 'Allow' ? value : 'Deny');

const decisionFields = { effect, message: note };
const judge = <F extends Read<typeof decisionFields>>(fields: F) => ({ ...fields, allowed: fields.effect === 'Allow' });

export const decision: Reader<Decision> = mapped(shape(decisionFields), judge);

const manyDecisions: Reader<ManyDecisions> = mapped(shape({ ...decisionFields, items: many(decision) }), judge);

/** The answer to `count` items; another number of decisions is a wrong shape. */
export const decisions =
  (count: number): Reader<ManyDecisions> =>
  (value, field) => {
    const answer = manyDecisions(value, field);
    if (answer.items.length === count) return answer;
    throw expected('items', `${count} decisions`, answer.items);
  };

const stored = describeShapes<Reader<unknown>>({
  effect,
  action: text,
  resource: text,
  name: text,
  text,
  object: shape,
  list: many,
  texts: many,
  optional: (field) => optional(field, ''),
  nullish: (field) => optional(field, null),
});
const scope = stored.scope as Reader<Policy | null>;
const revision = { name: text, index: number };

export const storedPolicy: Reader<Stored<Policy>> = shape({ ...revision, item: stored.policy as Reader<Policy> });
export const storedRole: Reader<Stored<Role>> = shape({ ...revision, item: stored.role as Reader<Role> });
export const deleted = shape(revision);

/** One page of names, and how many there are on all pages. */
export const names = shape({ names: many(text), page: optional(shape({ items: optional(number, 0) })) });

const userRole = { role: text, scope };

export const userRoles = mapped(shape({ bindings: many(shape(userRole)) }), ({ bindings }): UserRole[] => bindings);
export const binding: Reader<BindingChange> = shape({ user: text, ...userRole, index: number });
