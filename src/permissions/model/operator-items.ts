import type { PartialComparison } from '../../policy/analysis/compare-partly.js';
import { normalizePolicy, type Policy, type Role } from '../../policy/index.js';
import { keeperOf } from '../../policy/model/predefined-names.js';
import type { PermissionsState } from './permissions-state.js';
import { bindingItem, type ItemContent, type ItemName, itemKey, type PlanChange } from './plan-change.js';

/** Changes that the operator makes once its custom resources change. */
export interface OperatorChanges {
  /** The changes. `apply` does not make them: apply the custom resources with kubectl. */
  readonly changes: readonly PlanChange[];
  /** The access changed by the operator, compared with the deployment after the plan. */
  readonly access: PartialComparison;
  /** Names of tokens that are not compared, because only the operator knows the names of their items. */
  readonly tokens: readonly string[];
}

/** A policy as the operator writes it: without descriptions. */
export const barePolicy = ({ statements }: Policy): Policy =>
  normalizePolicy({ statements: statements.map(({ effect, actions, resources }) => ({ effect, actions, resources })) });

/** Removes descriptions: the operator does not pass them on to the services. */
export function bareContent(content: ItemContent): ItemContent {
  if (content === null) return null;
  if ('statements' in content) return barePolicy(content);
  const { policies, scope } = content satisfies Role;
  return { policies: [...policies].sort(), scope: scope ? barePolicy(scope) : null, description: '' };
}

function keysOf({ operator }: PermissionsState): ReadonlySet<string> {
  const { policies = [], roles = [], bindings = [] } = operator ?? {};
  return new Set([
    ...policies.map((name) => itemKey({ kind: 'policy', name })),
    ...roles.map((name) => itemKey({ kind: 'role', name })),
    ...bindings.map((binding) => itemKey(bindingItem(binding))),
  ]);
}

/** The items of the current and the desired state that belong to the operator. */
export class OperatorItemSet {
  readonly #before: ReadonlySet<string>;
  readonly #after: ReadonlySet<string>;

  constructor(current: PermissionsState, desired: PermissionsState) {
    this.#before = keysOf(current);
    this.#after = keysOf(desired);
  }

  /** True for an item that the operator would revert. */
  has(item: ItemName): boolean {
    const key = itemKey(item);
    return this.#after.has(key) || this.#before.has(key) || keeperOf(item.name ?? item.role) === 'the operator';
  }

  /** True for an item made of custom resources in the current state. */
  had(item: ItemName): boolean {
    return this.#before.has(itemKey(item));
  }

  /** True for a role made of a custom resource in the desired state. */
  hasRole(name: string): boolean {
    return this.#after.has(itemKey({ kind: 'role', name })) && keeperOf(name) === undefined;
  }
}
