import type { Issue, Path } from './model.js';
import { actionFault, resourceFault, unparsableSegment } from './pattern.js';

/** A state, policy, role or binding was refused. `issues` has each fault with its path. */
export class PolicyError extends Error {
  /** Tells this error apart where `instanceof` cannot (two copies of the package). */
  readonly code = 'POLICY';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const [first] = issues;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super(`Invalid policy state: ${formatPath(first?.path ?? [])} ${first?.message}${more}`);
    this.name = 'PolicyError';
    this.issues = issues;
  }
}

/** A path as people read it: `policies.read-only.statements[0].actions[1]`; names that need it stand in quotes. */
export function formatPath(path: Path): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[\p{L}\p{N}_-]+$/u.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
  }
  return text;
}

/** Something with fields; each that is read is checked before it is used. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Walks values and collects their faults. The path is one stack and the checks are made once: a million sound bindings cost nothing more. */
export class Checker {
  readonly issues: Issue[] = [];
  readonly #path: (string | number)[] = [];
  readonly #anyEffect: boolean;

  /** @param anyEffect an effect that is not Allow passes (sidecar fidelity takes it for Deny). */
  constructor(anyEffect = false) {
    this.#anyEffect = anyEffect;
  }

  readonly policy = (value: unknown): void => {
    const policy = this.#object(value);
    if (policy === undefined) return;
    this.#description(policy);
    this.#list('statements', policy.statements, this.#statement);
  };

  readonly role = (value: unknown): void => {
    const role = this.#object(value);
    if (role === undefined) return;
    this.#description(role);
    this.#list('policies', role.policies, this.name);
    this.#scope(role);
  };

  readonly binding = (value: unknown): void => {
    const binding = this.#object(value);
    if (binding === undefined) return;
    this.at('user', binding.user, this.name);
    this.at('role', binding.role, this.name);
    this.#scope(binding);
  };

  readonly name = (value: unknown): void => {
    if (typeof value !== 'string') this.report('must be a string');
    else if (value === '') this.report('must not be empty');
  };

  at<T>(key: string | number, value: T, check: (value: T) => void): void {
    this.#path.push(key);
    check(value);
    this.#path.pop();
  }

  under(path: Path, check: () => void): void {
    this.#path.push(...path);
    check();
    this.#path.length -= path.length;
  }

  report(message: string, segment?: string): void {
    const path = [...this.#path];
    this.issues.push(segment === undefined ? { path, message } : { path, message, segment });
  }

  readonly #statement = (value: unknown): void => {
    const statement = this.#object(value);
    if (statement === undefined) return;
    this.at('effect', statement.effect, this.#effect);
    this.#list('actions', statement.actions, this.#action);
    this.#list('resources', statement.resources, this.#resource);
    this.#description(statement);
  };

  readonly #effect = (effect: unknown): void => {
    if (!this.#anyEffect && effect !== 'Allow' && effect !== 'Deny') this.report('must be "Allow" or "Deny"');
  };

  readonly #action = (value: unknown): void => this.#pattern(value, actionFault);
  readonly #resource = (value: unknown): void => this.#pattern(value, resourceFault);

  #pattern(value: unknown, fault: (text: string) => string | undefined): void {
    const text = typeof value === 'string' ? value : '';
    const message = typeof value === 'string' ? fault(text) : 'must be a string';
    if (message !== undefined) this.report(message, unparsableSegment(text));
  }

  #scope({ scope }: Record<string, unknown>): void {
    if (scope !== undefined && scope !== null) this.at('scope', scope, this.policy);
  }

  // A null field counts as not set, as on the wire.
  #description({ description }: Record<string, unknown>): void {
    if (description === undefined || description === null || typeof description === 'string') return;
    this.at('description', description, () => this.report('must be a string'));
  }

  #object(value: unknown): Record<string, unknown> | undefined {
    if (isObject(value)) return value;
    this.report('must be an object');
    return undefined;
  }

  #list(key: string, list: unknown, check: (item: unknown) => void): void {
    this.#path.push(key);
    if (!Array.isArray(list)) this.report('must be an array');
    // By index, because a hole is a fault too.
    else for (let i = 0; i < list.length; i++) this.at(i, list[i], check);
    this.#path.pop();
  }
}

/** The faults of a policy, with paths inside it; none: it is a `Policy`. Takes any value and never throws. Unknown fields are ignored. */
export function validatePolicy(value: unknown): readonly Issue[] {
  const checker = new Checker();
  checker.policy(value);
  return checker.issues;
}

/** The faults of a role, with paths inside it; none: it is a `Role`. The policies that it names need not exist. */
export function validateRole(value: unknown): readonly Issue[] {
  const checker = new Checker();
  checker.role(value);
  return checker.issues;
}

/** The faults of a binding, with paths inside it; none: it is a `Binding`. Its role need not exist, and it may lack a scope. */
export function validateBinding(value: unknown): readonly Issue[] {
  const checker = new Checker();
  checker.binding(value);
  return checker.issues;
}
