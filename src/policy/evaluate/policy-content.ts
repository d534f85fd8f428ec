import { CopyOnWriteMap } from '../../base/lib/copy-on-write-map.js';
import { BindingIndex } from './binding-index.js';
import type { PolicyNode, RoleNode } from './compile.js';
import { GrantCache } from './grant-cache.js';

/** Everything that an evaluator decides from. */
export class PolicyContent {
  readonly policies: CopyOnWriteMap<PolicyNode>;
  readonly roles: CopyOnWriteMap<RoleNode>;
  /** The grants compiled from the policies, roles and bindings. */
  readonly cache: GrantCache;
  /** The bindings of users. */
  readonly user: BindingIndex;
  /** The bindings of groups. */
  readonly group: BindingIndex;

  /**
   * @param byName true if there is one binding per name `user:role`.
   * @param from a content to copy, which stays independent.
   */
  constructor(byName: boolean, from?: PolicyContent) {
    this.policies = from?.policies.clone() ?? new CopyOnWriteMap();
    this.roles = from?.roles.clone() ?? new CopyOnWriteMap();
    this.cache = new GrantCache(this.policies, this.roles);
    this.user = new BindingIndex(byName, from?.user, this.cache);
    this.group = new BindingIndex(byName, from?.group);
  }
}
