import * as z from 'zod/mini';
import type { Effect } from '../../policy/index.js';
import { bindingSchema, type FieldsOf, type FileBinding } from '../format/file-schema.js';
import { action, effect, name, named, resource, text, textLike } from '../format/value-schemas.js';

// The schema of a file of tests. Files are checked with it, and the published JSON Schema is generated from it.

/** The content of a file of tests. At least one of `expect`, `tables` and `nobody` has to hold something. */
export interface TestsFile {
  /** The JSON Schema, for editors: `./node_modules/arango-services/dist/permissions-test.schema.json`. */
  readonly $schema?: string | undefined;
  /**
   * True to add what a new deployment holds, from the version `recorded` on: the predefined roles, of which only
   * super-admin has a policy, and its binding to `root`. Default: nothing.
   */
  readonly fresh?: boolean | undefined;
  /** Bindings that the tests of this file add to the permissions. */
  readonly given?: readonly FileBinding[] | undefined;
  /** Single questions. */
  readonly expect?: readonly TestsFileExpectation[] | undefined;
  /** Questions of several users for several actions. */
  readonly tables?: readonly TestsFileTable[] | undefined;
  /** Access that no user may have, apart from exceptions. */
  readonly nobody?: readonly TestsFileNobody[] | undefined;
}

/** A question and the decision that is expected. */
export interface TestsFileExpectation {
  /** The user who asks. */
  readonly user: string;
  /** The groups of the user: names in the question's `roles`. Default: none. */
  readonly groups?: readonly string[] | undefined;
  /** One action, without wildcards. */
  readonly action: string;
  /** One resource, without wildcards. */
  readonly resource: string;
  /** The decision: Allow or Deny. */
  readonly effect: Effect;
  /** The reason why it should be so, for people; shown if it fails. */
  readonly because?: string | undefined;
}

/** Users and actions, and the decision for each pair. */
interface TestsFileTable {
  /** One resource, without wildcards. */
  readonly resource: string;
  /** The actions: the columns of the table. */
  readonly actions: readonly string[];
  /** The decisions for each user, in the order of `actions`: the rows of the table. */
  readonly users: Readonly<Record<string, readonly Effect[]>>;
  /** The reason why it should be so, for people; shown if it fails. */
  readonly because?: string | undefined;
}

/** Access that no user and no group may have, whatever the resource or action inside the patterns. */
export interface TestsFileNobody {
  /** A pattern of actions. */
  readonly action: string;
  /** A pattern of resources. */
  readonly resource: string;
  /** Users who may have the access. */
  readonly exceptUsers?: readonly string[] | undefined;
  /** Groups that may have the access. */
  readonly exceptGroups?: readonly string[] | undefined;
  /** Roles that may give the access. */
  readonly exceptRoles?: readonly string[] | undefined;
  /** The reason why it should be so, for people; shown if it fails. */
  readonly because?: string | undefined;
}

const oneOnly = (what: string, example: string) =>
  `must name one ${what}, without "*"; patterns are for nobody: ${example}`;

/** An action without wildcards. */
export const askedAction = /* @__PURE__ */ textLike((action) => {
  if (action.includes('*')) return oneOnly('action', '{ action: "orders:*", resource: "*" }');
  const parts = action.split(':');
  return parts.length === 2 && !parts.includes('') ? undefined : 'must be "<namespace>:<name>"';
});
/** A resource without wildcards; it may be empty. */
export const askedResource = /* @__PURE__ */ textLike((resource) =>
  resource.includes('*') ? oneOnly('resource', '{ action: "*", resource: "orders:*" }') : undefined,
);

export function createTestsFileSchema() {
  const because = z.optional(text);
  const expectation: FieldsOf<TestsFileExpectation> = {
    user: name,
    groups: z.optional(z.array(name)),
    action: askedAction,
    resource: askedResource,
    effect,
    because,
  };
  const table: FieldsOf<TestsFileTable> = {
    resource: askedResource,
    actions: z.array(askedAction),
    users: named(z.array(effect)),
    because,
  };
  const names = z.optional(z.array(name));
  const nobody: FieldsOf<TestsFileNobody> = {
    action,
    resource,
    exceptUsers: names,
    exceptGroups: names,
    exceptRoles: names,
    because,
  };
  const fields: FieldsOf<TestsFile> = {
    $schema: z.optional(text),
    fresh: z.optional(z.boolean()),
    given: z.optional(z.array(bindingSchema)),
    expect: z.optional(z.array(z.strictObject(expectation))),
    tables: z.optional(z.array(z.strictObject(table))),
    nobody: z.optional(z.array(z.strictObject(nobody))),
  };
  return z.strictObject(fields);
}
