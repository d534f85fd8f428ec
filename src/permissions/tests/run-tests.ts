import {
  accepting,
  asGiven,
  listOf,
  oneOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
} from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type { AccessRegion } from '../../policy/analysis/analysis-types.js';
import { formatHeld } from '../../policy/analysis/format-comparison.js';
import { excessAccess, formatPattern } from '../../policy/analysis/index.js';
import { createEvaluator, type Evaluator, explain, type Fidelity } from '../../policy/index.js';
import { bindingKey } from '../model/binding-key.js';
import { ownersIn, unknownOwnersOf } from '../model/known-owners.js';
import { type FilePlace, PermissionsError } from '../model/permissions-error.js';
import { Explainer } from './explainer.js';
import { addFresh } from './fresh-items.js';
import { resolveGiven } from './given.js';
import type { PermissionTests } from './parse-tests.js';
import { type Coverage, CoverageCounter, type TestedState } from './test-coverage.js';
import type { TestsFileExpectation, TestsFileNobody } from './test-schema.js';
import { findUnknownNames, type UnknownName } from './unknown-names.js';

/** Options of {@link runTests}. */
export interface TestOptions {
  /** The fidelity in which to decide, default `documented`. */
  readonly fidelity?: Fidelity | undefined;
  /** The maximum number of pattern comparisons for each entry of `nobody`, as in `excessAccess`. */
  readonly maxWork?: number | undefined;
}

export const readTestOptions = optionsOf({
  fidelity: oneOf<Fidelity>('documented', 'sidecar'),
  // `excessAccess` validates it.
  maxWork: asGiven as Reader<number>,
} satisfies ReadersOf<TestOptions>);

/** The result of one expectation, with its place. */
export interface TestResult extends FilePlace {
  readonly kind: 'expect' | 'nobody';
  /** The expectation as a sentence. */
  readonly name: string;
  readonly passed: boolean;
  /** The reason for the expectation, as given in the file. */
  readonly because?: string | undefined;
  /** Why the decision was made, as lines with the places of statements. Empty if an entry of `nobody` passes. */
  readonly explanation: string;
}

/** The results of tests. */
export interface TestReport {
  readonly passed: boolean;
  /** The results in the order of the files; in each file, questions come first. */
  readonly results: readonly TestResult[];
  readonly coverage: Coverage;
  /** Names that exist nowhere in the state: an expected Deny of one may prove nothing. */
  readonly unknown: readonly UnknownName[];
  /** The users whose bindings were known; `nobody` was checked for these users only. */
  readonly users: readonly string[] | 'all';
}

const list = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');

function questionName({ user, groups = [], action, resource, effect }: TestsFileExpectation): string {
  const by = groups.length > 0 ? ` with groups ${list(groups)}` : '';
  return `${effect}: user ${JSON.stringify(user)}${by}, ${JSON.stringify(action)} on ${JSON.stringify(resource)}`;
}

function nobodyName({ action, resource, ...except }: TestsFileNobody): string {
  const lists = { users: except.exceptUsers, groups: except.exceptGroups, roles: except.exceptRoles };
  const but = Object.entries(lists)
    .flatMap(([kind, names = []]) => (names.length === 0 ? [] : [`${kind} ${list(names)}`]))
    .join(' and ');
  return `nobody: ${formatPattern(action)} on ${formatPattern(resource)}${but && `, except ${but}`}`;
}

/**
 * Finds access inside the patterns of an entry of `nobody`, apart from its exceptions. A role counts only for users and
 * groups that are bound to it.
 */
function findExcess(
  evaluator: Evaluator,
  { action, resource, exceptUsers: users, exceptGroups: groups, exceptRoles: roles }: TestsFileNobody,
  maxWork: number | undefined,
): AccessRegion[] {
  const named = { ...(users && { users }), ...(groups && { groups }), ...(roles && { roles }) };
  const allowed = users || groups || roles ? [{ action, resource, ...named }] : [];
  const regions = excessAccess(evaluator, allowed, { within: { action, resource }, maxWork });
  return regions.filter(({ users, groups }) => users.length > 0 || groups).map((region) => ({ ...region, roles: [] }));
}

