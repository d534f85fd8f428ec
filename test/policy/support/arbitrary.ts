import fc from 'fast-check';
import type { Binding, EvaluatorQuestion, Policy, Role, Statement } from '../../../src/policy/index.ts';

// Small alphabets, so that patterns, names and requests meet often.
export const userNames = ['u', 'u:r', 'u:r:r', 'u:', 'r', '__proto__', 'ü'];
const roleNames = ['r', 'r:r', 'u', ':r', '__proto__', '名前'];
const policyNames = ['p', 'p:p', '__proto__', 'constructor', 'q', '😀'];
const texts = ['a', 'b', 'ab', 'ba', 'A', 'ü', '😀', '7'];
const resourceParts = ['a', 'b', 'ab', 'a*b', '*', '*', 'a*', '*b', '😀*', ''];
const namespaces = ['a', 'b', '*', 'a*', '*b'];
const verbs = ['a', 'ab', '*', 'a*', '*b'];

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values);
const some = <T>(arb: fc.Arbitrary<T>, minLength = 0) => fc.array(arb, { minLength, maxLength: 3 });
const named = <T>(names: readonly string[], arb: fc.Arbitrary<T>) =>
  fc.uniqueArray(fc.tuple(oneOf(names), arb), { selector: ([name]) => name, minLength: 2, maxLength: names.length });

const action = fc.oneof(
  fc.constant('*'),
  fc.tuple(oneOf(namespaces), oneOf(verbs)).map((parts) => parts.join(':')),
);
const resource = fc.oneof(
  fc.constant('*'),
  fc
    .array(oneOf(resourceParts), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(':'))
    .filter((pattern) => pattern !== ''),
);
const effect = fc.oneof({ weight: 6, arbitrary: fc.constant('Allow') }, { weight: 2, arbitrary: fc.constant('Deny') });

export const statementArb: fc.Arbitrary<Statement> = fc.record({
  effect: effect as fc.Arbitrary<Statement['effect']>,
  actions: fc.array(action, { minLength: 1, maxLength: 3 }),
  resources: fc.array(resource, { minLength: 1, maxLength: 3 }),
});
export const policyArb: fc.Arbitrary<Policy> = fc.record({ statements: some(statementArb, 1) });

export const everything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const everythingBut = statementArb.map(
  (deny): Policy => ({ statements: [...everything.statements, { ...deny, effect: 'Deny' }] }),
);
/** Mostly wide, since otherwise hardly anything would be allowed. */
export const scopeArb: fc.Arbitrary<Policy> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(everything) },
  { weight: 2, arbitrary: everythingBut },
  { weight: 1, arbitrary: policyArb },
);

const roleArb: fc.Arbitrary<Role> = fc.record(
  { policies: fc.array(oneOf(policyNames), { minLength: 1, maxLength: 3 }), scope: fc.option(scopeArb) },
  { requiredKeys: ['policies'] },
);
export const bindingArb: fc.Arbitrary<Binding> = fc.record(
  { user: oneOf(userNames), role: oneOf(roleNames), scope: scopeArb },
  { requiredKeys: ['user', 'role'] },
);

/** A sound state as Maps, names like `__proto__` included, some of them missing. */
export interface State {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly bindings: readonly Binding[];
}

export const stateArb: fc.Arbitrary<State> = fc
  .tuple(
    named(policyNames, policyArb),
    named(roleNames, roleArb),
    fc.array(bindingArb, { minLength: 1, maxLength: 10 }),
  )
  .map(([policies, roles, bindings]) => ({ policies: new Map(policies), roles: new Map(roles), bindings }));

const unparsable: readonly Statement[] = [
  { effect: 'Deny', actions: ['*'], resources: ['a', 'b:*x*'] },
  { effect: 'Deny', actions: ['a:b', 'a'], resources: ['*'] },
  { effect: 'Deny', actions: ['*', 'a:b:*'], resources: [] },
];
/** Accepted in sidecar fidelity, rejected in documented fidelity. */
const odd = fc.record({
  effect: effect as fc.Arbitrary<Statement['effect']>,
  actions: some(oneOf([':', 'a:', ':*', '*:', 'a*:']), 1),
  resources: some(oneOf(['', ':', 'a:', ':*', '*::', '::a']), 1),
});

/** As `stateArb`, with odd policies and scopes, some of which cannot be parsed: only for sidecar fidelity. */
export const faultyStateArb: fc.Arbitrary<State> = fc
  .tuple(
    stateArb,
    fc.subarray(policyNames, { maxLength: 1 }),
    fc.nat({ max: 40 }),
    fc.oneof({ weight: 2, arbitrary: oneOf(unparsable) }, { weight: 3, arbitrary: odd }),
  )
  .map(([state, names, broken, statement]) => {
    const breakIt = (policy: Policy): Policy => ({ statements: [...policy.statements, statement] });
    const policies = new Map(state.policies);
    for (const name of names) policies.set(name, breakIt(policies.get(name) ?? everything));
    const bindings = state.bindings.map((binding, i) =>
      i === broken ? { ...binding, scope: breakIt(binding.scope ?? everything) } : binding,
    );
    return { ...state, policies, bindings };
  });

type Pick = <T>(values: readonly T[]) => T | undefined;

/** A text that a pattern matches or almost matches. */
function derive(pattern: string | undefined, pick: Pick): string {
  const parts = (pattern ?? '*').split(':').map((part) => {
    if (part.endsWith('*')) return part.slice(0, -1) + (part === '*' || pick([true, false]) ? pick(texts) : '');
    return part.startsWith('*') ? (pick(['', 'a', 'b']) ?? '') + part.slice(1) : part;
  });
  const mutation = pick([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
  if (mutation === 1) parts.push(pick(texts) ?? '');
  if (mutation === 2) parts.pop();
  if (mutation === 3) parts[0] = pick(texts) ?? '';
  return parts.join(':');
}

/** A request derived from a statement of one of the state's bindings; the same number gives the same request. */
export function requestFor({ policies, roles, bindings }: State, seed: number): EvaluatorQuestion & { user: string } {
  let state = seed;
  const pick: Pick = (values) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return values[((state ^ (state >>> 13)) >>> 0) % values.length];
  };
  const live = bindings.filter(({ role, scope }) => scope && roles.has(role));
  const binding = pick(live.length > 0 && pick([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]) ? live : bindings);
  const named = pick((roles.get(binding?.role ?? '')?.policies ?? []).filter((name) => policies.has(name)));
  const statements = [...(policies.get(named ?? '')?.statements ?? [])];
  const denied = binding?.scope?.statements.filter(({ effect }) => effect === 'Deny') ?? [];
  const statement = pick(pick([true, true, false]) ? statements : [...statements, ...denied]);
  const chosenRoles = pick([
    undefined,
    undefined,
    [pick(roleNames) ?? ''],
    [pick(roleNames) ?? '', pick(roleNames) ?? ''],
  ]);
  // The binding's user, or another prefix of its name.
  const parts = `${binding?.user}:${binding?.role}`.split(':');
  const prefix = parts.slice(0, pick([...parts.keys()].slice(1))).join(':');
  return {
    user: pick([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0])
      ? pick([binding?.user ?? '', binding?.user ?? '', binding?.user ?? '', prefix]) || 'u'
      : (pick(['', 'stranger', ...userNames]) ?? ''),
    ...(chosenRoles === undefined ? undefined : { roles: chosenRoles }),
    action: derive(pick(statement?.actions ?? []), pick),
    resource: derive(pick(statement?.resources ?? []), pick),
  };
}
