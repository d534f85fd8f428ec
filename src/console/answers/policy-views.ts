import { byCodePoint } from '../../base/lib/code-points.js';
import { stateOf } from '../../permissions/model/permissions-state.js';
import type { AccessRegion, AnalysisState } from '../../policy/analysis/analysis-types.js';
import { catalog } from '../../policy/analysis/catalog/catalog.js';
import { comparePartly } from '../../policy/analysis/compare-partly.js';
import { type Coverage, coverageOf } from '../../policy/analysis/coverage.js';
import { groupTexts } from '../../policy/analysis/format-comparison.js';
import { formatRegion } from '../../policy/analysis/format-regions.js';
import { grants } from '../../policy/analysis/grants.js';
import { describeNotCompared } from '../../policy/analysis/not-compared.js';
import { whoCan } from '../../policy/analysis/who-can.js';
import { type Evaluator, type EvaluatorSubject, explain } from '../../policy/index.js';
import type {
  AccessRow,
  ConsoleFinding,
  ConsoleState,
  GrantRow,
  Holders,
  Matrix,
  MatrixCell,
  MatrixQuestion,
  PermissionsOfState,
  WhoQuestion,
} from '../api.js';
import { findingsOf } from './console-findings.js';

/** The maximum number of pattern comparisons per call, about one second. */
export const maxWork = 20_000_000;
const mostSuggestions = 5_000;

/** Names that appear in no policy: users of the platform, and names in logged requests. */
export interface SeenNames {
  readonly users: Iterable<string>;
  readonly groups: Iterable<string>;
  readonly actions: Iterable<string>;
  readonly resources: Iterable<string>;
}

const sorted = (...lists: readonly Iterable<string>[]): string[] =>
  [...new Set(lists.flatMap((list) => [...list]))].sort(byCodePoint).slice(0, mostSuggestions);

const plain = (patterns: readonly string[]): string[] =>
  patterns.filter((pattern) => pattern !== '' && !pattern.includes('*'));

/** The policies, roles and bindings of an evaluator as the page gets them. */
export function toPermissions(evaluator: Evaluator): PermissionsOfState {
  const { policies, roles, bindings, groupBindings } = stateOf(evaluator);
  return {
    policies: Array.from(policies, ([name, policy]) => ({ name, policy })),
    roles: Array.from(roles, ([name, role]) => ({ name, role })),
    bindings: bindings.map(({ user, role, scope }) => ({ user, role, scope: scope ?? null })),
    groupBindings: groupBindings.map(({ group, role, scope }) => ({ group, role, scope: scope ?? null })),
  };
}

/** The state of an evaluator as the page shows it. */
export function toState(
  evaluator: Evaluator,
  revision: number,
  seen: SeenNames,
  findings: readonly ConsoleFinding[] = findingsOf(evaluator),
): ConsoleState {
  const permissions = toPermissions(evaluator);
  const { policies, roles, bindings, groupBindings } = permissions;
  const scopes = [...bindings, ...groupBindings, ...roles.map(({ role }) => role)].flatMap(({ scope }) => scope ?? []);
  const statements = [...policies.map(({ policy }) => policy), ...scopes].flatMap((policy) => policy.statements);
  const actions = sorted(
    statements.flatMap((statement) => plain(statement.actions)),
    seen.actions,
  );
  const named = new Set(actions);
  const platform = [...catalog.integration.actions, ...catalog.database.actions].map(({ action }) => action);
  return {
    revision,
    fidelity: evaluator.fidelity,
    ...permissions,
    users: sorted(
      evaluator.users(),
      bindings.map(({ user }) => user),
      seen.users,
    ),
    groups: sorted(
      evaluator.groups(),
      groupBindings.map(({ group }) => group),
      seen.groups,
    ),
    actions,
    platformActions: sorted(platform.filter((action) => !named.has(action))),
    resources: sorted(
      statements.flatMap(({ resources }) => plain(resources)),
      seen.resources,
    ),
    findings,
  };
}

