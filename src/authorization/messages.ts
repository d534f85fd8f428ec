import { answer, type Fields } from '../answers.js';
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

const effectOf = (fields: Fields): Effect => (fields.value('effect') === 'Allow' ? 'Allow' : 'Deny');

function toDecision(fields: Fields): Decision {
  const effect = effectOf(fields);
  return { effect, allowed: effect === 'Allow', message: fields.text('message', '') };
}

export const decisionAnswer = answer(toDecision);

/** The answer to `count` items; another number of decisions is a wrong shape. */
export const decisionsAnswer = (count: number) =>
  answer((fields): ManyDecisions => {
    const items = fields.objects('items').map(toDecision);
    if (items.length !== count) throw fields.fault('items', `an array of ${count} decisions`);
    return { ...toDecision(fields), items };
  });

function toPolicy(fields: Fields): Policy {
  return {
    statements: fields.objects('statements').map((statement) => ({
      effect: effectOf(statement),
      actions: statement.texts('actions'),
      resources: statement.texts('resources'),
      description: statement.text('description', ''),
    })),
    description: fields.text('description', ''),
  };
}

function toScope(fields: Fields): Policy | null {
  const scope = fields.object('scope');
  return scope === undefined ? null : toPolicy(scope);
}

const toRole = (fields: Fields): Role => ({
  policies: fields.texts('policies'),
  scope: toScope(fields),
  description: fields.text('description', ''),
});

const storedAnswer = <T>(toItem: (fields: Fields) => T) =>
  answer((fields): Stored<T> => {
    const item = fields.object('item');
    if (item === undefined) throw fields.fault('item', 'an object');
    return { name: fields.text('name'), index: fields.number('index'), item: toItem(item) };
  });

export const policyAnswer = storedAnswer(toPolicy);
export const roleAnswer = storedAnswer(toRole);
export const deletedAnswer = answer((fields) => ({ name: fields.text('name'), index: fields.number('index') }));

/** One page of names, and how many there are on all pages. */
export const namesAnswer = answer((fields) => ({
  names: fields.texts('names'),
  total: fields.object('page')?.number('items', 0) ?? 0,
}));

export const userRolesAnswer = answer((fields): UserRole[] =>
  fields.objects('bindings').map((binding) => ({ role: binding.text('role'), scope: toScope(binding) })),
);

export const bindingAnswer = answer(
  (fields): BindingChange => ({
    user: fields.text('user'),
    role: fields.text('role'),
    scope: toScope(fields),
    index: fields.number('index'),
  }),
);
