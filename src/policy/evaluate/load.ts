import { Reading } from '../../base/lib/reading.js';
import type { IssuePath } from '../../base/lib/text/paths.js';
import { isObject, ownField, wrongKind } from '../../base/lib/values.js';
import { evaluationRules } from '../model/fidelity.js';
import type { Fidelity, Issue, Named, Policy, PolicyState, Role } from '../model/model.js';
import { isPlainAlone } from '../model/plain.js';
import { type Check, checkName, lenientChecks, PolicyError, strictChecks } from '../model/validate.js';
import type { TakenBinding } from './binding.js';
import { PolicyNode, type RoleNode } from './compile.js';
import { KnownScopes } from './known-scopes.js';

/** Stands for each policy and scope that is skipped (sidecar fidelity). */
export const skipped: Policy = { statements: [] };
const sound: readonly Issue[] = /* @__PURE__ */ Object.freeze([]);
const isText = (value: unknown): value is string => typeof value === 'string';

/** The entries of a record or Map; undefined for anything else. */
export function entriesOf<T>(named: Named<T>): Iterable<[string, T]> | undefined {
  if (named instanceof Map) return named;
  return isObject(named) ? Object.entries(named) : undefined;
}

const toNode = (policy: Policy, faults: readonly Issue[]) =>
  new PolicyNode(faults.length > 0 ? skipped : policy, faults);

/** Validates and copies items. Documented fidelity throws their issues; sidecar fidelity keeps them, to be skipped. */
export class Loader {
  declare readonly fidelity: Fidelity;
  readonly #refusesFaults: boolean;
  readonly #checks: typeof strictChecks;
  #reading = new Reading<Issue>();
  readonly #scopes = new KnownScopes();

  constructor(fidelity: Fidelity) {
    this.fidelity = fidelity;
    this.#refusesFaults = evaluationRules[fidelity].refusesFaults;
    this.#checks = this.#refusesFaults ? strictChecks : lenientChecks;
  }

  /** Creates the loader of a clone, which changes independently. */
  forClone(): Loader {
    return this;
  }

  /** Returns the result of `read`; throws PolicyError with all issues, if any and the fidelity rejects them. */
  take<T>(read: (loader: this) => T): T {
    this.#reading = new Reading();
    const taken = read(this);
    const { issues } = this.#reading;
    if (this.#refusesFaults && issues.length > 0) throw new PolicyError(issues);
    return taken;
  }

  /** Yields the policies or roles of a state. */
  named<T>(key: 'policies' | 'roles', state: PolicyState): Iterable<[string, T]> {
    // The cast: validation finds values of another type.
    const value = ownField(state, key) as Named<T> | undefined;
    return value === undefined ? [] : (entriesOf(value) ?? this.#refuse(key, 'an object or a Map', value));
  }

  /** Yields the bindings of users or groups of a state that are neither rejected nor skipped. */
  *bindings(kind: 'user' | 'group', state: PolicyState): Generator<TakenBinding> {
    const key = kind === 'user' ? 'bindings' : 'groupBindings';
    const value = ownField(state, key);
    if (value === undefined) return;
    const isList = typeof value === 'object' && Symbol.iterator in Object(value);
    let i = 0;
    for (const binding of isList ? (value as Iterable<unknown>) : this.#refuse(key, 'a list', value)) {
      const taken = this.binding(kind, binding, [key, i++]);
      if (taken) yield taken;
    }
  }

  policy(name: string, policy: Policy): PolicyNode {
    return toNode(...this.#inspect<Policy>(this.#checks.policy, ['policies', name], name, policy));
  }

  role(name: string, role: Role): RoleNode {
    const [source, faults] = this.#inspect<Role>(this.#checks.role, ['roles', name], name, role);
    if (faults.length > 0) {
      // Sidecar fidelity uses the policy names of a role, never its own scope.
      const names = ownField(source, 'policies') as Role['policies'] | undefined;
      return { source: { policies: Object.freeze(names?.filter(isText) ?? []) }, scope: undefined };
    }
    const scope = ownField(source, 'scope') as Policy | undefined;
    return { source, scope: scope && toNode(scope, sound) };
  }

  /** Returns undefined if the binding is rejected or, in sidecar fidelity, skipped. */
  binding(kind: 'user' | 'group', binding: unknown, path: IssuePath): TakenBinding | undefined {
    // A scope that is known, as most are: nothing else has to be validated or copied.
    if (isPlainAlone(binding)) {
      const { [kind]: owner, role } = binding;
      const scope = this.#scopes.find(binding.scope);
      if (scope && isText(owner) && isText(role) && owner && role) return { owner, role, scope, next: undefined };
    }
    // The names of a binding are fields, which are validated with it.
    const check = kind === 'user' ? this.#checks.binding : this.#checks.groupBinding;
    const [copy, faults] = this.#inspect<unknown>(check, path, 'binding', binding);
    // The copy may lack fields, too.
    const owner = ownField(copy, kind);
    const role = ownField(copy, 'role');
    const scope = ownField(copy, 'scope') as Policy | undefined;
    return isText(owner) && isText(role)
      ? { owner, role, scope: scope ? this.#scope(scope, faults) : null, next: undefined }
      : undefined;
  }

  #scope(scope: Policy, faults: readonly Issue[]): PolicyNode {
    const node = toNode(scope, faults);
    return faults.length > 0 ? node : this.#scopes.add(node);
  }

  #refuse(key: string, accepted: string, value: unknown): [] {
    this.#reading.at(key, value, (input, reading) => reading.report(wrongKind(accepted, input)));
    return [];
  }

  /** Returns a frozen copy of a value, and the issues of the value and its name. */
  #inspect<T>(check: Check, path: IssuePath, name: string, value: unknown): [copy: T, faults: readonly Issue[]] {
    const reading = this.#reading;
    const before = reading.issues.length;
    reading.at(path, name, checkName);
    const copy = reading.at(path, value, check);
    // The cast: without issues the copy has the type of the check.
    return [copy as T, reading.issues.length === before ? sound : reading.issues.slice(before)];
  }
}
