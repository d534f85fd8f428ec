import { describeValue } from '../../lib/values.js';
import { formatPath, type Issue, type Policy, validatePolicy, validateRole } from '../../policy/index.js';
import type { FidelityRules } from '../fidelity.js';
import { normalizePolicy, normalizeRole, type WirePolicy, type WireRole } from '../state/normalize.js';
import { type GrpcCode, ServiceFailure } from '../wire/http.js';
import { type Fields, list, message, optionalMessage, text, texts } from '../wire/protobuf-json.js';

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

/** An effect by name or number; none is a Deny. What is kept of another one is a fault of the policy. */
function readEffect(value: unknown, field: string, { refusesOddEffects }: FidelityRules): unknown {
  if (value === undefined || value === null || value === 0) return 'Deny';
  if (value === 1) return 'Allow';
  if (typeof value === 'string') return value === 'Allow' || refusesOddEffects ? value : 'Deny';
  if (Number.isInteger(value)) return value;
  throw new ServiceFailure(
    3,
    `invalid value for field ${field}: expected "Allow" or "Deny", got ${describeValue(value)}`,
  );
}

function readPolicy(fields: Fields, at: string, fidelity: FidelityRules): RawPolicy {
  return {
    statements: list(fields.statements, `${at}.statements`, (item, path) => {
      const statement = message(item, path);
      return {
        effect: readEffect(statement.effect, `${path}.effect`, fidelity),
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

/** Most faults that one answer names. */
const namedFaults = 20;

function refuseDocumented(issues: readonly Issue[], field: string): void {
  if (issues.length === 0) return;
  const named = issues.slice(0, namedFaults).map(({ path, message: why }) => `${formatPath([field, ...path])} ${why}`);
  if (issues.length > namedFaults) named.push(`and ${issues.length - namedFaults} more`);
  throw new ServiceFailure(3, named.join('; '));
}

function refuseObserved(policy: RawPolicy, code: GrpcCode): void {
  const fault = observedFaults(policy);
  if (fault !== undefined) throw new ServiceFailure(code, fault);
}

/** The policy in `item` or `scope`; undefined when it is left out. Its types are checked now, its content by the function that comes back. */
export function readPolicyField(
  value: unknown,
  field: string,
  fidelity: FidelityRules,
  observedCode: GrpcCode,
): (() => WirePolicy) | undefined {
  const fields = optionalMessage(value, field);
  if (fields === undefined) return undefined;
  const raw = readPolicy(fields, field, fidelity);
  return () => {
    if (fidelity.namesFaults) refuseDocumented(validatePolicy(raw), field);
    else refuseObserved(raw, observedCode);
    return settle(raw);
  };
}

/** The role in `item`, in the same two steps. */
export function readRoleField(value: unknown, field: string, fidelity: FidelityRules): (() => WireRole) | undefined {
  const fields = optionalMessage(value, field);
  if (fields === undefined) return undefined;
  const policies = texts(fields.policies, `${field}.policies`);
  const description = text(fields.description, `${field}.description`);
  const scopeFields = optionalMessage(fields.scope, `${field}.scope`);
  const scope = scopeFields === undefined ? null : readPolicy(scopeFields, `${field}.scope`, fidelity);
  return () => {
    if (fidelity.namesFaults) refuseDocumented(validateRole({ policies, scope, description }), field);
    else if (scope !== null) refuseObserved(scope, 13);
    return normalizeRole({ policies, scope: scope === null ? null : settle(scope), description });
  };
}

/** The policy as it is stored. The cast: its effects are Allow and Deny now, everything else was a fault. */
function settle(policy: RawPolicy): WirePolicy {
  return normalizePolicy(policy as Policy);
}
