import { CopyOnWriteMap } from '../../base/lib/copy-on-write-map.js';
import { nameOf, type TakenBinding } from './binding.js';
import { ownersAbove, toList } from './binding-chain.js';
import type { GrantCache } from './grant-cache.js';

/** The bindings of users, or those of groups, by their owners. */
export class BindingIndex {
  /** The cache of users' grants. Those of groups are not cached. */
  readonly #cache: GrantCache | undefined;
  /** True if there is one binding per name `owner:role`, as in sidecar fidelity. */
  readonly #byName: boolean;
  /**
   * For each owner, the end of the linked list of bindings. In documented fidelity the owner is the user or group. In
   * sidecar fidelity a binding applies to everything that is a prefix of its name, up to a `:`, and the longest of
   * these prefixes is its owner. Source: docs/wire.md, "Names of bindings".
   */
  #owners = new CopyOnWriteMap<TakenBinding>();
  /**
   * Owners' prefixes, up to a `:`, for which a binding was ever set: their bindings may come from several owners.
   * Undefined if there are none.
   */
  #above: CopyOnWriteMap<true> | undefined;

  constructor(byName: boolean, from: BindingIndex | undefined, cache?: GrantCache) {
    this.#byName = byName;
    this.#cache = cache;
    if (from === undefined) return;
    this.#owners = from.#owners.clone();
    this.#above = from.#above?.clone();
  }

  /** The end of the linked list of bindings that were set for exactly this owner. */
  last(owner: string, hash?: number): TakenBinding | undefined {
    return this.#owners.get(owner, hash);
  }

  /** All to which a binding applies, sorted by code unit. */
  names(): readonly string[] {
    const owners = this.#owners.names();
    if (!this.#above) return owners;
    return [...new Set(owners.flatMap((owner) => [owner, ...ownersAbove(owner)]))].sort();
  }

  /** Every binding once, in no order. */
  *entries(): Generator<TakenBinding> {
    for (const [, last] of this.#owners.entries()) yield* toList(last);
  }

  /** The bindings that apply to an owner by their names, sorted by role; none if they can only be the owner's. */
  above(name: string): TakenBinding[] {
    if (!this.#above?.get(name)) return [];
    return Array.from(this.entries())
      .filter((binding) => nameOf(binding).startsWith(`${name}:`))
      .sort((a, b) => (a.role < b.role || (a.role === b.role && a.owner < b.owner) ? -1 : 1));
  }

  /**
   * The bindings that apply to a user or group, the oldest first; if they come from several owners, sorted by role.
   * Without a name every binding once, by owner.
   */
  of(name?: string): TakenBinding[] {
    if (name === undefined) return this.#owners.names().flatMap((owner) => toList(this.#owners.get(owner)));
    return this.#above?.get(name) ? this.above(name) : toList(this.#owners.get(name));
  }

  /**
   * Replaces the binding with this name, or deletes it. With `isMore` another binding to the same role is added as an
   * alternative (documented fidelity). Returns false if there was nothing to delete.
   */
  bind(given: string, role: string, binding?: TakenBinding, isMore?: boolean): boolean {
    const owner = this.#byName && role.includes(':') ? `${given}:${role.slice(0, role.lastIndexOf(':'))}` : given;
    let isFound = !!binding;
    this.#owners.update(owner, (last) => {
      let chain: TakenBinding | undefined;
      if (isMore && !this.#byName) chain = last;
      else if (last) {
        const name = nameOf({ owner: given, role });
        for (const other of toList(last)) {
          if (nameOf(other) === name) isFound = true;
          else chain = { ...other, next: chain };
        }
      }
      if (!isFound) return last;
      if (!binding) return chain;
      binding.next = chain;
      return binding;
    });
    if (!isFound) return false;
    this.#cache?.forgetUser(owner);
    for (const above of this.#byName ? ownersAbove(owner) : []) {
      this.#above ??= new CopyOnWriteMap();
      this.#above.set(above, true);
      this.#cache?.forgetUser(above);
    }
    return true;
  }
}
