import { type Path, Reading } from '../lib/reading.js';
import { isObject } from '../lib/values.js';
import { PolicyNode, RoleNode } from './compile.js';
import { evaluationRules } from './fidelity.js';
import type { Binding, Fidelity, Issue, Named, Policy, Role, Statement } from './model.js';
import { type Check, checkName, lenientChecks, PolicyError, strictChecks } from './validate.js';

const nothing: Policy = { statements: [] };
const isText = (value: unknown): value is string => typeof value === 'string';

/** Names and values of a record or Map; undefined for anything else. */
export function entriesOf<T>(named: Named<T>): Iterable<[string, T]> | undefined {
  if (named instanceof Map) return named;
  return isObject(named) ? Object.entries(named) : undefined;
}

/** Only what is there: a description that nobody gave is no field. */
const described = ({ description }: { readonly description?: string | null | undefined }) =>
  description === undefined || description === null ? undefined : { description };

function copyPolicy(policy: Policy): Policy {
  const copies = policy.statements.map((statement) =>
    Object.freeze({
      // In sidecar fidelity anything that is not Allow arrives here too, and is a Deny.
      effect: statement.effect === 'Allow' ? 'Allow' : 'Deny',
      actions: Object.freeze([...statement.actions]),
      resources: Object.freeze([...statement.resources]),
      ...described(statement),
    } satisfies Statement),
  );
  return Object.freeze({
    statements: Object.freeze(copies),
    ...described(policy),
  });
}

/** What makes two scopes one. Separators are JSON's, so no text can imitate another. */
function scopeKey({ statements, description }: Policy): string {
  const parts = statements.map((s) => [s.effect, s.actions, s.resources, s.description]);
  return JSON.stringify([parts, description]);
}

const sound: readonly Issue[] = /* @__PURE__ */ Object.freeze([]);

/**
 * Takes policies, roles and bindings in: checks and copies them. In documented fidelity `finish` throws all faults; in
 * sidecar fidelity a policy or scope with a fault becomes one that is skipped, and says why.
 */
export class Loader {
  readonly #reading = new Reading<Issue>();
  readonly #checks: typeof strictChecks;
  // Equal scopes of one load are stored once. Bounded: a load with only distinct scopes shall not pay for all of them.
  readonly #scopes = new Map<string, PolicyNode>();
  readonly #refusesFaults: boolean;

  constructor(fidelity: Fidelity) {
    this.#refusesFaults = evaluationRules[fidelity].refusesFaults;
    this.#checks = this.#refusesFaults ? strictChecks : lenientChecks;
  }

  /** @throws PolicyError with all faults, where there are any. */
  finish(): void {
    const { issues } = this.#reading;
    if (this.#refusesFaults && issues.length > 0) throw new PolicyError(issues);
  }

  named<T>(key: string, value: Named<T>): Iterable<[string, T]> {
    return entriesOf(value) ?? this.#refuse(key, 'must be an object or a Map');
  }

  listed<T>(key: string, value: Iterable<T>): Iterable<T> {
    if (typeof value === 'object' && value !== null && Symbol.iterator in value) return value;
    return this.#refuse(key, 'must be a list');
  }

  policy(name: string, policy: Policy): PolicyNode {
    return this.#node(policy, this.#inspect(['policies', name], name, policy, this.#checks.policy));
  }

  role(name: string, role: Role): RoleNode {
    const faults = this.#inspect(['roles', name], name, role, this.#checks.role);
    if (faults.length > 0) {
      // Sidecar: what names a policy counts; an own scope never does.
      const names: unknown = role?.policies;
      return new RoleNode({ policies: Object.freeze(Array.isArray(names) ? names.filter(isText) : []) }, undefined);
    }
    const { policies, scope } = role;
    const copy = {
      policies: Object.freeze([...policies]),
      ...(scope ? { scope: copyPolicy(scope) } : undefined),
      ...described(role),
    };
    return new RoleNode(Object.freeze(copy), copy.scope && new PolicyNode(copy.scope, sound));
  }

  /** Its scope; null: it has none and gives nothing; undefined: it is refused or, in sidecar fidelity, skipped. */
  binding(binding: Binding, path: Path): PolicyNode | null | undefined {
    // Its names are checked as fields, so there is no other name to check.
    const faults = this.#inspect(path, 'binding', binding, this.#checks.binding);
    if (!isText(binding?.user) || !isText(binding.role)) return undefined;
    const { scope } = binding;
    if (scope === undefined || scope === null) return null;
    if (faults.length > 0) return this.#node(scope, faults);
    const key = scopeKey(scope);
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const node = this.#node(scope, faults);
    if (this.#scopes.size < 10_000) this.#scopes.set(key, node);
    return node;
  }

  #refuse(key: string, message: string): [] {
    this.#reading.under([key], () => this.#reading.report(message));
    return [];
  }

  #node(policy: Policy, faults: readonly Issue[]): PolicyNode {
    return new PolicyNode(faults.length > 0 ? nothing : copyPolicy(policy), faults);
  }

  /** The faults of a value and of the name that it goes by. */
  #inspect(path: Path, name: string, value: unknown, check: Check): readonly Issue[] {
    const { issues } = this.#reading;
    const before = issues.length;
    this.#reading.under(path, () => {
      checkName(name, this.#reading);
      check(value, this.#reading);
    });
    return issues.length === before ? sound : issues.slice(before);
  }
}
