import { type Policy, type Role, samePolicy } from '../../policy/index.js';
import { nameFault, operatorPrefix, predefined } from '../../policy/model/predefined-names.js';
import type { Hold } from '../holds/hold.js';
import { bindingKey } from '../model/binding-key.js';
import { unknownOwnersOf } from '../model/known-owners.js';
import { bareContent, OperatorItemSet } from '../model/operator-items.js';
import type { Ownership } from '../model/ownership.js';
import { PermissionsError } from '../model/permissions-error.js';
import type { PermissionsState } from '../model/permissions-state.js';
import {
  type AnyBinding,
  allBindings,
  type BindingItem,
  bindingItem,
  describeItem,
  type ItemContent,
  type ItemName,
  ownerOf,
  type PlanChange,
} from '../model/plan-change.js';
import { sameContent } from '../model/same-content.js';
import { ownerFault } from '../model/writable.js';

/** An item that is owned and missing from the desired state, but is not deleted. */
export type KeptItem = ItemName & {
  /** The reason as a sentence. */
  readonly reason: string;
};

/** The differences between two states. */
export interface Differences {
  readonly changes: readonly PlanChange[];
  readonly kept: readonly KeptItem[];
  /** Items that are neither desired nor owned, without those of the platform and its operator. */
  readonly unowned: readonly ItemName[];
  /** Bindings that are not desired, and that stay with and without `prune`. */
  readonly orphaned: readonly BindingItem[];
  /** Changes that only the operator can make. */
  readonly operated: readonly PlanChange[];
}

/**
 * The content of a binding is its scope. A missing scope and an empty one both grant nothing, so they count as equal.
 */
const scopeOf = ({ scope }: AnyBinding): Policy => scope ?? { statements: [] };

const outsideReason = '"manage" of its file does not own it';

function refuseName(what: string, name: string, fault: string | undefined): void {
  if (fault !== undefined) throw new PermissionsError(`The ${what} ${JSON.stringify(name)} ${fault}`);
}

class Differ {
  readonly changes: PlanChange[] = [];
  readonly kept: KeptItem[] = [];
  readonly unowned: ItemName[] = [];
  readonly orphaned: BindingItem[] = [];
  readonly operated: PlanChange[] = [];
  readonly #prune: boolean;
  readonly #manage: Ownership;
  readonly #operator: OperatorItemSet;
  readonly #isOutside: FindOptions['isOutside'];
  readonly #isHeld: FindOptions['isHeld'];

  constructor({ manage, prune, isOutside, isHeld }: FindOptions, operator: OperatorItemSet) {
    this.#isHeld = isHeld;
    this.#prune = prune;
    this.#operator = operator;
    this.#manage = manage;
    this.#isOutside = isOutside;
  }

  #add(item: ItemName, change: Pick<PlanChange, 'action' | 'reason' | 'before' | 'after' | 'index'>): void {
    if (!this.#isOutside(item)) return void this.changes.push({ ...item, ...change });
    this.changes.push({ ...item, ...change, reason: `${change.reason}; ${outsideReason}`, outside: true });
  }

