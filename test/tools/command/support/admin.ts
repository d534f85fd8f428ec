import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Binding, Policy, Role } from '../../../../src/policy/index.ts';
import { createEvaluator } from '../../../../src/policy/index.ts';
import { jsonLine } from '../../../policy/decisions/platform-lines.ts';
import { everything } from '../../../support/calls.ts';
import { openDeployment } from './deployment.ts';
import { command } from './process.ts';

interface Given {
  readonly policies: Readonly<Record<string, Policy>>;
  readonly roles: Readonly<Record<string, Role>>;
  readonly bindings: readonly Binding[];
}

export const allow = (actions: readonly string[], resources: readonly string[]): Policy => ({
  statements: [{ effect: 'Allow', actions, resources }],
});

/** The permissions of an administrator who may read what these patterns match. */
export const adminOf = (items: readonly string[], users: string): Policy => ({
  statements: [
    ...allow(['rbac:ListPolicy', 'rbac:ListRole'], ['*']).statements,
    ...allow(['rbac:GetPolicy', 'rbac:GetRole'], items).statements,
    ...allow(['rbac:ListUserRoleBinding'], [users]).statements,
  ],
});

/** Users with two roles each, in scopes of their own; each role has policies of its own. */
export function shopOf(count: number, perRole: number, admin: Policy): Given {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const policiesOf = (i: number) => Array.from({ length: perRole }, (_, j) => `p-${i}-${j}`);
  return {
    policies: {
      admin,
      ...Object.fromEntries(
        numbers.flatMap((i) => policiesOf(i).map((name, j) => [name, allow([`svc${j}:read`], [`svc${j}:${i}:*`])])),
      ),
    },
    roles: {
      admin: { policies: ['admin'] },
      ...Object.fromEntries(numbers.map((i) => [`r-${i}`, { policies: policiesOf(i) }])),
    },
    bindings: [
      { user: 'admin', role: 'admin', scope: everything },
      ...numbers.flatMap((i) =>
        [i, (i + 1) % count].map((k) => ({
          user: `user-${i}`,
          role: `r-${k}`,
          scope: allow(['*'], [`svc0:${k}:*`, `svc1:${k}:*`]),
        })),
      ),
    ],
  };
}

/** A log that names all users, and one who does not exist. */
export function logOf(state: Given, count: number, lines: number): string {
  const evaluator = createEvaluator(state, { fidelity: 'sidecar' });
  return Array.from({ length: lines }, (_, line) => {
    const at = line % (count + 1);
    const user = at === count ? 'gone' : `user-${at}`;
    const service = `svc${(line >> 3) % 4}`;
    const question = {
      user,
      action: `${service}:read`,
      resource: `${service}:${(at + (line % 3)) % count}:${line % 5}`,
    };
    return `${jsonLine({ ...question, roles: [], granted: evaluator.isAllowed(question) })}\n`;
  }).join('');
}

/** A deployment with a log, a file of the same permissions, and the token of its administrator, not the superuser's. */
export async function openAdmin(state: Given, log: string, logSize = 1_000) {
  const { policies, roles, bindings } = state;
  const file = {
    policies,
    roles,
    bindings: bindings.map(({ user, role }, i) => ({ user, role, scope: `s-${i}` })),
    scopes: Object.fromEntries(bindings.map(({ scope }, i) => [`s-${i}`, scope])),
  };
  const opened = await openDeployment(
    { fidelity: 'sidecar', ...state, limits: { log: logSize } },
    { 'a.log': log, 'state.json': JSON.stringify(file) },
  );
  const token = await opened.mock.tokens.issue({ user: 'admin' });
  writeFileSync(join(opened.folder, 'admin'), token);
  const ask = (...args: string[]) =>
    command([...args, '--log', 'a.log', '--url', opened.url, '--token-file', 'admin'], opened.folder);
  const askFile = (...args: string[]) =>
    command([...args, '--log', 'a.log', '--file', 'state.json', '--fidelity', 'sidecar'], opened.folder);
  return { ...opened, adminToken: token, ask, askFile };
}
