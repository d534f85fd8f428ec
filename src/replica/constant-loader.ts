import type { Path } from '../lib/reading.js';
import type { TakenBinding } from '../policy/evaluate/binding.js';
import type { PolicyNode } from '../policy/evaluate/compile.js';
import { Loader } from '../policy/evaluate/load.js';
import type { Binding } from '../policy/model/model.js';

/** A loader for immutable scopes from the stream: loading the same object again costs no validation and no copy. */
export class ConstantLoader extends Loader {
  readonly #taken = new WeakMap<object, PolicyNode>();

  override binding(binding: Binding, path: Path): TakenBinding | undefined {
    const { user, role, scope } = binding;
    const known = scope && this.#taken.get(scope);
    if (known && user !== '' && role !== '') return { user, role, scope: known, next: undefined };
    const taken = super.binding(binding, path);
    // Invalid scopes are validated again, to report the path of the issue.
    if (scope && taken?.scope?.faults.length === 0) this.#taken.set(scope, taken.scope);
    return taken;
  }

  /** The user of a clone may change a scope and set it again. */
  override forClone(): Loader {
    return new Loader(this.fidelity);
  }
}