function cellOf(evaluator: Evaluator, subject: EvaluatorSubject, action: string, resource: string): MatrixCell {
  const question = { ...subject, action, resource };
  if (evaluator.evaluate(question).allowed) return 'allow';
  const { considered, explicit } = explain(evaluator, question);
  // A name of a request that is neither a role nor a group is considered, too.
  if (considered.every(({ via, role }) => via === 'request' && !evaluator.role(role))) return 'nothing';
  return explicit ? 'explicit-deny' : 'deny';
}

/** A resource as a pattern, as the command's `who` reads it; undefined for a single one. */
const patternOf = (resource: string): string | undefined =>
  resource === '' ? '*' : resource.includes('*') ? resource : undefined;

const mostRegions = 8;

function grantedText({ part, regions }: Coverage): string {
  if (part === 'none') return '';
  const more = regions.length > mostRegions ? [`and ${regions.length - mostRegions} more`] : [];
  return [...regions.slice(0, mostRegions), ...more].join('\n');
}

/** The subject of each row: a user, or any request that names the group. */
const subjectsOf = ({ of, names }: MatrixQuestion): readonly EvaluatorSubject[] =>
  names.map((name) => (of === 'users' ? { user: name } : { roles: [name] }));

/** Rows × actions on the resources of a pattern, by exact grants. */
function patternMatrix(evaluator: Evaluator, revision: number, question: MatrixQuestion, resource: string): Matrix {
  const { names, actions } = question;
  const subjects = subjectsOf(question);
  const columns = actions.map((action) => coverageOf(evaluator, subjects, { action, resource }, maxWork));
  const rows = <T>(show: (coverage: Coverage) => T): T[][] =>
    names.map((_, row) => columns.flatMap((column) => column.slice(row, row + 1).map(show)));
  return { ...question, revision, cells: rows(({ part }) => part), granted: rows(grantedText) };
}

/** Lists those who may do something on a resource, or on those of a pattern. */
export function toHolders(evaluator: Evaluator, { action, resource }: WhoQuestion): Holders {
  const question = { action, resource: patternOf(resource) ?? resource };
  const find = (match: 'all' | 'any') => {
    const holders = whoCan(evaluator, question, { match, maxWork });
    return {
      users: holders.flatMap(({ user }) => user ?? []),
      groups: holders.flatMap(({ group }) => group ?? []),
      roles: holders.flatMap(({ role }) => role ?? []),
    };
  };
  const [all, any] = [find('all'), find('any')];
  const rest = (kind: keyof typeof all) => any[kind].filter((name) => !all[kind].includes(name));
  return { ...all, partly: { users: rest('users'), groups: rest('groups'), roles: rest('roles') } };
}

/** Decides users or groups × actions on one resource, or on those of a pattern. */
export function toMatrix(evaluator: Evaluator, revision: number, question: MatrixQuestion): Matrix {
  const { actions, resource } = question;
  const pattern = patternOf(resource);
  if (pattern !== undefined) return patternMatrix(evaluator, revision, question, pattern);
  const cells = subjectsOf(question).map((subject) =>
    actions.map((action) => cellOf(evaluator, subject, action, resource)),
  );
  return { ...question, revision, cells, granted: null };
}

/** The regions that a user or a group is granted. */
export const grantRows = (evaluator: Evaluator, subject: EvaluatorSubject): readonly GrantRow[] =>
  grants(evaluator, subject, { maxWork }).map((region) => ({ ...region, text: formatRegion(region) }));

/** Formats gained or lost access as at most 20 rows, and one that counts the remaining regions. */
export const accessRows = (change: 'gained' | 'lost', regions: readonly AccessRegion[]): readonly AccessRow[] =>
  groupTexts(regions.map((region) => ({ change, region }))).map(({ users, roles, text }) => ({ users, roles, text }));

/** Compares the access of two states. Subjects with too many patterns to compare are counted instead. */
export function compareStates(before: AnalysisState, after: AnalysisState) {
  const compared = comparePartly(before, after, { maxWork });
  return {
    gained: accessRows('gained', compared.gained),
    lost: accessRows('lost', compared.lost),
    notCompared: describeNotCompared(compared),
  };
}
