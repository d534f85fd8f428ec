import { Pattern } from '../../policy/model/pattern.js';
import type { Manage } from './model.js';

/** The names that `manage` owns. */
export class Ownership {
  readonly #patterns: Readonly<Record<keyof Manage, readonly Pattern[]>>;

  constructor({ policies, roles, users }: Manage) {
    const parse = (patterns: readonly string[]) => patterns.map((one) => new Pattern(one));
    this.#patterns = { policies: parse(policies), roles: parse(roles), users: parse(users) };
  }

  owns(kind: keyof Manage, name: string): boolean {
    return this.#patterns[kind].some((one) => one.matches(name));
  }
}
