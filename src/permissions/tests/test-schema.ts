import type { Effect } from '../../policy/index.js';
import { describeItems, type FileBinding, type FileBuilder } from '../format/file-schema.js';

// The shapes of a file of tests, described once: its check and the published JSON Schema build on them.

/** The content of a file of tests. At least one of `expect`, `tables` and `nobody` has to hold something. */
export interface TestsFile {
  /** The JSON Schema, for editors: `./node_modules/arango-services/dist/permissions-test.schema.json`. */
  readonly $schema?: string | undefined;
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

/** Access that no user may have, whatever the resource or action inside the patterns. */
export interface TestsFileNobody {
  /** A pattern of actions. */
  readonly action: string;
  /** A pattern of resources. */
  readonly resource: string;
  /** Users who may have it. */
  readonly exceptUsers?: readonly string[] | undefined;
  /** Roles that may give it. */
  readonly exceptRoles?: readonly string[] | undefined;
  /** The reason why it should be so, for people; shown if it fails. */
  readonly because?: string | undefined;
}

/** A builder of checks or schemas `R` of a file of tests. */
export interface TestsBuilder<R> extends FileBuilder<R> {
  /** An action without wildcards. */
  readonly askedAction: R;
  /** A resource without wildcards; it may be empty. */
  readonly askedResource: R;
}

type Fields<T, R> = { readonly [Name in keyof Required<T>]: R };

/** Describes a file of tests. */
export function describeTests<R>(builder: TestsBuilder<R>): R {
  const { effect, action, resource, name, text, askedAction, askedResource, list, named, optional, object } = builder;
  const because = optional(text);
  const expectation: Fields<TestsFileExpectation, R> = {
    user: name,
    action: askedAction,
    resource: askedResource,
    effect,
    because,
  };
  const table: Fields<TestsFileTable, R> = {
    resource: askedResource,
    actions: list(askedAction),
    users: named(list(effect)),
    because,
  };
  const names = optional(list(name));
  const nobody: Fields<TestsFileNobody, R> = { action, resource, exceptUsers: names, exceptRoles: names, because };
  const fields: Fields<TestsFile, R> = {
    $schema: optional(text),
    given: optional(list(describeItems(builder).binding)),
    expect: optional(list(object(expectation, ['user', 'action', 'resource', 'effect']))),
    tables: optional(list(object(table, ['resource', 'actions', 'users']))),
    nobody: optional(list(object(nobody, ['action', 'resource']))),
  };
  return object(fields, []);
}
