import type { Policy } from '../../policy/index.js';
import { describeShapes, type Shapes } from '../../policy/model/shape.js';

// The shapes of a file of permissions, described once: the check of files and the published JSON Schema build on them.

/** A policy, or the name of one of the `scopes`. */
export type FileScope = Policy | string;

/** The content of a file of permissions. All fields may be missing. */
export interface PermissionsFile {
  /** The JSON Schema, for editors: `./node_modules/arango-services/dist/permissions.schema.json`. */
  readonly $schema?: string | undefined;
  /** Files to include, relative to this one and inside the folder of the first file. */
  readonly include?: readonly string[] | undefined;
  /** Scopes by name. Bindings and roles may name them instead of repeating them. */
  readonly scopes?: Readonly<Record<string, Policy>> | undefined;
  /** Policies by name. */
  readonly policies?: Readonly<Record<string, Policy>> | undefined;
  /** Roles by name. */
  readonly roles?: Readonly<Record<string, FileRole>> | undefined;
  /** The roles of users, each inside a scope. */
  readonly bindings?: readonly FileBinding[] | undefined;
  /**
   * The names that the files own: with the option `prune`, such items are deleted if no file has them. Default: none.
   */
  readonly manage?: FileManage | undefined;
}

/** A role in a file. */
export interface FileRole {
  /** Names of policies in the files, or of `managed:` ones. */
  readonly policies: readonly string[];
  /**
   * Narrows the role where a request names it: a policy, the name of one of the `scopes`, or null. It does not affect
   * bindings, which have their own scopes. Deprecated upstream.
   */
  readonly scope?: FileScope | null | undefined;
  /** For people; it has no effect on decisions. */
  readonly description?: string | undefined;
}

/** A binding in a file. */
export interface FileBinding {
  /** The user with the role. */
  readonly user: string;
  /** The name of the role; it need not be in the files. */
  readonly role: string;
  /** Limits the role in this binding: a policy, or the name of one of the `scopes`. */
  readonly scope: FileScope;
}

/** The names that a file owns. */
export interface FileManage {
  /** Patterns of names of policies, in the grammar of policies. */
  readonly policies?: readonly string[] | undefined;
  /** Patterns of names of roles. */
  readonly roles?: readonly string[] | undefined;
  /** Patterns of users, who own their bindings. */
  readonly users?: readonly string[] | undefined;
}

/** A builder of checks or schemas `R`. */
export interface FileBuilder<R> {
  readonly effect: R;
  readonly action: R;
  readonly resource: R;
  /** The name of a policy, role, user or scope. */
  readonly name: R;
  readonly text: R;
  /** A file to include. */
  readonly file: R;
  /** A pattern of names. */
  readonly pattern: R;
  object(fields: Readonly<Record<string, R>>, required: readonly string[]): R;
  list(item: R): R;
  /** Values by name. */
  named(item: R): R;
  optional(field: R): R;
  /** A policy, the name of a scope, or null. */
  scope(policy: R): R;
}

const requiredFields: Readonly<Record<string, readonly string[]>> = {
  effect: ['effect', 'actions', 'resources'],
  statements: ['statements'],
  policies: ['policies'],
  user: ['user', 'role', 'scope'],
};

export const requiredOf = (fields: object): readonly string[] => {
  const first = Object.keys(requiredFields).find((name) => Object.hasOwn(fields, name));
  return first === undefined ? [] : (requiredFields[first] ?? []);
};

/** Describes policies, roles and bindings as files have them. */
export const describeItems = <R>(builder: FileBuilder<R>): Shapes<R> =>
  describeShapes<R>({
    ...builder,
    object: (fields) => builder.object(fields, requiredOf(fields)),
    texts: builder.list,
    nullish: builder.scope,
  });

/** Describes a file of permissions. */
export function describeFile<R>(builder: FileBuilder<R>): R {
  const { text, file, pattern, list, named, optional } = builder;
  const shapes = describeItems(builder);
  const patterns = optional(list(pattern));
  const manage: { readonly [Name in keyof Required<FileManage>]: R } = {
    policies: patterns,
    roles: patterns,
    users: patterns,
  };
  const fields: { readonly [Name in keyof Required<PermissionsFile>]: R } = {
    $schema: optional(text),
    include: optional(list(file)),
    scopes: optional(named(shapes.policy)),
    policies: optional(named(shapes.policy)),
    roles: optional(named(shapes.role)),
    bindings: optional(list(shapes.binding)),
    manage: optional(builder.object(manage, [])),
  };
  return builder.object(fields, []);
}
