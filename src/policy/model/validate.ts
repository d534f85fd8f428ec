import { type Reader, readWith, refuseName } from '../../base/lib/readers.js';
import { Reading, type ReadingIssue } from '../../base/lib/reading.js';
import { formatPath } from '../../base/lib/text/paths.js';
import { unknownName } from '../../base/lib/unknown-name.js';
import { isObject, ownField, wrongKind } from '../../base/lib/values.js';
import type { Issue } from './model.js';
import { actionFault, resourceFault, unparsableSegment } from './pattern.js';
import { describeShapes, type Shapes } from './shape.js';

/** A state, policy, role or binding was rejected. Code `POLICY`. `issues` has each issue with its path. */
export class PolicyError extends Error {
  readonly code = 'POLICY';
  /** The issues, with their paths. */
  declare readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const [first] = issues;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super(`Invalid policy state: ${formatPath(first?.path ?? [])}: ${first?.message}${more}`);
    this.name = 'PolicyError';
    this.issues = issues;
  }

  /**
   * The mark of the errors of this package, as in errors.ts, whose base class is too large for bundles of an evaluator.
   * @internal
   */
  get [Symbol.for('arango-services.error')](): true {
    return true;
  }
}

/**
 * Tells whether an error is a {@link PolicyError}: a state, policy, role or binding was rejected. Works across realms
 * and copies of the package.
 * @example
 * ```ts
 * import { createEvaluator, isPolicyError } from 'arango-services/policy';
 *
 * try {
 *   createEvaluator({ roles: { viewer: { policies: [''] } } });
 * } catch (error) {
 *   if (isPolicyError(error)) console.log(error.issues);
 * }
 * ```
 */
export const isPolicyError = (error: unknown): error is PolicyError =>
  Object(error)[Symbol.for('arango-services.error')] === true && Object(error).code === 'POLICY';

/** Reads options of the policy engine; throws PolicyError with every issue. */
export function readPolicyOptions<T>(options: unknown, reader: Reader<T>): T {
  const { value, issues } = readWith(options, reader);
  if (issues.length === 0) return value;
  throw new PolicyError(
    issues.map(({ path, message, got }) => ({
      path: path.length > 0 ? path : ['options'],
      message: got ? `${message}, got ${got}` : message,
    })),
  );
}

/** Reports a value's issues and returns a frozen copy, which has the right type only without issues. */
export type Check = Reader<unknown, Issue>;

const isMissing = (value: unknown) => value === undefined || value === null;

const text: Check = (value, reading) => {
  if (typeof value !== 'string') reading.report(wrongKind('a string', value));
  return value;
};

/** Validates the name of a policy, a role or a user. */
export const checkName: Check = (value, reading) => {
  if (value === '') reading.report('must not be empty');
  return text(value, reading);
};

const pattern =
  (fault: (text: string, lenient: boolean) => string | undefined, lenient: boolean): Check =>
  (value, reading) => {
    if (typeof value !== 'string') return text(value, reading);
    const message = fault(value, lenient);
    if (message) {
      const segment = unparsableSegment(value);
      reading.report(message, segment === undefined ? segment : { segment });
    }
    return value;
  };

/** Reports the keys that are similar to one of the names: a role with a `scop` would have no scope. */
export function refuseMisspelt<I extends ReadingIssue>(value: unknown, names: readonly string[], reading: Reading<I>) {
  for (const key of Object.keys(Object(value))) {
    if (!names.includes(key) && unknownName(key, names).includes('?')) refuseName(reading, key, names);
  }
}

const object = (fields: Readonly<Record<string, Check>>, lenient: boolean): Check => {
  const checks = Object.entries(fields);
  const names = Object.keys(fields);
  return (value, reading) => {
    const copy: Record<string, unknown> = {};
    if (!isObject(value)) reading.report(wrongKind('an object', value));
    else {
      if (!lenient) refuseMisspelt(value, names, reading);
      for (const [key, check] of checks) {
        const field = reading.at(key, ownField(value, key), check);
        if (!isMissing(field)) copy[key] = field;
      }
    }
    return Object.freeze(copy);
  };
};

const list =
  (check: Check): Check =>
  (value, reading) => {
    // Created with the full length, because a growing list allocates spare room.
    const copy: unknown[] = new Array(Array.isArray(value) ? value.length : 0);
    if (!Array.isArray(value)) reading.report(wrongKind('a list', value));
    // By index, because a hole in the list is an issue, too.
    for (let i = 0; i < copy.length; i++) copy[i] = reading.at(i, ownField(value, i), check);
    return Object.freeze(copy);
  };

/** Treats null as absent, as on the wire. */
const nullish =
  (check: Check): Check =>
  (value, reading) =>
    isMissing(value) ? undefined : check(value, reading);

const describeChecks = (lenient: boolean): Shapes<Check> =>
  describeShapes<Check>({
    effect: (value, reading) => {
      if (value === 'Allow') return value;
      if (!lenient && value !== 'Deny') reading.report(wrongKind('one of Allow, Deny', value));
      return 'Deny';
    },
    action: pattern(actionFault, lenient),
    resource: pattern(resourceFault, lenient),
    name: checkName,
    description: nullish(text),
    object: (fields) => object(fields, lenient),
    list,
    texts: list,
    nullish,
  });

/** The checks of documented fidelity. */
export const strictChecks = /* @__PURE__ */ describeChecks(false);
/** The checks of sidecar fidelity: every effect but Allow counts as a Deny, and patterns may have empty segments. */
export const lenientChecks = /* @__PURE__ */ describeChecks(true);

function faultsOf(value: unknown, check: Check): readonly Issue[] {
  const reading = new Reading<Issue>();
  check(value, reading);
  return reading.issues;
}

/**
 * Returns the issues of a policy, with paths inside it; a value without issues is a `Policy`. Accepts any value and
 * never throws. Unknown fields are ignored, unless they are similar to a known one.
 * @example
 * ```ts
 * import { validatePolicy } from 'arango-services/policy';
 *
 * validatePolicy({ statements: [{ effect: 'allow', actions: ['orders:read'], resources: ['*'] }] });
 * // [{ path: ['statements', 0, 'effect'], message: 'expected one of Allow, Deny, got a string' }]
 * ```
 */
export function validatePolicy(value: unknown): readonly Issue[] {
  return faultsOf(value, strictChecks.policy);
}

/**
 * Returns the issues of a role, with paths inside it; a value without issues is a `Role`. The policies that it names
 * need not exist.
 * @example
 * ```ts
 * import { validateRole } from 'arango-services/policy';
 *
 * validateRole({ policies: 'reader' }); // [{ path: ['policies'], message: 'expected a list, got a string' }]
 * ```
 */
export function validateRole(value: unknown): readonly Issue[] {
  return faultsOf(value, strictChecks.role);
}

/**
 * Returns the issues of a binding, with paths inside it; a value without issues is a `Binding`. Its role need not
 * exist, and it may lack a scope.
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
