import type { Binding, GroupBinding, Policy, Role, Statement } from './model.js';

/** Builds a reader, check or schema (`R`) for each part of the description below. */
export interface ShapeBuilder<R> {
  /** The effect: `Allow` or `Deny`. */
  readonly effect: R;
  /** A pattern that actions match. */
  readonly action: R;
  /** A pattern that resources match. */
  readonly resource: R;
  /** The name of a policy, a role, a user or a group. */
  readonly name: R;
  /** A free text that may be missing. */
  readonly description: R;
  /** An object with these fields. */
  object(fields: Readonly<Record<string, R>>): R;
  /** A list of objects. */
  list(item: R): R;
  /** A list of patterns or names. */
  texts(item: R): R;
  /** A field that may be missing or null. */
  nullish(field: R): R;
}

/** The builder's result for each shape. */
export interface Shapes<R> {
  readonly policy: R;
  readonly role: R;
  readonly binding: R;
  readonly groupBinding: R;
  /** The policy that narrows a role or a binding, as a field that may be missing or null. */
  readonly scope: R;
}

/** Describes the fields of statements, policies, roles and bindings to a builder, which words the issues. */
export function describeShapes<R>(builder: ShapeBuilder<R>): Shapes<R> {
  const { effect, action, resource, name, description, object, list, texts, nullish } = builder;
  const statement: ShapeFields<Statement, R> = {
    effect,
    actions: texts(action),
    resources: texts(resource),
    description,
  };
  const policyFields: ShapeFields<Policy, R> = { statements: list(object(statement)), description };
  const policy = object(policyFields);
  const scope = nullish(policy);
  const role: ShapeFields<Role, R> = { policies: texts(name), scope, description };
  const binding: ShapeFields<Binding, R> = { user: name, role: name, scope };
  const group: ShapeFields<GroupBinding, R> = { group: name, role: name, scope };
  return { policy, role: object(role), binding: object(binding), groupBinding: object(group), scope };
}

/** Exactly the fields of a type. */
type ShapeFields<T, R> = { readonly [Name in keyof Required<T>]: R };
