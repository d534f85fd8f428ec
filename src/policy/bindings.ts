import { CopyOnWriteMap } from '../lib/copy-on-write-map.js';
import type { BindingNode, TakenBinding } from './binding.js';
import { Grant, type Scope } from './compile.js';

/** Where both scopes allow; null: nowhere. */
const intersect = (a: Scope | null, b: Scope | null): Scope | null =>
  a &&
  b && {
    node(action) {
      const both = Grant.of(action, a.node(action), b, null);
      const allow = both ? { any: false, matches: (text: string) => both.allows(text) } : undefined;
      return { allow, deny: undefined, patterns: 2 };
    },
  };

const nameOf = ({ user, role }: BindingName): string => `${user}:${role}`;

/** The bindings of a chain, the oldest first. */
function toList(last: TakenBinding | undefined): TakenBinding[] {
  const list: TakenBinding[] = [];
  for (let one = last; one; one = one.next) list.push(one);
  return list.reverse();
}

interface BindingName {
  readonly user: string;
  readonly role: string;
}

/** Forgets what is known of a user. */
interface Forgetful {
  forgetUser(user: string): void;
}

/**
 * The bindings of all users. By name (sidecar fidelity) there is one for each name `user:role`, and it counts for every
 * user that the name begins with, up to a `:`. It is stored with the longest of these users, its owner. Otherwise the
 * owner is the user. Source: docs/wire.md, "Names of bindings".
 */
export class Bindings {
  readonly #byName: boolean;
  /** The last binding of each owner. */
  readonly #owners: CopyOnWriteMap<TakenBinding>;
  /** How many owners begin with this user and a `:`. Undefined: there was never one. */
  #below: CopyOnWriteMap<number> | undefined;

  constructor(byName: boolean, owners = new CopyOnWriteMap<TakenBinding>(), below?: CopyOnWriteMap<number>) {
    this.#byName = byName;
    this.#owners = owners;
    this.#below = below;
  }

  /**
   * Puts a binding in the place of the one with this name, or deletes that one. Has the users forgotten whose bindings
   * changed; without a cache, which is how a state is loaded, bindings to the same role are alternatives unless they
   * go by name. False: there was nothing to delete.
   */
  change({ user, role }: BindingName, binding?: TakenBinding, cache?: Forgetful): boolean {
    const byName = this.#byName;
    const name = nameOf({ user, role });
    const owner = byName && role.includes(':') ? name.slice(0, name.lastIndexOf(':')) : user;
    const last = this.#owners.get(owner);
    let isFound = !!binding;
    let chain: TakenBinding | undefined;
    if (byName || cache) {
      for (const one of toList(last)) {
        if (nameOf(one) === name) isFound = true;
        else chain = { ...one, next: chain };
      }
    } else chain = last;
    if (!isFound) return false;
    if (binding) {
      binding.next = chain;
      chain = binding;
    }
    if (chain) this.#owners.set(owner, chain);
    else this.#owners.delete(owner);
    cache?.forgetUser(owner);
    for (let end = byName ? owner.lastIndexOf(':') : 0; end > 0; end = owner.lastIndexOf(':', end - 1)) {
      const above = owner.slice(0, end);
      this.#below ??= new CopyOnWriteMap();
      this.#below.set(above, (this.#below.get(above) ?? 0) + (chain ? 1 : 0) - (last ? 1 : 0));
      cache?.forgetUser(above);
    }
    return true;
  }

  /** A user's bindings as decisions take them, the last of them. */
  chain(user: string): BindingNode | undefined {
    if (!this.#below?.get(user)) return this.#owners.get(user);
    // Of several bindings to one role the services take one at random. What all of them allow is certain.
    let last: BindingNode | undefined;
    for (const { role, scope } of this.of(user)) {
      last = last?.role === role ? { ...last, scope: intersect(last.scope, scope) } : { role, scope, next: last };
    }
    return last;
  }

  /** A user's bindings as they were set, the oldest first; sorted by role where several owners have them. */
  of(user: string): TakenBinding[] {
    if (!this.#below?.get(user)) return toList(this.#owners.get(user));
    const found: TakenBinding[] = [];
    for (const [owner, last] of this.#owners.entries()) {
      if (`${owner}:`.startsWith(`${user}:`)) found.push(...toList(last));
    }
    return found.sort((a, b) => (a.role < b.role || (a.role === b.role && a.user < b.user) ? -1 : 1));
  }

  clone(): Bindings {
    return new Bindings(this.#byName, this.#owners.clone(), this.#below?.clone());
  }
}
