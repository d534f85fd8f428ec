import { formatPath, type Issue, type Policy } from '../../policy/index.js';
import { type GrpcCode, ServiceFailure } from '../wire/http.js';

// The two ways to refuse an invalid policy or role; the fidelity (`namesFaults`) chooses.

/** Refuses with the paths of the first errors. */
export function refuseNamed(issues: readonly Issue[], field: string): void {
  if (issues.length === 0) return;
  const named = issues.slice(0, 20).map(({ path, message }) => `${formatPath([field, ...path])}: ${message}`);
  throw new ServiceFailure(3, named.join('; '));
}

/** Errors by field, counted at each level, as the observed services report them. */
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

/** The errors of a list under its name, or nothing. */
function branch(name: string, values: readonly string[], fault: (value: string) => string | undefined): Tree {
  const faults = values.flatMap((value, i): Tree => {
    const why = fault(value);
    return why === undefined ? [] : [[`[${i}]`, why]];
  });
  return faults.length === 0 ? [] : [[name, faults]];
}

/** Refuses with nested counts. The reader has kept an unknown effect as it was. */
export function refuseCounted({ statements }: Policy, code: GrpcCode): void {
  const faults = statements.flatMap(({ effect, actions, resources }, i): Tree => {
    const branches: Tree = [
      ...(effect === 'Allow' || effect === 'Deny' ? [] : [['effect', `Unknown Effect: ${effect}`] as const]),
      ...branch('actions', actions, observedActionFault),
      ...branch('resources', resources, observedResourceFault),
    ];
    return branches.length === 0 ? [] : [[`[${i}]`, branches]];
  });
  if (faults.length > 0) throw new ServiceFailure(code, formatTree([['statements', faults]]));
}
