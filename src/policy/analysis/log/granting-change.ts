import { remember } from '../../../base/lib/remember.js';
import type { Evaluator, Policy, Statement } from '../../index.js';
import { evaluationRules } from '../../model/fidelity.js';
import type { AccessRegion } from '../analysis-types.js';
import type { CompareOptions } from '../compare.js';
import { comparePartly, type PartialComparison } from '../compare-partly.js';
import type { Additions, Grant } from './additions.js';
import { Granter, type GranterOptions } from './granter.js';
import type { LoggedQuestion, Seen } from './log-types.js';
import { toProducts } from './products.js';
import { toLogged } from './read-questions.js';
import { sum } from './tally.js';
import type { DeniedQuestion, Wish } from './wishes.js';

/** A statement that a change adds, with the requests that need it. Its effect is Allow. */
export interface AddedStatement extends Seen {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** The questions, most frequent first. */
  readonly questions: readonly LoggedQuestion[];
}

/** An item that a change adds or edits. */
export type ChangedItem =
  | {
      readonly kind: 'policy';
      readonly name: string;
      readonly action: 'create' | 'update';
      /** The statements that are added to the policy. */
      readonly statements: readonly AddedStatement[];
    }
  | {
      readonly kind: 'role';
      readonly name: string;
      readonly action: 'create';
      readonly policies: readonly string[];
    }
  | {
      readonly kind: 'binding';
      readonly user: string;
      readonly role: string;
      readonly action: 'create' | 'update';
      /** The statements that are added to the scope; none if the scope allows everything. */
      readonly statements: readonly AddedStatement[];
    };

/** A change of a state that grants what enforcing it would deny. */
export interface GrantingChange {
  /** The items that are added or edited. */
  readonly items: readonly ChangedItem[];
  /** The state with the change. `compare` and all other functions take it. */
  readonly state: Evaluator;
  /** The access that the change adds and takes, as `compare` finds it. */
  readonly access: PartialComparison;
  /** True if `compare` found that users gain exactly what they asked for in the log, and lose nothing. */
  readonly isExact: boolean;
}

const everywhere: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
/** Keeps a new role from subjects that name it in a request. */
const nowhere: Policy = { statements: [{ effect: 'Deny', actions: ['*'], resources: ['*'] }] };

const allowing = ({ actions, resources }: Pick<Statement, 'actions' | 'resources'>): Statement => ({
  effect: 'Allow',
  actions,
  resources,
});

function toStatement(
  { actions, resources }: Pick<Statement, 'actions' | 'resources'>,
  denied: Iterable<DeniedQuestion>,
): AddedStatement {
  const all = [...new Set(denied)];
  const questions = all.map(({ question, tally }) => toLogged(question, tally)).sort((a, b) => b.count - a.count);
  return { actions, resources, ...sum(all.map(({ tally }) => tally)).seen, questions };
}

/** Arranges grants in as few statements as possible that grant nothing else. */
function toStatements(grants: readonly Grant[]): AddedStatement[] {
  const whole = new Map<
    string,
    { readonly patterns: Pick<Statement, 'actions' | 'resources'>; denied: DeniedQuestion[] }
  >();
  const byAction = new Map<string, Map<string, DeniedQuestion[]>>();
  for (const { wish, whole: patterns } of grants) {
    const { action, resource, questions } = wish;
    if (patterns === undefined) {
      const byResource = remember(byAction, action, () => new Map<string, DeniedQuestion[]>());
      remember(byResource, resource, (): DeniedQuestion[] => []).push(...questions);
    } else {
      const key = JSON.stringify([patterns.actions, patterns.resources]);
      remember(whole, key, () => ({ patterns, denied: [] as DeniedQuestion[] })).denied.push(...questions);
    }
  }
  const resourcesOf = new Map([...byAction].map(([action, byResource]) => [action, byResource.keys()]));
  const products = toProducts(resourcesOf).map((product) => {
    const denied = product.actions.flatMap((action) => {
      const byResource = byAction.get(action);
      return product.resources.flatMap((resource) => byResource?.get(resource) ?? []);
    });
    return toStatement(product, denied);
  });
  const wholes = [...whole.values()].map(({ patterns, denied }) => toStatement(patterns, denied));
  return [...wholes, ...products];
}

