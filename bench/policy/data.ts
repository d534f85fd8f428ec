import type { Binding, Policy, Role, Statement } from '../../src/policy/index.ts';

/** One decision to make. */
export interface Request {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
}

/** The input of every contender: roles with one policy each, users bound to them, and requests that follow from both. */
export interface Data {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly bindings: readonly Binding[];
  /** The n-th request; the same n is the same request. */
  readonly request: (n: number) => Request;
}

/** Numbers that look random and are the same in every run (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export const verbs = ['read', 'list', 'write', 'create', 'delete', 'share', 'export', 'import', 'lock', 'audit'];
const tenants = 100;
const projects = 50;

export const tenantScope = (tenant: string): Policy => ({
  statements: [{ effect: 'Allow', actions: ['*'], resources: [tenant === '*' ? '*' : `${tenant}:*`] }],
});

function statement(below: (n: number) => number): Statement {
  const namespace = `service${below(20)}`;
  const actions =
    below(4) === 0 ? [`${namespace}:*`] : [`${namespace}:${verbs[below(10)]}`, `${namespace}:${verbs[below(10)]}`];
  const kind = below(10);
  const resource = kind < 4 ? '*' : kind < 8 ? `*:p${below(projects)}:*` : `t${below(tenants)}:p${below(projects)}:*`;
  return { effect: below(10) === 0 ? 'Deny' : 'Allow', actions, resources: [resource] };
}

/**
 * 1 000 roles with 20 statements each (wildcard actions and resources, one in ten a Deny), and `bindings` bindings in
 * the scope of one tenant or of all. Each user has `perUser` bindings.
 */
export function makeData(bindings: number, perUser = 1): Data {
  const below = seeded(7);
  const policies = new Map<string, Policy>();
  const roles = new Map<string, Role>();
  for (let i = 0; i < 1000; i++) {
    policies.set(`policy${i}`, { statements: Array.from({ length: 20 }, () => statement(below)) });
    roles.set(`role${i}`, { policies: [`policy${i}`] });
  }
  const list: Binding[] = [];
  for (let i = 0; i < bindings; i++) {
    const scope = tenantScope(below(2) === 0 ? '*' : `t${below(tenants)}`);
    list.push({ user: `user${Math.floor(i / perUser)}`, role: `role${below(1000)}`, scope });
  }
  const request = (n: number): Request => {
    const pick = seeded(n);
    const { user, role, scope } = list[pick(bindings)] as Binding;
    const statements = policies.get(role.replace('role', 'policy'))?.statements as readonly Statement[];
    const { actions, resources } = statements[pick(20)] as Statement;
    const action = (actions[pick(actions.length)] as string).replace('*', () => verbs[pick(10)] as string);
    const [tenant, project] = (resources[0] as string).split(':');
    const own = scope?.statements[0]?.resources[0]?.split(':')[0];
    const at = tenant !== '*' ? tenant : own !== '*' ? own : `t${pick(tenants)}`;
    const where = project === undefined || pick(3) === 0 ? `p${pick(projects)}` : project;
    return { user, action, resource: `${at}:${where}:d${n}` };
  };
  return { policies, roles, bindings: list, request };
}
