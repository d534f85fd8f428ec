import type { IssuePath } from '../../base/lib/text/paths.js';
import type { TakenBinding } from '../../policy/evaluate/binding.js';
import type { PolicyNode } from '../../policy/evaluate/compile.js';
import { Loader } from '../../policy/evaluate/load.js';
import type { Binding, GroupBinding } from '../../policy/model/model.js';

type PoolOwned = Partial<Binding & GroupBinding>;

/** Loads immutable scopes from the stream; a known scope object is neither validated nor copied again. */
export class ConstantLoader extends Loader {
  readonly #taken = new WeakMap<object, PolicyNode>();

  override binding(kind: 'user' | 'group', binding: PoolOwned, path: IssuePath): TakenBinding | undefined {
    const { [kind]: owner, role, scope } = binding;
    const takenScope = scope && this.#taken.get(scope);
    if (takenScope && owner && role) return { owner, role, scope: takenScope, next: undefined };
    const taken = super.binding(kind, binding, path);
    // Invalid scopes are not cached, so that each use reports its own path.
    if (scope && taken?.scope?.faults.length === 0) this.#taken.set(scope, taken.scope);
    return taken;
  }

  /** The owner of a clone may pass mutable scopes, which must be copied each time. */
  override forClone(): Loader {
    return new Loader(this.fidelity);
  }
}
