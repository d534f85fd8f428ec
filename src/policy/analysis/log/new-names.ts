import type { Evaluator } from '../../index.js';

/** The names of a new policy and of a new role of it. */
export type NewNames = { readonly policy: string; readonly role: string };

/** Names the policy and the role that a change adds for users. The number differs at each call. */
export type NamesFor = (users: readonly string[], number: number) => NewNames;

const usualNames: NamesFor = (_, number) => ({ policy: `rehearsed-${number}`, role: `rehearsed-${number}` });

/** Names of items, and those that roles and bindings refer to. */
function takenNames(evaluator: Evaluator): ReadonlySet<string> {
  const taken = new Set([...evaluator.policies(), ...evaluator.roles()]);
  for (const role of evaluator.roles()) for (const policy of evaluator.role(role)?.policies ?? []) taken.add(policy);
  for (const { role } of evaluator.bindings()) taken.add(role);
  return taken;
}

/** Finds names that neither an item has nor a role or binding refers to: such a reference would come to life. */
export class FreshNames {
  readonly #taken: ReadonlySet<string>;
  readonly #namesFor: NamesFor;
  #number = 0;

  constructor(evaluator: Evaluator, namesFor: NamesFor = usualNames) {
    this.#taken = takenNames(evaluator);
    this.#namesFor = namesFor;
  }

  /** The names of the next policy and role of these users. */
  next(users: readonly string[]): NewNames {
    for (;;) {
      this.#number += 1;
      const names = this.#namesFor(users, this.#number);
      if (!this.#taken.has(names.policy) && !this.#taken.has(names.role)) return names;
    }
  }
}
