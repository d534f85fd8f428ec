import { describe } from '../errors.js';
import { type Fidelity, formatPath, type Issue, type Path, type Policy, validatePolicy } from '../policy/index.js';
import { type Fields, list, message, optionalMessage, text, texts } from './messages.js';
import { normalizePolicy, normalizeRole, type WirePolicy, type WireRole } from './model.js';
import { type GrpcCode, ServiceFailure } from './wire.js';

// Policies and roles as the management API takes them in.

interface RawStatement {
  /** Not checked yet: the fidelities differ in what it may say. */
  readonly effect: unknown;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly description: string;
}

interface RawPolicy {
  readonly statements: readonly RawStatement[];
  readonly description: string;
}

/** An effect by name or number; none is a Deny. Text that is neither, or another number, is kept for the checks. */
function readEffect(value: unknown, field: string): unknown {
  if (value === undefined || value === null || value === 0) return 'Deny';
  if (value === 1) return 'Allow';
  if (typeof value === 'string' || Number.isInteger(value)) return value;
  throw new ServiceFailure(3, `invalid value for field ${field}: expected "Allow" or "Deny", got ${describe(value)}`);
}

function readPolicy(fields: Fields, at: string): RawPolicy {
  return {
    statements: list(fields.statements, `${at}.statements`, (item, path) => {
      const statement = message(item, path);
      return {
        effect: readEffect(statement.effect, `${path}.effect`),
        resources: texts(statement.resources, `${path}.resources`),
        actions: texts(statement.actions, `${path}.actions`),
        description: text(statement.description, `${path}.description`),
      };
    }),
    description: text(fields.description, `${at}.description`),
  };
}

/** The observed service's errors: counted at each level, without quotes around what is fine. */
type Tree = readonly (readonly [string, string | Tree])[];

function formatTree(tree: Tree): string {
  const parts = tree.map(([key, value]) => `${key}: ${typeof value === 'string' ? value : formatTree(value)}`);
  return `Received ${tree.length} errors: ${parts.join(', ')}`;
}

function observedActionFault(action: string): string | undefined {
  if (action === '*') return undefined;
  const parts = action.split(':');
  const why =
    parts.length !== 2
      ? "expected format '<namespace>:<name>'"
      : parts[0] === ''
        ? 'empty namespace'
        : parts[1] === ''
          ? 'empty name'
          : undefined;
  return why === undefined ? undefined : `Invalid action '${action}': ${why}`;
}

const observedResourceFault = (resource: string): string | undefined =>
  resource === '' ? "Invalid resource '': empty name" : undefined;

/** The list with its faults under its name, or nothing. */
function branch(name: string, values: readonly string[], fault: (value: string) => string | undefined): Tree {
  const faults = values.flatMap((value, i): Tree => {
    const why = fault(value);
    return why === undefined ? [] : [[`[${i}]`, why]];
  });
  return faults.length === 0 ? [] : [[name, faults]];
}

function observedFaults({ statements }: RawPolicy): string | undefined {
  const faults = statements.flatMap(({ effect, actions, resources }, i): Tree => {
    const found: Tree = [
      ...(typeof effect === 'number' ? [['effect', `Unknown Effect: ${effect}`] as const] : []),
      ...branch('actions', actions, observedActionFault),
      ...branch('resources', resources, observedResourceFault),
    ];
    return found.length === 0 ? [] : [[`[${i}]`, found]];
  });
  return faults.length === 0 ? undefined : formatTree([['statements', faults]]);
}

function documentedFaults(policy: RawPolicy, at: Path): string | undefined {
  const issues: readonly Issue[] = validatePolicy(policy);
  if (issues.length === 0) return undefined;
  return issues.map(({ path, message: why }) => `${formatPath([...at, ...path])} ${why}`).join('; ');
}

/**
 * Refuses what does not validate: documented 400 with the path of each fault, observed 500 with nested counts (400 for the
 * scope of a binding). Source: WIRE.md, fidelity.
 */
function accept(policy: RawPolicy, at: Path, fidelity: Fidelity, observedCode: GrpcCode): WirePolicy {
  const observed = fidelity === 'sidecar';
  const fault = observed ? observedFaults(policy) : documentedFaults(policy, at);
  if (fault !== undefined) throw new ServiceFailure(observed ? observedCode : 3, fault);
  // An effect that is neither is a Deny from here on; in documented fidelity there is none.
  return normalizePolicy(policy as Policy);
}

/** The policy in `item` or `scope`; undefined when it is left out. Its types are checked now, its content by the function that comes back. */
export function readPolicyField(
  value: unknown,
  field: string,
  fidelity: Fidelity,
  observedCode: GrpcCode,
): (() => WirePolicy) | undefined {
  const fields = optionalMessage(value, field);
  if (fields === undefined) return undefined;
  const raw = readPolicy(fields, field);
  return () => accept(raw, [field], fidelity, observedCode);
}

/** The role in `item`, in the same two steps. */
export function readRoleField(value: unknown, field: string, fidelity: Fidelity): (() => WireRole) | undefined {
  const fields = optionalMessage(value, field);
  if (fields === undefined) return undefined;
  const policies = texts(fields.policies, `${field}.policies`);
  const description = text(fields.description, `${field}.description`);
  const scopeFields = optionalMessage(fields.scope, `${field}.scope`);
  const raw = scopeFields === undefined ? undefined : readPolicy(scopeFields, `${field}.scope`);
  return () => {
    const empty = policies.indexOf('');
    if (fidelity === 'documented' && empty >= 0) {
      throw new ServiceFailure(3, `${field}.policies[${empty}] must not be empty`);
    }
    const scope = raw === undefined ? null : accept(raw, [field, 'scope'], fidelity, 13);
    return normalizeRole({ policies, scope, description });
  };
}
