// Files of permissions with 1 000 policies, 1 000 roles and 10 000 bindings: CPU time of writing, reading and adding.
import {
  adoptPermissions,
  answerWhoCan,
  explainAccess,
  exportPermissions,
  lintPermissions,
  type PermissionsState,
  readPermissions,
} from '../dist/permissions/index.js';
import { spread } from './harness.ts';

const count = 1_000;
const rounds = 3;

const statements = (actions: readonly string[], resources: readonly string[]) => ({
  statements: [{ effect: 'Allow' as const, actions, resources }],
});

const state: PermissionsState = {
  policies: new Map(
    Array.from({ length: count }, (_, i) => [
      `policy-${i}`,
      statements([`service-${i}:read`, `service-${i}:write`], [`orders:${i}:*`]),
    ]),
  ),
  roles: new Map(
    Array.from({ length: count }, (_, i) => [`role-${i}`, { policies: [`policy-${i}`, `policy-${(i + 1) % count}`] }]),
  ),
  bindings: Array.from({ length: 10 * count }, (_, i) => ({
    user: `user-${i % (5 * count)}`,
    role: `role-${Math.floor(i / 10)}`,
    scope: statements(['*'], [`orders:${i % 50}:*`]),
  })),
  users: 'all',
};

async function measure(name: string, work: () => unknown): Promise<void> {
  const times: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) times.push((user + system) / 1_000);
  }
  const { median, p10, p90 } = spread(times);
  console.log(`  ${name}: ${median.toFixed(0)} ms (${p10.toFixed(0)} to ${p90.toFixed(0)})`);
}

export async function run(): Promise<void> {
  const { text } = exportPermissions(state);
  const read = () => text;
  const half = {
    ...state,
    bindings: state.bindings.slice(0, 5 * count),
    roles: new Map([...state.roles].slice(0, 500)),
  };
  const started = exportPermissions(half).text;
  const file = await readPermissions('p.yaml', { read });
  const megabytes = (text.length / 1_000_000).toFixed(1);
  console.log(`CPU time; 1 000 policies, 1 000 roles, 10 000 bindings, ${megabytes} MB of YAML`);
  await measure('exportPermissions, YAML', () => exportPermissions(state));
  await measure('exportPermissions, JSON', () => exportPermissions(state, { as: 'json' }));
  await measure('readPermissions', () => readPermissions('p.yaml', { read }));
  await measure('adoptPermissions of half of it', () => adoptPermissions('p.yaml', state, { read: () => started }));
  await measure('lintPermissions', () => lintPermissions('p.yaml', { read }));
  const resource = 'orders:1:*';
  await measure('answerWhoCan', () => answerWhoCan(file, { action: 'service-1:read', resource }));
  await measure('explainAccess', () =>
    explainAccess(file, { user: 'user-1', action: 'service-1:read', resource: 'x' }),
  );
}
