import { type Path, Reading } from '../lib/reading.js';
import { isObject } from '../lib/values.js';
import type { TakenBinding } from './binding.js';
import { PolicyNode, type RoleNode } from './compile.js';
import { evaluationRules } from './fidelity.js';
import { isPlainBinding, KnownScopes } from './known-scopes.js';
import type { Binding, Fidelity, Issue, Named, Policy, PolicyState, Role } from './model.js';
import { type Check, checkName, lenientChecks, own, PolicyError, strictChecks } from './validate.js';

const nothing: Policy = { statements: [] };
const sound: readonly Issue[] = /* @__PURE__ */ Object.freeze([]);
const isText = (value: unknown): value is string => typeof value === 'string';

/** Names and values of a record or Map; undefined for anything else. */
export function entriesOf<T>(named: Named<T>): Iterable<[string, T]> | undefined {
  if (named instanceof Map) return named;
  return isObject(named) ? Object.entries(named) : undefined;
}

const toNode = (policy: Policy, faults: readonly Issue[]) =>
  new PolicyNode(faults.length > 0 ? nothing : policy, faults);

/**
 * Takes policies, roles and bindings in: checks and copies them. In documented fidelity all faults are thrown at once;
 * in sidecar fidelity a policy or scope with a fault becomes one that is skipped, and says why.
 */
export class Loader {
  declare readonly fidelity: Fidelity;
  readonly #refusesFaults: boolean;
  readonly #checks: typeof strictChecks;
  #reading = new Reading<Issue>();
  readonly #scopes = new KnownScopes();

  constructor(fidelity: Fidelity) {
    if (!Object.hasOwn(evaluationRules, fidelity)) {
      throw new PolicyError([{ path: ['fidelity'], message: 'must be "documented" or "sidecar"' }]);
    }
    this.fidelity = fidelity;
    this.#refusesFaults = evaluationRules[fidelity].refusesFaults;
    this.#checks = this.#refusesFaults ? strictChecks : lenientChecks;
  }

  /** The loader of a clone, which others change. */
  forClone(): Loader {
    return this;
  }

  /**
   * Returns the result of `read`.
   * @throws PolicyError with all faults, if there are any and the fidelity refuses them.
   */
  take<T>(read: (loader: this) => T): T {
    this.#reading = new Reading();
    const taken = read(this);
    const { issues } = this.#reading;
    if (this.#refusesFaults && issues.length > 0) throw new PolicyError(issues);
    return taken;
  }

  /** The policies or roles of a state. */
  named<T>(key: 'policies' | 'roles', state: PolicyState): Iterable<[string, T]> {
    // The cast: values of another type are faults, which the checks find.
    const value = own(state, key) as Named<T> | undefined;
    return value === undefined ? [] : (entriesOf(value) ?? this.#refuse(key, 'must be an object or a Map'));
  }

  /** The bindings of a state. */
  bindings(state: PolicyState): Iterable<Binding> {
    const value = own(state, 'bindings');
    if (value === undefined) return [];
    const isList = typeof value === 'object' && value !== null && Symbol.iterator in value;
    return isList ? (value as Iterable<Binding>) : this.#refuse('bindings', 'must be a list');
  }

  policy(name: string, policy: Policy): PolicyNode {
    return toNode(...this.#inspect<Policy>(this.#checks.policy, ['policies', name], name, policy));
  }

  role(name: string, role: Role): RoleNode {
    const [source, faults] = this.#inspect<Role>(this.#checks.role, ['roles', name], name, role);
    if (faults.length > 0) {
      // Sidecar: what names a policy counts; an own scope never does.
      const names = own(source, 'policies') as Role['policies'] | undefined;
      return { source: { policies: Object.freeze(names?.filter(isText) ?? []) }, scope: undefined };
    }
    const scope = own(source, 'scope') as Policy | undefined;
    return { source, scope: scope && toNode(scope, sound) };
  }

  /** Undefined: it is refused or, in sidecar fidelity, skipped. */
  binding(binding: Binding, path: Path): TakenBinding | undefined {
    const known = this.#known(binding);
    if (known) return known;
    // Its names are checked as fields, so there is no other name to check.
    const [copy, faults] = this.#inspect<Binding>(this.#checks.binding, path, 'binding', binding);
    // Missing fields are missing in the copy, too.
    const user = own(copy, 'user');
    const role = own(copy, 'role');
    const scope = own(copy, 'scope') as Policy | undefined;
    return isText(user) && isText(role)
      ? { user, role, scope: scope ? this.#scope(scope, faults) : null, next: undefined }
      : undefined;
  }

  /** A binding in a scope that was taken in before, as most are: there is nothing left to check and to copy. */
  #known(binding: unknown): TakenBinding | undefined {
    if (!isPlainBinding(binding)) return undefined;
    const { user, role } = binding;
    const scope = this.#scopes.find(binding.scope);
    return scope && isText(user) && isText(role) && user && role ? { user, role, scope, next: undefined } : undefined;
  }

  #scope(scope: Policy, faults: readonly Issue[]): PolicyNode {
    const node = toNode(scope, faults);
    return faults.length > 0 ? node : this.#scopes.add(node);
  }

  #refuse(key: string, message: string): [] {
    this.#reading.at(key, 0, (_, reading) => reading.report(message));
    return [];
  }

  /** A frozen copy of a value, and the faults of the value and of the name that it goes by. */
  #inspect<T>(check: Check, path: Path, name: string, value: unknown): [copy: T, faults: readonly Issue[]] {
    const reading = this.#reading;
    const before = reading.issues.length;
    reading.at(path, name, checkName);
    const copy = reading.at(path, value, check);
    // The cast: without faults it is what the check says.
    return [copy as T, reading.issues.length === before ? sound : reading.issues.slice(before)];
  }
}
