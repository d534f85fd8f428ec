import type { IssuePath } from '../../base/lib/text/paths.js';
import type { Binding, GroupBinding, Policy, Role } from '../../policy/index.js';
import { bindingKey, bindingPaths } from './binding-key.js';

/** The content of a policy or a role, or the scope of a binding; null if the item does not exist. */
export type ItemContent = Policy | Role | null;

/** An item that a plan changes. */
export type ItemName =
  | {
      readonly kind: 'policy' | 'role';
      readonly name: string;
      readonly user?: undefined;
      readonly group?: undefined;
      readonly role?: undefined;
    }
  | BindingItem;

/** A binding of a user or of a group. */
export type BindingItem = {
  readonly kind: 'binding';
  readonly role: string;
  readonly name?: undefined;
} & BindingItemOwner;

/** The names of the lists of policies and roles. */
export const sections = { policy: 'policies', role: 'roles' } as const;

/** The user or the group of a binding. */
export type BindingItemOwner =
  | { readonly user: string; readonly group?: undefined }
  | { readonly group: string; readonly user?: undefined };

/** A binding of a user or of a group. */
export type AnyBinding = Binding | GroupBinding;

/** The owner of a binding, without its other fields. */
export const ownerOf = (binding: BindingItemOwner | AnyBinding): BindingItemOwner =>
  // The cast: a binding without a group has a user.
  'group' in binding && binding.group !== undefined ? { group: binding.group } : { user: (binding as Binding).user };

/** The item of a binding. */
export const bindingItem = (binding: (BindingItemOwner & { readonly role: string }) | AnyBinding): BindingItem => ({
  kind: 'binding',
  ...ownerOf(binding),
  role: binding.role,
});

/** The bindings of users and groups of a state. */
export const allBindings = (state: {
  readonly bindings: readonly Binding[];
  readonly groupBindings?: readonly GroupBinding[] | undefined;
}): AnyBinding[] => [...state.bindings, ...(state.groupBindings ?? [])];

/** A change of a plan: an item before and after it. The content of a binding is its scope. */
export type PlanChange = ItemName & {
  readonly action: 'create' | 'update' | 'delete';
  /** The reason for the change, as a sentence. */
  readonly reason: string;
  /**
   * True if the file of the item defines it but does not own it, although the file's `manage` has patterns of this
   * kind.
   */
  readonly outside?: true | undefined;
  /** True if the change gives back access that another writer has revoked since the last apply. */
  readonly restores?: true | undefined;
  readonly before: ItemContent;
  readonly after: ItemContent;
  /** The service's index of the item before the change, if known. */
  readonly index?: number | undefined;
};

/** A call of a plan: the change that it belongs to, and the content to write; null deletes the item. */
export interface PlanStep {
  /** The index of the change in the plan's `changes`. */
  readonly change: number;
  readonly content: ItemContent;
}

/** Steps that may run concurrently. */
export type PlanStage = readonly PlanStep[];

/** True for a change that overwrites an item which its file does not own. */
export const takesOver = ({ outside, action }: PlanChange): boolean => outside === true && action === 'update';

/** Returns a function that finds the place of an item in its state. */
export function itemPaths(state: Parameters<typeof bindingPaths>[0]): (item: ItemName) => IssuePath {
  const paths = bindingPaths(state);
  return (item) => {
    if (item.kind === 'binding') return paths.get(bindingKey(item)) ?? [];
    return [sections[item.kind], item.name];
  };
}

/** A key that is unique over all kinds of items. */
export const itemKey = (item: ItemName): string =>
  item.kind === 'binding' ? `binding ${bindingKey(item)}` : `${item.kind} ${item.name}`;

/** Names the owner of a binding: `user "alice"`. */
export const describeOwner = ({ user, group }: BindingItemOwner): string =>
  group === undefined ? `user ${JSON.stringify(user)}` : `group ${JSON.stringify(group)}`;

export const describeItem = (item: ItemName): string =>
  item.kind === 'binding'
    ? `binding of ${describeOwner(item)} to role ${JSON.stringify(item.role)}`
    : `${item.kind} ${JSON.stringify(item.name)}`;