/** Adds everything to a copy of a state, and describes it. */
function applyAdditions(
  evaluator: Evaluator,
  { policies, roles, scopes, bindings }: Additions,
): Pick<GrantingChange, 'items' | 'state'> {
  const state = evaluator.clone();
  const items: ChangedItem[] = [];
  for (const [name, grants] of policies) {
    const policy = evaluator.policy(name);
    const statements = toStatements(grants);
    state.setPolicy(name, { ...policy, statements: [...(policy?.statements ?? []), ...statements.map(allowing)] });
    items.push({ kind: 'policy', name, action: policy === undefined ? 'create' : 'update', statements });
  }
  const { rolesCount } = evaluationRules[evaluator.fidelity];
  for (const [name, names] of roles) {
    state.setRole(name, { policies: names, ...(rolesCount && { scope: nowhere }) });
    items.push({ kind: 'role', name, action: 'create', policies: names });
  }
  for (const { user, role, scope, grants } of scopes.values()) {
    const statements = toStatements(grants);
    const added = [...(scope?.statements ?? []), ...statements.map(allowing)];
    state.setBinding({ user, role, scope: { ...scope, statements: added } });
    items.push({ kind: 'binding', user, role, action: scope === undefined ? 'create' : 'update', statements });
  }
  for (const { user, role } of bindings) {
    state.setBinding({ user, role, scope: everywhere });
    items.push({ kind: 'binding', user, role, action: 'create', statements: [] });
  }
  return { items, state };
}

/** The questions of a region that a user gains; undefined if they cannot be listed. */
function* questionsOf({ action, resource, users, roles, own = [] }: AccessRegion) {
  for (const _ of roles) yield undefined;
  for (const [i, user] of users.entries()) {
    if (typeof action !== 'string') yield undefined;
    else if (typeof resource === 'string') yield { user, action, resource };
    else if (!('own' in resource) || resource.own.length !== 1) yield undefined;
    else for (const name of own[i] ?? []) yield { user, action, resource: `${name}${resource.own[0]}` };
  }
}

/** True if users gain exactly the wishes, which are names and not patterns. */
function isExactly(
  { gained, lost, notCompared, rolesNotCompared }: PartialComparison,
  wishes: readonly Wish[],
): boolean {
  if (lost.length > 0 || notCompared || rolesNotCompared) return false;
  const keyOf = ({ user, action, resource }: Pick<Wish, 'user' | 'action' | 'resource'>): string =>
    JSON.stringify([user, action, resource]);
  const keys = new Set(
    wishes.flatMap(({ questions, user }) => questions.map(({ question }) => keyOf({ user, ...pick(question) }))),
  );
  for (const region of gained) {
    for (const question of questionsOf(region)) if (question === undefined || !keys.has(keyOf(question))) return false;
  }
  return true;
}

const pick = ({ action, resource }: { action: string; resource: string }) => ({ action, resource });

/** Options of `findChange`. */
export interface ChangeOptions extends Pick<CompareOptions, 'maxWork'>, GranterOptions {
  /** True if users may have bindings that the state lacks: a statement in a policy of theirs would count for them. */
  readonly someUsers?: boolean | undefined;
}

/** Finds a small change of a state that grants wishes, and compares the access before and after. */
export function findChange(
  evaluator: Evaluator,
  wishes: readonly Wish[],
  { someUsers, maxWork, ...options }: ChangeOptions,
): GrantingChange {
  if (wishes.length === 0) {
    return { items: [], state: evaluator.clone(), access: { gained: [], lost: [] }, isExact: true };
  }
  const granter = new Granter(evaluator, someUsers ? [] : wishes, options);
  const narrow = granter.widenScopes(wishes);
  const left = granter.bindToRoles(someUsers ? narrow : granter.extendPolicies(narrow), false);
  granter.addRoles(granter.bindToRoles(granter.reusePolicies(left), true));
  const { items, state } = applyAdditions(evaluator, granter.additions);
  const access = comparePartly(evaluator, state, { maxWork });
  const isComplete = wishes.every(({ questions }) =>
    questions.every(({ question: { subject, action, resource } }) => state.isAllowed({ ...subject, action, resource })),
  );
  return { items, state, access, isExact: isComplete && isExactly(access, wishes) };
}
