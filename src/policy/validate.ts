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

/** Walks a value and collects its faults. The path is one stack: a million sound bindings cost no arrays. */
export class Checker {
  readonly issues: Issue[] = [];
  readonly #path: (string | number)[];
  readonly #anyEffect: boolean;

  /** @param anyEffect an effect that is not Allow passes (sidecar fidelity takes it for Deny). */
  constructor(path: Path = [], anyEffect = false) {
    this.#path = [...path];
    this.#anyEffect = anyEffect;
  }

  policy(value: unknown): void {
    const policy = this.#object(value);
    if (policy === undefined) return;
    this.#description(policy);
    this.#list('statements', policy.statements, (item) => {
      const statement = this.#object(item);
      if (statement === undefined) return;
      const { effect } = statement;
      if (!this.#anyEffect && effect !== 'Allow' && effect !== 'Deny') {
        this.at('effect', () => this.report('must be "Allow" or "Deny"'));
      }
      this.#patterns('actions', statement.actions, actionFault);
      this.#patterns('resources', statement.resources, resourceFault);
      this.#description(statement);
    });
  }

  role(value: unknown): void {
    const role = this.#object(value);
    if (role === undefined) return;
    this.#description(role);
    this.#list('policies', role.policies, (name) => this.name(name));
    this.#scope(role.scope);
  }

  binding(value: unknown): void {
    const binding = this.#object(value);
    if (binding === undefined) return;
    this.at('user', () => this.name(binding.user));
    this.at('role', () => this.name(binding.role));
    this.#scope(binding.scope);
  }

  name(value: unknown): void {
    if (typeof value !== 'string') this.report('must be a string');
    else if (value === '') this.report('must not be empty');
  }

  at(key: string | number, check: () => void): void {
    this.#path.push(key);
    check();
    this.#path.pop();
  }

  report(message: string, segment?: string): void {
    const path = [...this.#path];
    this.issues.push(segment === undefined ? { path, message } : { path, message, segment });
  }

  #scope(value: unknown): void {
    if (value !== undefined && value !== null) this.at('scope', () => this.policy(value));
  }

  #object(value: unknown): Record<string, unknown> | undefined {
    if (isObject(value)) return value;
    this.report('must be an object');
    return undefined;
  }

  #list(key: string, value: unknown, check: (item: unknown) => void): void {
    this.at(key, () => {
      if (!Array.isArray(value)) return this.report('must be an array');
      // By index, because a hole is a fault too.
      for (let i = 0; i < value.length; i++) this.at(i, () => check(value[i]));
    });
  }

  #patterns(key: string, value: unknown, fault: (text: string) => string | undefined): void {
    this.#list(key, value, (item) => {
      if (typeof item !== 'string') return this.report('must be a string');
      const message = fault(item);
      if (message !== undefined) this.report(message, unparsableSegment(item));
    });
  }

  #description({ description }: Record<string, unknown>): void {
    // A null field counts as not set, as on the wire.
    if (description === undefined || description === null || typeof description === 'string') return;
    this.at('description', () => this.report('must be a string'));
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
