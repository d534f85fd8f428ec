// Makes one plan and its text, and prints their CPU time and the memory of this process. Arguments: the users, the
// projects of each, the statements of each of 20 policies, and the policies that change.
import type { Policy, Statement } from '../../dist/index.js';
import { formatPlan, type PermissionsState, plan } from '../../dist/permissions/index.js';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Users with a binding to one role of 20 policies, each inside its own projects. */
function stateOf(users: number, projects: number, statements: number): PermissionsState {
  const statement = (policy: number, i: number): Statement => ({
    effect: i % 10 === 9 ? 'Deny' : 'Allow',
    actions: [`service${policy}:verb${i}`],
    resources: [i % 10 === 9 ? `*:secret${i}:*` : `*:kind${i}:*`],
  });
  return {
    policies: new Map(
      numbers(20).map((p) => [`policy${p}`, { statements: numbers(statements).map((i) => statement(p, i)) }]),
    ),
    roles: new Map([['member', { policies: numbers(20).map((p) => `policy${p}`) }]]),
    bindings: numbers(users).map((user) => ({
      user: `user${user}`,
      role: 'member',
      scope: {
        statements: [
          { effect: 'Allow', actions: ['*'], resources: numbers(projects).map((i) => `project-${user}-${i}:*`) },
        ],
      },
    })),
    users: 'all',
  };
}

function withStatement(state: PermissionsState, count: number): PermissionsState {
  const extra: Statement = { effect: 'Allow', actions: ['extra:read'], resources: ['*:extra:*'] };
  const policies = [...state.policies].map(([name, policy], i): [string, Policy] => [
    name,
    i < count ? { statements: [...policy.statements, extra] } : policy,
  ]);
  return { ...state, policies: new Map(policies) };
}

const [users = 0, projects = 0, statements = 0] = process.argv.slice(2).map(Number);
const changed = process.argv[5] ?? '';
const state = stateOf(users, projects, statements);
const nothing: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' };
const count = { 'all policies': 20, 'one policy': 1 }[changed] ?? 0;
// A copy, because two states that were read share no object.
const [from, to] = changed === 'everything' ? [nothing, state] : [state, withStatement(structuredClone(state), count)];
const [cpu, started] = [process.cpuUsage(), performance.now()];
const made = plan(from, to, { prune: true, manage: { policies: ['*'], roles: ['*'], users: ['*'] } });
const text = formatPlan(made);
const passed = performance.now() - started;
const { user, system } = process.cpuUsage(cpu);
const { gained, lost, notCompared = [] } = made.access;
const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
const counts = [
  `${made.changes.length} changes`,
  `${gained.length + lost.length} regions`,
  `${text.split('\n').length} lines`,
  `${notCompared.length} users not compared`,
];
const megabytes = (process.resourceUsage().maxRSS / 1_024).toFixed(0);
console.log(
  `${seconds((user + system) / 1_000)} CPU, ${seconds(passed)} passed, ${megabytes} MB; ${counts.join(', ')}`,
);
