import type { LoggedRequest } from '../../mock/kit/logged-request.js';
import type { Table } from '../../mock/state/table.js';
import type { SeenNames } from '../answers/policy-views.js';

const mostNames = 5_000;

/** The names in the requests of a log, and of the users who can log in. */
export class SeenNamesOfLog implements SeenNames {
  readonly groups = new Set<string>();
  readonly actions = new Set<string>();
  readonly resources = new Set<string>();
  readonly #users = new Set<string>();
  readonly #known: Table<string>;

  constructor(known: Table<string>) {
    this.#known = known;
  }

  get users(): Iterable<string> {
    return [...this.#known.names(), ...this.#users];
  }

  add({ user, groups, decisions }: LoggedRequest): void {
    const put = (names: Set<string>, name: string | undefined): void => {
      if (name !== undefined && name !== '' && names.size < mostNames) names.add(name);
    };
    put(this.#users, user);
    for (const group of groups) put(this.groups, group);
    for (const { action, resource } of decisions) {
      put(this.actions, action);
      put(this.resources, resource);
    }
  }
}
