import type { EvaluatorQuestion, Fidelity, Named, Policy, PolicyState } from '../../../src/policy/index.ts';

// The rules of evaluation without indexes, caches or parsed patterns: the reference for the evaluator.

const broken = (pattern: string) => pattern.split(':').some((part) => /^\*.*\*$/su.test(part));
const brokenAction = (pattern: string) => broken(pattern) || (pattern !== '*' && pattern.split(':').length !== 2);

export function naiveMatch(pattern: string, value: string): boolean {
  if (pattern === '*') return true;
  const [parts, values] = [pattern.split(':'), value.split(':')];
  const open = parts.at(-1) === '*';
  if (open ? values.length < parts.length : values.length !== parts.length) return false;
  return parts.every((part, i) => {
    const text = values[i] ?? '';
    if (part === '*') return true;
    if (part.endsWith('*')) return text.startsWith(part.slice(0, -1));
    return part.startsWith('*') ? text.endsWith(part.slice(1)) : text === part;
  });
}

/** The verdict of some policies: an explicit Deny, an Allow, or nothing. Invalid ones are skipped. */
function say(policies: readonly Policy[], action: string, resource: string): 'Deny' | 'Allow' | undefined {
  const hits = policies
    .filter(({ statements }) => !statements.some((one) => one.actions.some(brokenAction) || one.resources.some(broken)))
    .flatMap(({ statements }) => statements)
    .filter(({ actions }) => action !== '' && actions.some((pattern) => naiveMatch(pattern, action)))
    .filter(({ resources }) => resources.some((pattern) => naiveMatch(pattern, resource)))
    .map(({ effect }) => effect);
  return hits.includes('Deny') ? 'Deny' : hits[0];
}

export interface NaiveDecision {
  readonly effect: 'Allow' | 'Deny';
  /** True if a scope of one of the alternatives denied, or its role did inside the scope. */
  readonly explicit: boolean;
}

/** `state` has records or Maps by name; it is not copied. */
export function naiveEvaluate(state: PolicyState, fidelity: Fidelity, request: EvaluatorQuestion): NaiveDecision {
  const get = <T>(named: Named<T> = {}, name: string): T | undefined =>
    named instanceof Map ? named.get(name) : new Map(Object.entries(named)).get(name);
  const { user, roles, superuser, action, resource } = request;
  if (user === undefined && roles === undefined)
    return { effect: superuser === true ? 'Allow' : 'Deny', explicit: false };
  if (user === '') return { effect: 'Deny', explicit: false };

  const alternatives: [role: string, scope: Policy | null | undefined, anywhere: boolean][] = [];
  if (fidelity === 'documented') {
    for (const binding of state.bindings ?? [])
      if (binding.user === user) alternatives.push([binding.role, binding.scope, false]);
    for (const role of roles ?? []) alternatives.push([role, get(state.roles, role)?.scope, true]);
  } else {
    // One binding for a name; it applies to every user that is a prefix of it.
    const byName = new Map([...(state.bindings ?? [])].map((binding) => [`${binding.user}:${binding.role}`, binding]));
    for (const [name, { role, scope }] of byName)
      if (name.startsWith(`${user}:`)) alternatives.push([role, scope, false]);
  }

  // The verdicts by role: several bindings to one role must all allow (sidecar).
  const allows = new Map<string, boolean[]>();
  let explicit = false;
  for (const [i, [roleName, scope, anywhere]] of alternatives.entries()) {
    const role = get(state.roles, roleName);
    const policies = role?.policies.flatMap((name) => get(state.policies, name) ?? []) ?? [];
    const byRole = say(policies, action, resource);
    const byScope = scope ? say([scope], action, resource) : anywhere ? 'Allow' : undefined;
    if (role !== undefined && (byScope === 'Deny' || (byScope === 'Allow' && byRole === 'Deny'))) explicit = true;
    const key = fidelity === 'sidecar' ? roleName : String(i);
    allows.set(key, [...(allows.get(key) ?? []), byScope === 'Allow' && byRole === 'Allow']);
  }
  const allowed = [...allows.values()].some((all) => all.every(Boolean));
  return { effect: allowed ? 'Allow' : 'Deny', explicit };
}
