import type { Policy, Role } from '../../policy/index.js';

/** The content of a policy or a role, or the scope of a binding; null if the item does not exist. */
export type ItemContent = Policy | Role | null;

/** An item that a plan changes. */
export type ItemName =
  | { readonly kind: 'policy' | 'role'; readonly name: string; readonly user?: undefined; readonly role?: undefined }
  | { readonly kind: 'binding'; readonly user: string; readonly role: string; readonly name?: undefined };

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

/** A key that is unique over all kinds of items. */
export const itemKey = (item: ItemName): string =>
  item.kind === 'binding' ? `binding ${JSON.stringify([item.user, item.role])}` : `${item.kind} ${item.name}`;

export const describeItem = (item: ItemName): string =>
  item.kind === 'binding'
    ? `binding of user ${JSON.stringify(item.user)} to role ${JSON.stringify(item.role)}`
    : `${item.kind} ${JSON.stringify(item.name)}`;
