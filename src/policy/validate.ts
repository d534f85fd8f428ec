import type { Issue, Path } from './model.js';
import { actionFault, resourceFault, unparsableSegment } from './pattern.js';
import { describeShapes, type Shapes } from './shape.js';

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

/** Checks one value and reports its faults. */
export type Check = (value: unknown, checker: Checker) => void;

const isMissing = (value: unknown) => value === undefined || value === null;

const text: Check = (value, checker) => {
  if (typeof value !== 'string') checker.report('must be a string');
};

const name: Check = (value, checker) => {
  if (value === '') checker.report('must not be empty');
  else text(value, checker);
};

const pattern =
  (fault: (text: string) => string | undefined): Check =>
  (value, checker) => {
    const pattern = typeof value === 'string' ? value : '';
    const message = typeof value === 'string' ? fault(pattern) : 'must be a string';
    if (message !== undefined) checker.report(message, unparsableSegment(pattern));
  };

const object = (fields: Readonly<Record<string, Check>>): Check => {
  const checks = Object.entries(fields);
  return (value, checker) => {
    if (!isObject(value)) return checker.report('must be an object');
    for (const [key, check] of checks) checker.at(key, value[key], check);
  };
};

const list =
  (check: Check): Check =>
  (value, checker) => {
    if (!Array.isArray(value)) return checker.report('must be an array');
    // By index, because a hole is a fault too.
    for (let i = 0; i < value.length; i++) checker.at(i, value[i], check);
  };

/** A null field counts as not set, as on the wire. */
const optional =
  (check: Check): Check =>
  (value, checker) => {
    if (!isMissing(value)) check(value, checker);
  };

/** @param anyEffect an effect that is not Allow passes (sidecar fidelity takes it for Deny). */
const describeChecks = (anyEffect: boolean): Shapes<Check> =>
  describeShapes<Check>({
    effect: (value, checker) => {
      if (!anyEffect && value !== 'Allow' && value !== 'Deny') checker.report('must be "Allow" or "Deny"');
    },
    action: pattern(actionFault),
    resource: pattern(resourceFault),
    name,
    text,
    object,
    list,
    texts: list,
    optional,
    nullish: optional,
  });

const strictChecks = /* @__PURE__ */ describeChecks(false);
const lenientChecks = /* @__PURE__ */ describeChecks(true);

/** Walks values and collects their faults. The path is one stack and the checks are made once: a million sound bindings cost nothing more. */
export class Checker {
  readonly issues: Issue[] = [];
  readonly shapes: Shapes<Check>;
  readonly #path: (string | number)[] = [];

  /** @param anyEffect an effect that is not Allow passes (sidecar fidelity takes it for Deny). */
  constructor(anyEffect = false) {
    this.shapes = anyEffect ? lenientChecks : strictChecks;
  }

  name(value: unknown): void {
    name(value, this);
  }

  at(key: string | number, value: unknown, check: Check): void {
    this.#path.push(key);
    check(value, this);
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
}

function faultsOf(value: unknown, shape: 'policy' | 'role' | 'binding'): readonly Issue[] {
  const checker = new Checker();
  checker.shapes[shape](value, checker);
  return checker.issues;
}

/** The faults of a policy, with paths inside it; none: it is a `Policy`. Takes any value and never throws. Unknown fields are ignored. */
export function validatePolicy(value: unknown): readonly Issue[] {
  return faultsOf(value, 'policy');
}

/** The faults of a role, with paths inside it; none: it is a `Role`. The policies that it names need not exist. */
export function validateRole(value: unknown): readonly Issue[] {
  return faultsOf(value, 'role');
}

/** The faults of a binding, with paths inside it; none: it is a `Binding`. Its role need not exist, and it may lack a scope. */
export function validateBinding(value: unknown): readonly Issue[] {
  return faultsOf(value, 'binding');
}
