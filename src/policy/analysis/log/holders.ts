import { remember } from '../../../base/lib/remember.js';
import type { Evaluator } from '../../index.js';

/** The roles that name a policy, and the users that they are bound to. */
export class Holders {
  readonly #roles = new Map<string, string[]>();
  readonly #users = new Map<string, Set<string>>();

  constructor(evaluator: Evaluator) {
    for (const name of evaluator.roles()) {
      for (const policy of new Set(evaluator.role(name)?.policies)) {
        remember(this.#roles, policy, (): string[] => []).push(name);
      }
    }
    for (const user of evaluator.users()) {
      for (const { role } of evaluator.bindings(user)) {
        remember(this.#users, role, () => new Set<string>()).add(user);
      }
    }
  }

  roles(policy: string): readonly string[] {
    return this.#roles.get(policy) ?? [];
  }

  *users(policy: string): Generator<string> {
    for (const role of this.roles(policy)) yield* this.#users.get(role) ?? [];
  }
}
