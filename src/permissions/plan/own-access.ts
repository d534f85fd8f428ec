import type { NeededPermission } from '../../base/errors.js';
import { Model } from '../../policy/analysis/model.js';
import { merge, subtract, tidy, toRegion, within } from '../../policy/analysis/region.js';
import { Space } from '../../policy/analysis/space.js';
import type { Region } from '../../policy/analysis/types.js';
import { Work } from '../../policy/analysis/work.js';
import { usersAbove } from '../../policy/evaluate/bindings.js';
import { type Binding, type Evaluator, type EvaluatorSubject, samePolicy } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import { type Caller, isSuperuser } from '../model/caller.js';
import type { Change, ItemName, Stage, Step } from '../model/change.js';
import { write } from './effects.js';
import { managementActions, type Need, needsOf } from './needs.js';

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

/** The item of a change, without its content. */
const itemOf = (change: Change): ItemName =>
  change.kind === 'binding'
    ? { kind: change.kind, user: change.user, role: change.role }
    : { kind: change.kind, name: change.name };

/**
 * The calls of a stage run concurrently and may finish in any order. With more steps than this, not all orders are
 * tried.
 */
const mostSubsets = 5;

/** Subsets of a stage's steps that may be done while others are not, smallest first. */
function subsetsOf<T>(steps: readonly T[]): (readonly T[])[] {
  if (steps.length > mostSubsets) {
    // The steps of one stage all shrink access or all grow it, so each call has the least access if it is made first or
    // last.
    return [[], ...steps.map((one) => steps.filter((other) => other !== one)), steps];
  }
  const all = Array.from({ length: 2 ** steps.length }, (_, bits) => steps.filter((_, i) => bits & (1 << i)));
  return all.sort((a, b) => a.length - b.length);
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
    const { user } = this.#caller;
    // The observed services answer 500 to management calls of a user whose policies contain an invalid pattern.
    if (user !== undefined && state.faults(user).some(({ segment }) => segment !== undefined)) return false;
    return state.isAllowed({ ...this.#subject, action, resource });
  }

  /** The roles that affect the caller in one of the states. */
  rolesIn(states: readonly Evaluator[]): ReadonlySet<string> {
    const { user, groups } = this.#caller;
    const bound = user === undefined ? [] : states.flatMap((state) => state.bindings(user));
    const named = states.some(({ fidelity }) => evaluationRules[fidelity].rolesCount) ? groups : [];
    return new Set([...bound.map(({ role }) => role), ...named]);
  }

  /** Returns a function that tells if a change affects the caller. */
  reached(states: readonly Evaluator[]): (change: Change) => boolean {
    const roles = this.rolesIn(states);
    const policies = new Set(states.flatMap((state) => [...roles].flatMap((role) => state.role(role)?.policies ?? [])));
    const { user } = this.#caller;
    return (change) => {
      if (change.kind === 'policy') return policies.has(change.name);
      if (change.kind === 'role') return roles.has(change.name);
      return change.user === user || [...usersAbove(`${change.user}:${change.role}`)].some((one) => one === user);
    };
  }

  /**
   * Finds the permissions that the caller lacks, over all orders in which the calls of a stage may finish. A permission
   * counts as missing if the next call needs it, or if a later call needs it and an earlier change took it away.
   */
  missing(start: Evaluator, changes: readonly Change[], stages: readonly Stage[]): MissingPermission[] {
    const needs = needsOf(changes, stages);
    const found = new Map<string, MissingPermission>();
    const end = start.clone();
    for (const { change, content } of stages.flat()) write(end, changes[change] as Change, content);
    const isReached = this.reached([start, end]);
    const state = start.clone();
    const look = (now: Evaluator, all: readonly Need[], last: Step | undefined, isNext: boolean) => {
      for (const { change, action, resource } of all) {
        const key = JSON.stringify([action, resource]);
        if (found.has(key) || this.allows(now, { action, resource })) continue;
        const had = this.allows(start, { action, resource });
        if (!isNext && !had) continue;
        const item = itemOf(changes[change] as Change);
        const lostBy = had && last ? itemOf(changes[last.change] as Change) : undefined;
        found.set(key, { action, resource, item, lostBy });
      }
    };
    for (const [i, stage] of stages.entries()) {
      const reaching = stage.filter(({ change }) => isReached(changes[change] as Change));
      const later = needs.slice(i + 1).flat(2);
      for (const done of subsetsOf(reaching)) {
        const now = done.length > 0 ? state.clone() : state;
        for (const { change, content } of done) write(now, changes[change] as Change, content);
        const isDone = new Set(done);
        const next = stage.flatMap((step, place) => (isDone.has(step) ? [] : (needs[i]?.[place] ?? [])));
        look(now, next, done.at(-1), true);
        if (done.length > 0) look(now, later, done.at(-1), false);
      }
      for (const { change, content } of stage) write(state, changes[change] as Change, content);
    }
    return [...found.values()];
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
export function addCaller(state: Evaluator, { user, bindings }: Caller): void {
  if (user === undefined) return;
  const known = state.bindings(user);
  for (const { role, scope } of bindings) {
    const isSame = (one: Binding) => one.role === role && samePolicy(one.scope, scope);
    const others = known.filter((one) => one.user !== user && isSame(one)).length;
    if (bindings.filter(isSame).length > others) state.setBinding({ user, role, scope });
    else if (known.some((one) => one.user === user && isSame(one))) state.deleteBinding(user, role);
  }
}

/** Creates the permissions of a caller; undefined for the superuser, who has all, and for an unknown caller. */
export const ownPermissions = (caller: Caller | undefined): OwnPermissions | undefined =>
  caller && caller.unknown === undefined && !isSuperuser(caller) ? new OwnPermissions(caller) : undefined;
