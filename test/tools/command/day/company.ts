import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MockConfig } from '../../../../src/mock/index.ts';
import { exportPermissions, type Permissions } from '../../../../src/permissions/index.ts';
import type { Binding } from '../../../../src/policy/index.ts';
import { allow } from '../support/admin.ts';

const teams = 'orders payments stock keys mail web search tax staff lab media legal'.split(' ');
const everywhere = allow(['*'], ['*']);
const europe = allow(['*'], ['*:eu:*']);

/** Names of users: `user001` to `user150`. */
export const users = Array.from({ length: 150 }, (_, i) => `user${String(i + 1).padStart(3, '0')}`);

/** The bindings of a user to the roles of one team, and of each fifth user to those of the next one, too. */
function bindingsOf(user: string, i: number): Binding[] {
  const [own, next] = [0, 1].map((step) => teams[(i + step) % teams.length]);
  const first = { user, role: `${own}-${i < teams.length ? 'editor' : 'viewer'}`, scope: i % 2 ? europe : everywhere };
  return [first, ...(i % 5 === 0 ? [{ user, role: `${next}-viewer`, scope: europe }] : [])];
}

/**
 * Twelve teams with two policies and two roles each, 150 users of whom thirty work for two teams, and three technical
 * users: one applies, one reads, and one is the administrator of the platform.
 */
export const company: MockConfig = {
  fidelity: 'sidecar',
  policies: {
    'ops-manage': allow(['rbac:*'], ['*']),
    'ops-read': allow(['rbac:List*', 'rbac:Get*'], ['*']),
    'platform-admin': everywhere,
    ...Object.fromEntries(
      teams.flatMap((team) => [
        [`${team}-read`, allow([`${team}:read`, `${team}:list`], [`${team}:*`])],
        [`${team}-write`, allow([`${team}:write`], [`${team}:*`])],
      ]),
    ),
  },
  roles: {
    'ops-manager': { policies: ['ops-manage'] },
    'ops-reader': { policies: ['ops-read'] },
    'platform-admin': { policies: ['platform-admin'] },
    ...Object.fromEntries(
      teams.flatMap((team) => [
        [`${team}-viewer`, { policies: [`${team}-read`] }],
        [`${team}-editor`, { policies: [`${team}-read`, `${team}-write`] }],
      ]),
    ),
  },
  bindings: [
    { user: 'ops', role: 'ops-manager', scope: everywhere },
    { user: 'ci', role: 'ops-reader', scope: everywhere },
    { user: 'root2', role: 'platform-admin', scope: everywhere },
    ...users.flatMap(bindingsOf),
  ],
};

/** The part of permissions whose names begin with a prefix, as a file that owns these names. */
function partOf({ policies, roles, bindings }: Permissions, prefixes: readonly string[], manage: string): string {
  const isOwn = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  const own = <T>(items: ReadonlyMap<string, T>) => new Map([...items].filter(([name]) => isOwn(name)));
  const part = { policies: own(policies), roles: own(roles), bindings: bindings.filter(({ role }) => isOwn(role)) };
  const { text } = exportPermissions({ ...part, users: 'all' });
  // Scopes are named in the first file.
  return `${text.replace(/^scopes:\n(?: .*\n|\n)*/m, '')}manage: ${manage}\n`;
}

/** Splits one file into a first file with limits and one file for each team, which owns what begins with its name. */
export function splitFile(permissions: Permissions, folder: string): void {
  mkdirSync(join(folder, 'teams'), { recursive: true });
  for (const team of teams) {
    const owned = `["${team}-*"]`;
    const manage = `{ policies: ${owned}, roles: ${owned}, bindings: { roles: ${owned} } }`;
    writeFileSync(join(folder, `teams/${team}.yaml`), partOf(permissions, [`${team}-`], manage));
  }
  const manage = '{ policies: ["ops-*", "platform-*"], roles: ["ops-*", "platform-*"], users: ["*"] }';
  const own = partOf(permissions, ['ops-', 'platform-'], manage);
  const { text } = exportPermissions({
    policies: new Map(),
    roles: new Map(),
    bindings: permissions.bindings,
    users: 'all',
  });
  const [scopes = ''] = /^scopes:\n(?: .*\n|\n)*/m.exec(text) ?? [];
  const limits = teams
    .map((team) => `  teams/${team}.yaml: { roles: ["${team}-*"], actions: ["${team}:*"] }\n`)
    .join('');
  const include = `include: [${teams.map((team) => `teams/${team}.yaml`).join(', ')}]\n`;
  writeFileSync(join(folder, 'permissions.yaml'), `${include}${scopes}${own}limits:\n${limits}`);
}
