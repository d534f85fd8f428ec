import { isHttpError } from '../../base/error-guards.js';
import type { Bindings } from '../../client/services/authorization/bindings.js';
import type { Policy } from '../../policy/index.js';
import { type ItemContent, ownerOf, type PlanChange } from '../model/plan-change.js';
import { groupBindingsOf, type PermissionsClient } from '../read-state.js';

/** An item as stored by the services. */
interface Stored {
  readonly content: ItemContent;
  readonly index?: number | undefined;
}

/** The management calls for one kind of item; the change selects the item. */
export class Items {
  readonly #authorization: PermissionsClient['authorization'];

  constructor({ authorization }: PermissionsClient) {
    this.#authorization = authorization;
  }

  async read(change: PlanChange): Promise<Stored> {
    if (change.kind === 'binding') {
      const { user, group, role: name } = change;
      const { bindings } = this.#authorization;
      const list = group === undefined ? bindings.list(user) : groupBindingsOf(this.#authorization).list(group);
      const binding = (await list).find(({ role }) => role === name);
      return { content: binding ? (binding.scope ?? { statements: [] }) : null };
    }
    try {
      const { item, index } = await this.#collection(change.kind).get(change.name);
      return { content: item, index };
    } catch (error) {
      if (isHttpError(error) && error.status === 404) return { content: null };
      throw error;
    }
  }

  write(
    change: PlanChange,
    before: ItemContent,
    content: ItemContent,
  ): Promise<{ readonly index: number; readonly revision: string }> {
    if (change.kind === 'binding') {
      const { role } = change;
      // The casts: the content of a binding is its scope, and each kind of bindings takes requests of its own kind.
      const bindings = (
        change.group === undefined ? this.#authorization.bindings : groupBindingsOf(this.#authorization)
      ) as Bindings;
      const name = ownerOf(change) as { readonly user: string };
      if (!content) return bindings.remove({ ...name, role });
      const request = { ...name, role, scope: content as Policy };
      return before ? bindings.replaceScope(request) : bindings.assign(request);
    }
    const items = this.#collection(change.kind);
    if (!content) return items.delete(change.name);
    // The cast: `items` is the collection for this kind of change.
    return before ? items.update(change.name, content as never) : items.create(change.name, content as never);
  }

  #collection(kind: 'policy' | 'role') {
    return kind === 'policy' ? this.#authorization.policies : this.#authorization.roles;
  }
}
