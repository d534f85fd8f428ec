import * as z from 'zod/mini';
import type { Policy } from '../../policy/index.js';
import type { ScopeRequest } from '../../policy/model/scope-forms.js';
import { policySchema, requestSchema } from './scope-schema.js';
import { action, file, name, named, pathKey, resource, text } from './value-schemas.js';

// The schema of a file of permissions. Files are checked with it, and the published JSON Schema is generated from it.

/** The content of a scope: a policy, or a request like `{ database: 'shop' }`, as `scopeOf` takes it. */
export type ScopeContent = Policy | ScopeRequest;

/** The content of a scope, or the name of one of the `scopes`. */
export type FileScope = ScopeContent | string;

/** The content of a file of permissions. All fields may be missing. */
export interface PermissionsFile {
  /** The JSON Schema, for editors: `./node_modules/arango-services/dist/permissions.schema.json`. */
  readonly $schema?: string | undefined;
  /** Files to include, relative to this one and inside the folder of the first file. */
  readonly include?: readonly string[] | undefined;
  /** Scopes by name. Bindings and roles may name them instead of repeating them. */
  readonly scopes?: Readonly<Record<string, ScopeContent>> | undefined;
  /** Policies by name. */
  readonly policies?: Readonly<Record<string, Policy>> | undefined;
  /** Roles by name. */
  readonly roles?: Readonly<Record<string, FileRole>> | undefined;
  /** The roles of users, each inside a scope. */
  readonly bindings?: readonly FileBinding[] | undefined;
  /** The roles of groups, each inside a scope; for platforms that bind roles to groups. */
  readonly groupBindings?: readonly FileGroupBinding[] | undefined;
  /**
   * The names that the files own: with the option `prune`, such items are deleted if no file has them. Default: none.
   */
  readonly manage?: FileManage | undefined;
  /**
   * Limits of what a file may grant, or the files of a folder, by paths relative to the first file, in which alone they
   * may stand. The path of a folder ends with "/". All limits of a file apply.
   */
  readonly limits?: Readonly<Record<string, FileLimit>> | undefined;
}

/** A role as a file defines it; the role's name is its key there. */
export interface FileRole {
  /** Names of policies in the files, or of `managed:` ones. */
  readonly policies: readonly string[];
  /**
   * Narrows the role where a request names it: a scope, the name of one of the `scopes`, or null. It does not affect
   * bindings, which have their own scopes. Deprecated upstream.
   */
  readonly scope?: FileScope | null | undefined;
  /** For people; it has no effect on decisions. */
  readonly description?: string | undefined;
}

/** A binding as a file writes it: its scope in place or by name. */
export interface FileBinding {
  /** The user with the role. */
  readonly user: string;
  /** The name of the role; it need not be in the files. */
  readonly role: string;
  /**
   * Limits the role in this binding: a policy, `{ database: shop }` or another request, or the name of one of the
   * `scopes`.
   */
  readonly scope: FileScope;
}

/** A binding of a group as a file writes it. */
export interface FileGroupBinding extends Omit<FileBinding, 'user'> {
  /** The group with the role. */
  readonly group: string;
}

/** The names that a file owns. */
export interface FileManage {
  /** Patterns of names of policies, in the grammar of policies. */
  readonly policies?: readonly string[] | undefined;
  /** Patterns of names of roles. */
  readonly roles?: readonly string[] | undefined;
  /** Patterns of users, who own their bindings. */
  readonly users?: readonly string[] | undefined;
  /** Patterns of groups, which own their bindings. */
  readonly groups?: readonly string[] | undefined;
  /** Bindings that the file owns by their roles, so that teams can share users. They have precedence over users. */
  readonly bindings?: FileManagedBindings | undefined;
}

/** The bindings that a file owns by their roles, of all users and groups. */
export interface FileManagedBindings {
  /** Patterns of roles: the file owns the bindings to these roles, and no other file may define one. */
  readonly roles: readonly string[];
}

/** A limit of what a file may grant. A field that is missing does not limit. */
export interface FileLimit {
  /** Patterns of the roles that the file may define, bind and own. */
  readonly roles?: readonly string[] | undefined;
  /** Patterns of the actions that its policies, roles and bindings may allow. */
  readonly actions?: readonly string[] | undefined;
  /** Patterns of the resources on which its policies, roles and bindings may allow actions. */
  readonly resources?: readonly string[] | undefined;
}

/** Schemas for exactly the fields of a type. */
export type FieldsOf<T> = { readonly [Name in keyof Required<T>]: z.ZodMiniType };

/** The content of a scope, its name, or null. */
const scope = /* @__PURE__ */ z.union([name, /* @__PURE__ */ z.null(), policySchema, requestSchema]);

/** A binding, as files have it. */
export const bindingSchema = /* @__PURE__ */ z.strictObject({
  user: name,
  role: name,
  scope,
} satisfies FieldsOf<FileBinding>);

/** Creates the schema of a file of permissions. */
export function createFileSchema() {
  const role: FieldsOf<FileRole> = {
    policies: z.array(name),
    scope: z.optional(scope),
    description: z.optional(text),
  };
  const groupBinding = z.strictObject({ group: name, role: name, scope } satisfies FieldsOf<FileGroupBinding>);
  const patterns = z.optional(z.array(resource));
  const managed: FieldsOf<FileManagedBindings> = { roles: z.array(resource) };
  const bindings = z.optional(z.strictObject(managed));
  const manage: FieldsOf<FileManage> = {
    policies: patterns,
    roles: patterns,
    users: patterns,
    groups: patterns,
    bindings,
  };
  const limit: FieldsOf<FileLimit> = { roles: patterns, actions: z.optional(z.array(action)), resources: patterns };
  const fields: FieldsOf<PermissionsFile> = {
    $schema: z.optional(text),
    include: z.optional(z.array(file)),
    scopes: z.optional(named(z.union([policySchema, requestSchema]))),
    policies: z.optional(named(policySchema)),
    roles: z.optional(named(z.strictObject(role))),
    bindings: z.optional(z.array(bindingSchema)),
    groupBindings: z.optional(z.array(groupBinding)),
    manage: z.optional(z.strictObject(manage)),
    limits: z.optional(named(z.strictObject(limit), pathKey)),
  };
  return z.strictObject(fields);
}