  /** Records an item that stays unchanged because no file defines or owns it. */
  #leave(item: ItemName): void {
    this.#orphan(item);
    if (!(item.name ?? item.role).startsWith('managed:')) this.unowned.push(item);
  }

  named<T extends Policy | Role>(
    kind: 'policy' | 'role',
    current: ReadonlyMap<string, T>,
    desired: ReadonlyMap<string, T>,
    indexes: ReadonlyMap<string, number> | undefined,
  ): void {
    for (const [name, after] of desired) {
      const before = current.get(name);
      if (before && sameContent(kind, before, after)) continue;
      if (this.#operate({ kind, name }, before ?? null, after)) continue;
      refuseName(kind, name, nameFault(name));
      if (name.startsWith(predefined)) {
        throw new PermissionsError(`The ${kind} ${JSON.stringify(name)} belongs to the platform and is never changed`);
      }
      const reason = before ? 'differs' : 'is missing';
      const action = before ? 'update' : 'create';
      this.#add({ kind, name }, { action, reason, before: before ?? null, after, index: indexes?.get(name) });
    }
    for (const [name, before] of current) {
      if (desired.has(name)) continue;
      if (this.#operator.had({ kind, name }) && this.#operate({ kind, name }, before, null)) continue;
      if (this.#manage.owns({ kind, name })) this.#remove({ kind, name }, name, before, indexes?.get(name));
      else this.#leave({ kind, name });
    }
  }

  bindings(current: readonly AnyBinding[], desired: readonly AnyBinding[]): void {
    const [had, has] = [current, desired].map((list) => new Map(list.map((binding) => [bindingKey(binding), binding])));
    for (const [key, binding] of has as Map<string, AnyBinding>) {
      const { role, scope } = binding;
      const item = bindingItem(binding);
      const before = had?.get(key);
      if (before && samePolicy(before.scope, scope)) continue;
      if (this.#operate(item, before ? scopeOf(before) : null, scopeOf(binding))) continue;
      const [kind, name] = item.group === undefined ? (['user', item.user] as const) : (['group', item.group] as const);
      refuseName(kind, name, ownerFault(item));
      refuseName('role', role, nameFault(role));
      if (!scope) throw new PermissionsError(`The ${describeItem(item)} has no scope`);
      const [action, reason] = before
        ? (['update', 'has another scope'] as const)
        : (['create', 'is missing'] as const);
      const content = before ? scopeOf(before) : null;
      this.#add(item, { action, reason, before: content, after: scope });
    }
    for (const [key, binding] of had as Map<string, AnyBinding>) {
      const { role } = binding;
      if (has?.has(key)) continue;
      const item = bindingItem(binding);
      if (this.#operator.had(item) && this.#operate(item, scopeOf(binding), null)) continue;
      const hold = this.#isHeld(item);
      if (hold) {
        const reason = `is held until ${hold.until}: ${hold.reason}`;
        this.changes.push({ ...item, action: 'delete', reason, before: scopeOf(binding), after: null });
      } else if (this.#manage.owns(item)) this.#remove(item, role, scopeOf(binding));
      else if (this.#operator.hasRole(role)) {
        const reason = 'no custom resource makes it; the operator leaves a binding whose user, group or role changes';
        this.kept.push({ ...item, reason });
      } else this.#leave(item);
    }
  }

  /** Records a binding that no file defines. The operator makes those to its roles, and the platform root's. */
  #orphan(item: ItemName): void {
    if (item.kind !== 'binding' || item.role.startsWith(operatorPrefix)) return;
    if (item.user !== 'root' || !item.role.startsWith(predefined)) this.orphaned.push(item);
  }

  /** Records the change if it belongs to the operator; returns false if it does not. */
  #operate(item: ItemName, from: ItemContent, to: ItemContent): boolean {
    if (!this.#operator.has(item)) return false;
    const [before, after] = [bareContent(from), bareContent(to)];
    if (before && after && sameContent(item.kind, before, after)) return true;
    const [action, reason] = !before
      ? (['create', 'is missing: apply its custom resource with kubectl'] as const)
      : after
        ? (['update', 'differs: apply its custom resource with kubectl'] as const)
        : (['delete', 'has no custom resource: delete it with kubectl'] as const);
    this.operated.push({ ...item, action, reason, before, after });
    return true;
  }

  #remove(item: ItemName, name: string, before: Policy | Role, index?: number): void {
    if (name.startsWith('managed:')) {
      this.#orphan(item);
      this.kept.push({ ...item, reason: 'managed: names are never deleted' });
    } else if (!this.#prune) this.kept.push({ ...item, reason: 'prune is off' });
    else this.changes.push({ ...item, action: 'delete', reason: 'is not wanted any more', before, after: null, index });
  }
}

export interface FindOptions {
  readonly manage: Ownership;
  readonly prune: boolean;
  /** True for an item that is desired, but not owned by its file. */
  readonly isOutside: (item: ItemName) => boolean;
  /** Finds the hold by which a binding is deleted. */
  readonly isHeld: (item: BindingItem) => Hold | undefined;
}

/** Finds the changes that turn one state into another, in the order policies, roles, bindings. */
export function findChanges(current: PermissionsState, desired: PermissionsState, options: FindOptions): Differences {
  const differ = new Differ(options, new OperatorItemSet(current, desired));
  const { indexes, groups } = current;
  const [wanted] = desired.groupBindings ?? [];
  if (wanted && groups === 'none') {
    throw new PermissionsError(
      `The deployment does not bind roles to groups: it cannot hold the ${describeItem(bindingItem(wanted))}`,
    );
  }
  const problem = unknownOwnersOf(current)(allBindings(desired).map(ownerOf));
  if (problem !== undefined) throw new PermissionsError(`The ${problem}`);
  differ.named('policy', current.policies, desired.policies, indexes?.policies);
  differ.named('role', current.roles, desired.roles, indexes?.roles);
  differ.bindings(allBindings(current), allBindings(desired));
  return differ;
}