/** True for tests that were read: without a list, some would not run. */
const isRead = (tests: unknown): boolean =>
  isObject(tests) && [tests.given, tests.expect, tests.nobody].every(Array.isArray);

/** Refuses questions about users or groups whose bindings the state does not know. */
function refuseUnknown(state: TestedState, files: readonly PermissionTests[]): void {
  const unknown = unknownOwnersOf(state);
  const issues = files.flatMap((tests) =>
    tests.expect.flatMap(({ user, groups, file, line, column }) => {
      const problem = unknown(ownersIn(user, groups));
      return problem === undefined ? [] : { file, line, column, message: `the ${problem}` };
    }),
  );
  if (issues.length > 0) throw new PermissionsError(issues);
}

/**
 * Runs tests of permissions against a state: files of permissions, or what `readState` found. Entries of `nobody` are
 * computed from the policies for all users whose bindings the state knows, without sampling.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option, or `files`.
 * @throws PermissionsError (code `PERMISSIONS`) with the places of given bindings that name an unknown role or scope,
 *   or that are there already, and of questions about users or groups whose bindings the state does not know.
 *   AnalysisError (code `ANALYSIS`) above `maxWork`.
 *
 * @example
 * ```ts
 * import { formatTests, readPermissions, readTests, runTests } from 'arango-services/permissions';
 *
 * const files = new Map([
 *   ['permissions.yaml', 'policies: { reader: { statements: [] } }'],
 *   ['permissions.test.yaml', 'expect: [{ user: eve, action: "orders:read", resource: "order:7", effect: Deny }]'],
 * ]);
 * const read = (file: string) => files.get(file) ?? '';
 * const state = await readPermissions('permissions.yaml', { read });
 * const report = runTests(state, [await readTests('permissions.test.yaml', { read })]);
 * console.log(report.passed, formatTests(report)); // true 1 passed, 0 failed.
 * ```
 */
export function runTests(state: TestedState, files: readonly PermissionTests[], options: TestOptions = {}): TestReport {
  const { fidelity, maxWork } = readFields(options, 'options', readTestOptions);
  const base = createEvaluator(state, fidelity ? { fidelity } : {});
  readArgument(files, 'files', listOf(accepting<PermissionTests>('what readTests returns', isRead)));
  const givenBindings = resolveGiven(state, files);
  refuseUnknown(state, files);
  const counter = new CoverageCounter(state);
  const explainer = new Explainer(state);
  const results = files.flatMap((tests, i): TestResult[] => {
    const bindings = givenBindings[i] ?? [];
    const evaluator = base.clone();
    if (tests.fresh) addFresh(evaluator);
    for (const binding of bindings) evaluator.setBinding(binding);
    const scopes = new Map(bindings.map((binding) => [bindingKey(binding), binding.scope]));
    const questions = tests.expect.map((expected): TestResult => {
      const { user, groups, action, resource, effect, because, file, line, column } = expected;
      const subject = groups ? { user, roles: groups } : { user };
      const explanation = explain(evaluator, { ...subject, action, resource });
      counter.count(evaluator, explanation, scopes);
      const passed = explanation.decision.effect === effect;
      const text = explainer.text(evaluator, explanation);
      return { kind: 'expect', name: questionName(expected), passed, because, explanation: text, file, line, column };
    });
    const exact = tests.nobody.map((expected): TestResult => {
      const { because, file, line, column } = expected;
      const regions = findExcess(evaluator, expected, maxWork);
      const [first] = regions;
      const lines = first ? [...formatHeld(regions), explainer.text(evaluator, explain(evaluator, first.witness))] : [];
      const [passed, text] = [regions.length === 0, lines.join('\n')];
      return { kind: 'nobody', name: nobodyName(expected), passed, because, explanation: text, file, line, column };
    });
    return [...questions, ...exact];
  });
  return {
    passed: results.every(({ passed }) => passed),
    results,
    coverage: counter.coverage(),
    unknown: findUnknownNames(state, files, givenBindings.flat()),
    users: state.users,
  };
}
