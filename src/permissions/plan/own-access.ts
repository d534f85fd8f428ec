import type { NeededPermission } from '../../base/errors.js';
import type { Region } from '../../policy/analysis/analysis-types.js';
import { Model } from '../../policy/analysis/read-evaluator.js';
import { merge, subtract, tidy, toRegion, within } from '../../policy/analysis/region.js';
import { Space } from '../../policy/analysis/space.js';
import { Work } from '../../policy/analysis/work.js';
import { ownersAbove } from '../../policy/evaluate/binding-chain.js';
import { type Evaluator, type EvaluatorSubject, samePolicy } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import { type Caller, isSuperuserCaller } from '../model/applying-caller.js';
import {
  type AnyBinding,
  type BindingItemOwner,
  bindingItem,
  type ItemContent,
  type ItemName,
  ownerOf,
  type PlanChange,
  type PlanStage,
} from '../model/plan-change.js';
import { write } from './effects.js';

/** A permission that a call of a plan needs and that the caller lacks when the call is made. */
export interface MissingPermission extends NeededPermission {
  /** The item that the call reads and writes. */
  readonly item: ItemName;
  /** The item whose change takes the permission away; undefined if the caller does not have it before the plan. */
  readonly lostBy?: ItemName | undefined;
}

/** The effect of a plan on the permissions of the caller that applies it. */
export interface OwnAccess {
  readonly user: string | undefined;
  readonly groups: readonly string[];
  /** The reason, as a sentence, why the permissions of the caller could not be computed; undefined if they were. */
  readonly unknown?: string | undefined;
  /** The permissions that are missing when a call needs them, in the order of the calls. */
  readonly missing: readonly MissingPermission[];
  /** The management permissions that the caller has before the plan and not after it. */
  readonly lost: readonly Region[];
}

/** True if the caller cannot finish a plan, or cannot manage permissions afterwards as it could before. */
export const locksOut = ({ missing, lost }: Pick<OwnAccess, 'missing' | 'lost'>): boolean =>
  missing.length > 0 || lost.length > 0;

/** The actions that plans need. Source: docs/wire.md, "RBAC management". */
const managementActions = [
  ...['List', 'Get', 'Create', 'Update', 'Delete'].flatMap((verb) => [`rbac:${verb}Policy`, `rbac:${verb}Role`]),
  ...['User', 'Group'].flatMap((kind) =>
    [`List${kind}RoleBinding`, `Assign${kind}Role`, `Remove${kind}Role`, `Replace${kind}RoleScope`].map(
      (name) => `rbac:${name}`,
    ),
  ),
];

/** The permissions of a call: `apply` reads the item before it writes it, and once more at the end. */
function needsOf(
  { kind, name, user, group }: PlanChange,
  before: ItemContent,
  content: ItemContent,
): NeededPermission[] {
  const verb = !content ? 'Delete' : before ? 'Update' : 'Create';
  if (kind !== 'binding') {
    const what = kind === 'policy' ? 'Policy' : 'Role';
    return ['Get', verb].map((operation) => ({ action: `rbac:${operation}${what}`, resource: name }));
  }
  const [noun, resource] = group === undefined ? ['User', user] : ['Group', group];
  const action = { Delete: `Remove${noun}Role`, Update: `Replace${noun}RoleScope`, Create: `Assign${noun}Role` }[verb];
  return [`List${noun}RoleBinding`, action].map((operation) => ({ action: `rbac:${operation}`, resource }));
}

/** The item of a change, without its content. */
const itemOf = (change: PlanChange): ItemName =>
  change.kind === 'binding' ? bindingItem(change) : { kind: change.kind, name: change.name };

/** True if a binding counts for the caller: its name `owner:role` begins with the caller's user or group and a `:`. */
export function isBoundBy(
  binding: BindingItemOwner & { readonly role: string },
  { user, groups }: Pick<Caller, 'user' | 'groups'>,
): boolean {
  const [owner, names] = binding.group === undefined ? [binding.user, [user]] : [binding.group, groups];
  return [owner, ...ownersAbove(`${owner}:${binding.role}`)].some((name) => names.includes(name));
}

/** Computes the caller's management permissions in each state that the calls of a plan can reach. */
export class OwnPermissions {
  readonly #caller: Caller;
  readonly #subject: EvaluatorSubject;

  /** @param caller not the superuser, and known. */
  constructor(caller: Caller) {
    const { user, groups } = caller;
    this.#caller = caller;
    this.#subject = user === undefined ? { roles: groups } : { user, roles: groups };
  }

