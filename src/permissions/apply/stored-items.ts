import { isHttpError } from '../../base/errors.js';
import type { Policy } from '../../policy/index.js';
import type { ItemContent, PlanChange } from '../model/plan-change.js';
import type { PermissionsClient } from '../read-state.js';

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
      const found = (await this.#authorization.bindings.list(change.user)).find(({ role }) => role === change.role);
      return { content: found ? (found.scope ?? { statements: [] }) : null };
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
      const { bindings } = this.#authorization;
      const { user, role } = change;
      if (!content) return bindings.remove({ user, role });
      // The cast: the content of a binding is its scope.
      const request = { user, role, scope: content as Policy };
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
