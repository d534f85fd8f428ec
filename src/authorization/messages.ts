import { answer, many, number, optional, shape, text } from '../answers.js';
import { listOf, type Reader, readFields, readFilledText, readName, readText, readToken } from '../arguments.js';
import { expected, InvalidArgumentError } from '../errors.js';
import type { Effect, Policy, Role, Statement } from '../policy/model.js';

/** Who asks: a user, with roles if wanted, or a token; never a mixture. */
export type Subject =
  | {
      /** Not empty: on the wire a missing user is the superuser. */
      readonly user: string;
      readonly roles?: readonly string[] | undefined;
      readonly token?: undefined;
    }
  | { readonly token: string; readonly user?: undefined; readonly roles?: undefined };

/** What is asked for. */
export interface EvaluationItem {
  /** Two segments: `orders:read`. */
  readonly action: string;
  /** May be empty, for actions that have no resource. */
  readonly resource: string;
  /** Sent as it is: `{ parameters: { ip: { values: ['…'] } } }`. Today's services do not look at it. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

export type EvaluateRequest = Subject & EvaluationItem;
export type EvaluateManyRequest = Subject & { readonly items: readonly EvaluationItem[] };

/** A decision of the service. An effect that is missing or unknown is a Deny. */
export interface Decision {
  readonly effect: Effect;
  /** `effect === 'Allow'`. */
  readonly allowed: boolean;
  /** The service's own words. */
  readonly message: string;
}

/** `allowed` only if every item is; without items it is a Deny. */
export interface ManyDecisions extends Decision {
  /** In the order of the request. */
  readonly items: readonly Decision[];
}

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
  readonly user?: string;
  readonly roles?: readonly string[];
  readonly token?: string;
}

const readContext: Reader<object> = (value, field) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected(field, 'an object', value);
  // A copy, because a batch is sent later.
  return structuredClone(value);
};

const itemFields = [{ action: readFilledText, resource: readText }, { context: readContext }] as const;
const subjectFields = { user: readName, roles: listOf(readName), token: readToken };

const readItem: Reader<EvaluationItem> = (value, field) =>
  readFields(value, field, ...itemFields, `${field}.`) as EvaluationItem;

function subjectOf(user: string | undefined, roles: string[] | undefined, token: string | undefined): WireSubject {
  if (token !== undefined) {
    if (user !== undefined || roles !== undefined) {
      throw new InvalidArgumentError('token', 'give a token or a user with roles, not both');
    }
    return { token };
  }
  if (user === undefined) {
    throw new InvalidArgumentError(
      'user',
      'is missing, and so is token; without both the service decides for the superuser',
    );
  }
  return { user, ...(roles !== undefined && { roles }) };
}

/** @throws InvalidArgumentError naming the field. */
export function readEvaluation(request: unknown): { subject: WireSubject; item: EvaluationItem } {
  const [required, optional] = itemFields;
  const { user, roles, token, ...item } = readFields(request, 'request', required, { ...optional, ...subjectFields });
  return { subject: subjectOf(user, roles, token), item: item as EvaluationItem };
}

/** @throws InvalidArgumentError naming the field. */
export function readEvaluations(request: unknown): { subject: WireSubject; items: EvaluationItem[] } {
  const { user, roles, token, items } = readFields(request, 'request', { items: listOf(readItem) }, subjectFields);
  return { subject: subjectOf(user, roles, token), items };
}

/** @throws InvalidArgumentError naming the field. */
export const readQuestion = (request: unknown) => readFields(request, 'request', ...itemFields);

const readEffect: Reader<Effect> = (value, field) => {
  if (value === 'Allow' || value === 'Deny') return value;
  throw expected(field, '"Allow" or "Deny"', value);
};

const readStatement: Reader<Statement> = (value, field) =>
  readFields(
    value,
    field,
    { effect: readEffect, actions: listOf(readFilledText), resources: listOf(readText) },
    { description: readText },
    `${field}.`,
  );

export const readPolicy: Reader<Policy> = (value, field) =>
  readFields(value, field, { statements: listOf(readStatement) }, { description: readText }, `${field}.`);

const readScope: Reader<Policy | null> = (value, field) => (value === null ? null : readPolicy(value, field));

export const readRole: Reader<Role> = (value, field) =>
  readFields(value, field, { policies: listOf(readName) }, { scope: readScope, description: readText }, `${field}.`);

/** Anything but Allow is a Deny. */
const effect: Reader<Effect> = (value) => (value === 'Allow' ? value : 'Deny');

const note = optional(text, '');

const decision = shape(
  { effect, message: note },
  (fields): Decision => ({ effect: fields.effect, allowed: fields.effect === 'Allow', message: fields.message }),
);

export const decisionAnswer = answer(decision);

/** The answer to `count` items; another number of decisions is a wrong shape. */
export const decisionsAnswer = (count: number) =>
  answer((value, field): ManyDecisions => {
    const items: Reader<Decision[]> = (list, path) => {
      const decisions = many(decision)(list, path);
      if (decisions.length !== count) throw expected(path, `${count} decisions`, list);
      return decisions;
    };
    return { ...decision(value, field), ...shape({ items }, (fields) => fields)(value, field) };
  });

const statement = shape(
  { effect, actions: many(text), resources: many(text), description: note },
  (fields): Statement => fields,
);
const policy = shape({ statements: many(statement), description: note }, (fields): Policy => fields);
const scope = optional(policy, null);
const role = shape({ policies: many(text), scope, description: note }, (fields): Role => fields);

const storedAnswer = <T>(item: Reader<T>) =>
  answer(shape({ name: text, index: number, item }, (fields) => fields as Stored<T>));

export const policyAnswer = storedAnswer(policy);
export const roleAnswer = storedAnswer(role);
export const deletedAnswer = answer(shape({ name: text, index: number }, (fields) => fields));

/** One page of names, and how many there are on all pages. */
export const namesAnswer = answer(
  shape(
    {
      names: many(text),
      page: optional(
        shape({ items: optional(number, 0) }, ({ items }) => items),
        0,
      ),
    },
    ({ names, page }) => ({ names, total: page }),
  ),
);

export const userRolesAnswer = answer(
  shape({ bindings: many(shape({ role: text, scope }, (fields): UserRole => fields)) }, ({ bindings }) => bindings),
);

export const bindingAnswer = answer(
  shape({ user: text, role: text, scope, index: number }, (fields): BindingChange => fields),
);