  allows(state: Evaluator, { action, resource }: NeededPermission): boolean {
    const { user, groups } = this.#caller;
    // The observed services answer 500 to management calls of a caller whose policies contain an invalid pattern.
    if (state.faults(user, groups).some(({ segment }) => segment !== undefined)) return false;
    return state.isAllowed({ ...this.#subject, action, resource });
  }

  /** Returns a function that tells if a change affects the caller. */
  reached(states: readonly Evaluator[]): (change: PlanChange) => boolean {
    const { user, groups } = this.#caller;
    const bound = user === undefined ? [] : states.flatMap((state) => state.bindings(user));
    const named = states.some(({ fidelity }) => evaluationRules[fidelity].rolesCount) ? groups : [];
    const ofGroups = states.flatMap((state) => groups.flatMap((group) => state.groupBindings(group)));
    const roles = new Set([...[...bound, ...ofGroups].map(({ role }) => role), ...named]);
    const policies = new Set(states.flatMap((state) => [...roles].flatMap((role) => state.role(role)?.policies ?? [])));
    return (change) => {
      if (change.kind !== 'binding') return (change.kind === 'policy' ? policies : roles).has(change.name);
      return isBoundBy(change, this.#caller);
    };
  }

  /**
   * Finds the permissions that the caller lacks for a call, or loses before a later call that needs them. The calls of
   * a stage all revoke or all grant, so the caller has the least access if a call is made first or last.
   */
  missing(start: Evaluator, changes: readonly PlanChange[], stages: readonly PlanStage[]): MissingPermission[] {
    const contents = changes.map(({ before }) => before);
    const calls = stages.map((stage) =>
      stage.map(({ change: at, content }) => {
        // The cast: steps name changes of their plan.
        const change = changes[at] as PlanChange;
        const needs = needsOf(change, contents[at] ?? null, content);
        contents[at] = content;
        return { change, content, needs };
      }),
    );
    type Call = (typeof calls)[number][number];
    const after = (state: Evaluator, made: readonly Call[]) => {
      const now = state.clone();
      for (const { change, content } of made) write(now, change, content);
      return now;
    };
    const isReached = this.reached([start, after(start, calls.flat())]);
    const missingPermissions = new Map<string, MissingPermission>();
    let state = start;
    for (const [i, stage] of calls.entries()) {
      const reaching = stage.filter(({ change }) => isReached(change));
      for (const made of [[], ...reaching.map((call) => reaching.filter((other) => other !== call)), reaching]) {
        const now = after(state, made);
        const next = stage.filter((call) => !made.includes(call));
        const later = made === reaching ? calls.slice(i + 1).flat() : [];
        for (const call of [...next, ...later]) {
          for (const need of call.needs) {
            const key = JSON.stringify(need);
            if (missingPermissions.has(key) || this.allows(now, need)) continue;
            const had = this.allows(start, need);
            if (!had && later.includes(call)) continue;
            const lostAt = made.findIndex((_, at) => !this.allows(after(state, made.slice(0, at + 1)), need));
            const lostBy = had ? made[lostAt]?.change : undefined;
            missingPermissions.set(key, { ...need, item: itemOf(call.change), lostBy: lostBy && itemOf(lostBy) });
          }
        }
      }
      state = after(state, stage);
    }
    return [...missingPermissions.values()];
  }

  /** Finds the management permissions that the caller has in one state and not in the other. */
  lost(start: Evaluator, end: Evaluator): Region[] {
    const work = new Work({});
    work.at = 'plan: the access of the caller';
    const space = new Space(work, { action: 'rbac:*', resource: '*' });
    const areasIn = (state: Evaluator) => {
      const model = new Model(state, space);
      return model.areas(model.alternatives(this.#subject));
    };
    const lost = merge([...subtract(areasIn(start), areasIn(end), work)], work);
    const isManagement = (area: (typeof lost)[number]) =>
      managementActions.some((action) => within(area, space.pair(action, '*'), work));
    return lost.filter(isManagement).map((area) => toRegion(tidy(area, work)));
  }
}

/**
 * Adds the caller's bindings to a state. The services also report a binding of `ann:b` as one of `ann`; such a binding
 * is added once, under the user that it is stored for.
 */
export function addCaller(state: Evaluator, { user, groups, bindings, groupBindings = [] }: Caller): void {
  const add = (name: string, storedBindings: readonly AnyBinding[], listed: readonly AnyBinding[]) => {
    const isOwn = (entry: AnyBinding) => Object.values(ownerOf(entry)).includes(name);
    for (const binding of listed) {
      const isSame = (entry: AnyBinding) => entry.role === binding.role && samePolicy(entry.scope, binding.scope);
      const others = storedBindings.filter((other) => !isOwn(other) && isSame(other)).length;
      const isMore = listed.filter(isSame).length > others;
      if (!isMore && !storedBindings.some((other) => isOwn(other) && isSame(other))) continue;
      // The cast: null deletes a binding, and its content is its scope.
      const content = isMore ? (binding.scope ?? { statements: [] }) : null;
      write(state, { ...bindingItem(binding), after: null } as PlanChange, content);
    }
  };
  if (user !== undefined) add(user, state.bindings(user), bindings);
  for (const group of new Set(groups)) {
    add(
      group,
      state.groupBindings(group),
      groupBindings.filter((binding) => binding.group === group),
    );
  }
}

/** Creates the permissions of a caller; undefined for the superuser, who has all, and for an unknown caller. */
export const ownPermissions = (caller: Caller | undefined): OwnPermissions | undefined =>
  caller && caller.unknown === undefined && !isSuperuserCaller(caller) ? new OwnPermissions(caller) : undefined;
