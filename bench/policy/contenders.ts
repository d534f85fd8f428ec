import { Ability, type Subject } from '@casl/ability';
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import type { Binding, Statement } from '../../src/policy/index.ts';
import { type Data, type Request, verbs } from './data.ts';

/** A way to decide: prepares from data once, then decides request by request. */
export interface Contender {
  readonly name: string;
  readonly prepare: (data: Data) => Promise<(request: Request) => boolean>;
}

// Features that the others lack are written for them here, as plain and fast as their own examples: patterns of the shapes in the
// data.
function matches(pattern: string, text: string): boolean {
  if (pattern === '*') return true;
  if (pattern.startsWith('*')) return text.includes(pattern.slice(1, -1));
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}

const scopeOf = ({ scope }: Binding) => scope?.statements[0]?.resources[0] ?? '';

/** By role and statement, in order. */
function* statements({ roles, policies }: Data): Generator<[role: string, Statement]> {
  for (const [name, role] of roles) {
    for (const policy of role.policies) for (const one of policies.get(policy)?.statements ?? []) yield [name, one];
  }
}

const casbin: Contender = {
  name: 'casbin',
  async prepare(data) {
    const model = newModelFromString(`
      [request_definition]
      r = sub, act, obj
      [policy_definition]
      p = sub, act, obj, eft
      [role_definition]
      g = _, _
      [policy_effect]
      e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
      [matchers]
      m = g(r.sub, p.sub) && pattern(p.act, r.act) && pattern(p.obj, r.obj) && inScope(r.sub, r.obj)`);
    const lines: string[] = [];
    for (const [role, { effect, actions, resources }] of statements(data)) {
      for (const action of actions) {
        for (const resource of resources) lines.push(`p, ${role}, ${action}, ${resource}, ${effect.toLowerCase()}`);
      }
    }
    for (const { user, role } of data.bindings) lines.push(`g, ${user}, ${role}`);
    const scopes = new Map(data.bindings.map((binding) => [binding.user, scopeOf(binding)]));
    const enforcer = await newEnforcer(model, new StringAdapter(lines.join('\n')));
    await enforcer.addFunction('pattern', matches);
    await enforcer.addFunction('inScope', (user: string, resource: string) =>
      matches(scopes.get(user) ?? '', resource),
    );
    return ({ user, action, resource }) => enforcer.enforceSync(user, action, resource);
  },
};

/**
 * CASL's own shape of use: an ability for a user, built from the user's rules and kept. It knows no action patterns.
 */
const casl: Contender = {
  name: 'CASL',
  async prepare(data) {
    interface Conditions {
      readonly patterns: readonly string[];
      readonly wanted: boolean;
    }
    const bound = new Map(data.bindings.map((binding) => [binding.user, binding]));
    const abilities = new Map<string, Ability<[string, Subject], Conditions>>();
    const build = (binding: Binding) => {
      const rules = (data.roles.get(binding.role)?.policies ?? []).flatMap((policy) =>
        (data.policies.get(policy)?.statements ?? []).map(({ effect, actions, resources }) => ({
          action: actions.flatMap((one) => (one.endsWith('*') ? verbs.map((verb) => one.replace('*', verb)) : one)),
          subject: 'resource',
          inverted: effect === 'Deny',
          conditions: { patterns: resources, wanted: true },
        })),
      );
      // Later rules win: the denials, then everything outside the scope.
      rules.sort((a, b) => Number(a.inverted) - Number(b.inverted));
      const actions = [...new Set(rules.flatMap(({ action }) => action))];
      const outside = { patterns: [scopeOf(binding)], wanted: false };
      rules.push({ action: actions, subject: 'resource', inverted: true, conditions: outside });
      return new Ability<[string, Subject], Conditions>(rules, {
        detectSubjectType: () => 'resource',
        conditionsMatcher:
          ({ patterns, wanted }) =>
          (subject) =>
            patterns.some((one) => matches(one, String(subject.id))) === wanted,
      });
    };
    return ({ user, action, resource }) => {
      const binding = bound.get(user);
      if (binding === undefined) return false;
      const ability = abilities.get(user) ?? build(binding);
      abilities.set(user, ability);
      return ability.can(action, { id: resource });
    };
  },
};

const cedar: Contender = {
  name: 'cedar-wasm',
  async prepare(data) {
    const text: string[] = [];
    for (const [role, { effect, actions, resources }] of statements(data)) {
      const named = actions.map((action) => `Action::"${action}"`).join(', ');
      const like = resources.map((resource) => `resource.id like "${resource}"`).join(' || ');
      text.push(
        `${effect === 'Allow' ? 'permit' : 'forbid'}(principal in Role::"${role}", action in [${named}], resource)
         when { (${like}) && (principal.tenant == "*" || principal.tenant == resource.tenant) };`,
      );
    }
    const id = `bench-${data.bindings.length}`;
    const parsed = preparsePolicySet(id, { staticPolicies: text.join('\n') });
    if (parsed.type === 'failure') throw new Error(`cedar: ${parsed.errors[0]?.message}`);
    const bound = new Map(data.bindings.map((binding) => [binding.user, binding]));
    return ({ user, action, resource }) => {
      const binding = bound.get(user);
      if (binding === undefined) return false;
      const [principal, act, object] = [
        { type: 'User', id: user },
        { type: 'Action', id: action },
        { type: 'Resource', id: resource },
      ];
      const answer = statefulIsAuthorized({
        principal,
        action: act,
        resource: object,
        context: {},
        preparsedPolicySetId: id,
        entities: [
          {
            uid: principal,
            attrs: { tenant: scopeOf(binding).split(':')[0] ?? '' },
            parents: [{ type: 'Role', id: binding.role }],
          },
          { uid: act, attrs: {}, parents: [{ type: 'Action', id: action.replace(/:.*/, ':*') }] },
          { uid: object, attrs: { id: resource, tenant: resource.split(':')[0] ?? '' }, parents: [] },
        ],
      });
      if (answer.type === 'failure') throw new Error(`cedar: ${answer.errors[0]?.message}`);
      return answer.response.decision === 'allow';
    };
  },
};

/** The engines to compare with, each with the same roles, statements, bindings and scopes. */
export const others: readonly Contender[] = [casl, cedar, casbin];
