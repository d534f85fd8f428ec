import { formatPath, Reading } from '../lib/reading.js';
import { isObject } from '../lib/values.js';
import type { Issue } from './model.js';
import { actionFault, resourceFault, unparsableSegment } from './pattern.js';
import { describeShapes, type Shapes } from './shape.js';

/** A state, policy, role or binding was refused. `issues` has each fault with its path. */
export class PolicyError extends Error {
  /** Tells this error apart where `instanceof` cannot (two copies of the package). */
  readonly code = 'POLICY';
  /** Each fault, with its path. */
  declare readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const [first] = issues;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super(`Invalid policy state: ${formatPath(first?.path ?? [])} ${first?.message}${more}`);
    this.name = 'PolicyError';
    this.issues = issues;
  }
}

/** A field or element of a value's own: what it inherits may come from a polluted prototype and does not count. */
export const own = (value: unknown, key: PropertyKey): unknown =>
  value !== undefined && value !== null && Object.hasOwn(value, key)
    ? (value as Record<PropertyKey, unknown>)[key]
    : undefined;

/**
 * Checks one value, reports its faults and returns a frozen copy, which is what its shape says only where there are
 * none.
 */
export type Check = (value: unknown, reading: Reading<Issue>) => unknown;

const isMissing = (value: unknown) => value === undefined || value === null;

const text: Check = (value, reading) => {
  if (typeof value !== 'string') reading.report('must be a string');
  return value;
};

/** Checks the name of a policy, a role or a user. */
export const checkName: Check = (value, reading) => {
  if (value === '') reading.report('must not be empty');
  return text(value, reading);
};

const pattern =
  (fault: (text: string, lenient: boolean) => string | undefined, lenient: boolean): Check =>
  (value, reading) => {
    if (typeof value !== 'string') return text(value, reading);
    const message = fault(value, lenient);
    const segment = message && unparsableSegment(value);
    if (message) reading.report(message, segment ? { segment } : undefined);
    return value;
  };

const object = (fields: Readonly<Record<string, Check>>): Check => {
  const checks = Object.entries(fields);
  return (value, reading) => {
    const copy: Record<string, unknown> = {};
    if (!isObject(value)) reading.report('must be an object');
    else {
      for (const [key, check] of checks) {
        const field = reading.at(key, own(value, key), check);
        if (!isMissing(field)) copy[key] = field;
      }
    }
    return Object.freeze(copy);
  };
};

const list =
  (check: Check): Check =>
  (value, reading) => {
    // As long as the list, because a list that grows keeps room for more.
    const copy: unknown[] = Array.isArray(value) ? new Array(value.length) : (reading.report('must be an array') ?? []);
    // By index, because a hole is a fault too.
    for (let i = 0; i < copy.length; i++) copy[i] = reading.at(i, own(value, i), check);
    return Object.freeze(copy);
  };

/** A null field counts as not set, as on the wire. */
const optional =
  (check: Check): Check =>
  (value, reading) =>
    isMissing(value) ? undefined : check(value, reading);

const describeChecks = (lenient: boolean): Shapes<Check> =>
  describeShapes<Check>({
    effect: (value, reading) => {
      if (value === 'Allow') return value;
      if (!lenient && value !== 'Deny') reading.report('must be "Allow" or "Deny"');
      return 'Deny';
    },
    action: pattern(actionFault, lenient),
    resource: pattern(resourceFault, lenient),
    name: checkName,
    text,
    object,
    list,
    texts: list,
    optional,
    nullish: optional,
  });

/** The checks of documented fidelity. */
export const strictChecks = /* @__PURE__ */ describeChecks(false);
/** The checks of sidecar fidelity: every effect but Allow is a Deny, and an empty part of a pattern is parsed. */
export const lenientChecks = /* @__PURE__ */ describeChecks(true);

function faultsOf(value: unknown, check: Check): readonly Issue[] {
  const reading = new Reading<Issue>();
  check(value, reading);
  return reading.issues;
}

/**
 * The faults of a policy, with paths inside it; where there are none, it is a `Policy`. It takes any value and never
 * throws. Unknown fields are ignored.
 *
 * @example
 * ```ts
 * import { validatePolicy } from 'arango-services/policy';
 *
 * validatePolicy({ statements: [{ effect: 'allow', actions: ['orders:read'], resources: ['*'] }] });
 * // [{ path: ['statements', 0, 'effect'], message: 'must be "Allow" or "Deny"' }]
 * ```
 */
export function validatePolicy(value: unknown): readonly Issue[] {
  return faultsOf(value, strictChecks.policy);
}

/**
 * The faults of a role, with paths inside it; where there are none, it is a `Role`. The policies that it names need not
 * exist.
 *
 * @example
 * ```ts
 * import { validateRole } from 'arango-services/policy';
 *
 * validateRole({ policies: 'reader' }); // [{ path: ['policies'], message: 'must be an array' }]
 * ```
 */
export function validateRole(value: unknown): readonly Issue[] {
  return faultsOf(value, strictChecks.role);
}

/**
 * The faults of a binding, with paths inside it; where there are none, it is a `Binding`. Its role need not exist, and
 * it may lack a scope.
 *
 * @example
 * ```ts
 * import { validateBinding } from 'arango-services/policy';
 *
 * validateBinding({ user: '', role: 'viewer' }); // [{ path: ['user'], message: 'must not be empty' }]
 * ```
 */
export function validateBinding(value: unknown): readonly Issue[] {
  return faultsOf(value, strictChecks.binding);
}
