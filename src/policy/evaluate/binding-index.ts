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
  readonly owners: CopyOnWriteMap<TakenBinding>;
  /**
   * Owners' prefixes, up to a `:`, for which a binding was ever set: their bindings may come from several owners. The
   * value is their bindings, because finding them reads all bindings; `true` until they are asked for after a change.
   * Undefined if there are none.
   */
  #above: CopyOnWriteMap<true | readonly TakenBinding[]> | undefined;

  constructor(byName: boolean, from: BindingIndex | undefined, cache?: GrantCache) {
    this.#byName = byName;
    this.#cache = cache;
    this.owners = from?.owners.clone() ?? new CopyOnWriteMap();
    if (from) this.#above = from.#above?.clone();
  }

  /** All to which a binding applies, sorted by code unit. */
  names(): readonly string[] {
    const owners = this.owners.names();
    if (!this.#above) return owners;
    return [...new Set(owners.flatMap((owner) => [owner, ...ownersAbove(owner)]))].sort();
  }

  /** True if bindings of several owners may apply to a name. */
  isShared(name: string): boolean {
    return !!this.#above?.get(name);
  }

  /**
   * The bindings that apply to a user or group, the oldest first; if they come from several owners, sorted by role.
   * Without a name every binding once, by owner.
   */
  of(name?: string): readonly TakenBinding[] {
    if (name === undefined) return this.owners.names().flatMap((owner) => toList(this.owners.get(owner)));
    const above = this.#above?.get(name);
    if (!above) return toList(this.owners.get(name));
    if (above !== true) return above;
    const below = this.of()
      .filter((binding) => nameOf(binding).startsWith(`${name}:`))
      .sort((a, b) => (a.role < b.role ? -1 : Number(a.role > b.role)));
    this.#above?.set(name, below);
    return below;
  }

  /**
   * Replaces the binding with this name, or deletes it. With `isMore` another binding to the same role is added as an
   * alternative (documented fidelity). Returns false if there was nothing to delete.
   */
  bind(ownerName: string, role: string, binding?: TakenBinding, isMore?: boolean): boolean {
    const owner =
      this.#byName && role.includes(':') ? `${ownerName}:${role.slice(0, role.lastIndexOf(':'))}` : ownerName;
    const name = nameOf({ owner: ownerName, role });
    let isFound = !!binding;
    this.owners.update(owner, (last) => {
      let chain = isMore && !this.#byName ? last : undefined;
      for (const other of chain ? [] : toList(last)) {
        if (nameOf(other) === name) isFound = true;
        else chain = { ...other, next: chain };
      }
      if (!isFound) return last;
      if (!binding) return chain;
      binding.next = chain;
      return binding;
    });
    if (!isFound) return false;
    this.#cache?.forgetUser(owner);
    if (this.isShared(owner)) this.#above?.set(owner, true);
    for (const above of this.#byName ? ownersAbove(owner) : []) {
      this.#above ??= new CopyOnWriteMap();
      this.#above.set(above, true);
      this.#cache?.forgetUser(above);
    }
    return true;
  }
}
