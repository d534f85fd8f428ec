import type { Binding, GroupBinding, Policy } from '../model/model.js';
import type { Evaluator } from './evaluator.js';

/** A binding with the user or group as its owner. */
export interface OwnedBinding {
  readonly owner: string;
  readonly role: string;
  readonly scope?: Policy | null | undefined;
}

/** Adds the owner to a binding. */
export const owned = (binding: Binding | GroupBinding): OwnedBinding => ({
  ...binding,
  owner: 'user' in binding ? binding.user : binding.group,
});

/** How an evaluator holds the bindings of users, or those of groups. */
export interface HeldBindings {
  /** The bindings that count for a user or group. */
  of(evaluator: Evaluator, owner: string): readonly OwnedBinding[];
  set(evaluator: Evaluator, binding: OwnedBinding): void;
  delete(evaluator: Evaluator, owner: string, role: string): void;
}

/** The bindings of users, and those of groups, in an evaluator. */
export const heldBindings = {
  user: {
    of: (evaluator, owner) => evaluator.bindings(owner).map(owned),
    set: (evaluator, { owner, ...rest }) => evaluator.setBinding({ ...rest, user: owner }),
    delete: (evaluator, owner, role) => evaluator.deleteBinding(owner, role),
  },
  group: {
    of: (evaluator, owner) => evaluator.groupBindings(owner).map(owned),
    set: (evaluator, { owner, ...rest }) => evaluator.setGroupBinding({ ...rest, group: owner }),
    delete: (evaluator, owner, role) => evaluator.deleteGroupBinding(owner, role),
  },
} as const satisfies Readonly<Record<string, HeldBindings>>;
