import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDeployment } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

// The services list no users, so a command knows of a deployment the bindings of those users whom the log names.

const time = '2026-11-23T12:00:00Z';
const scope = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
const deployed = {
  policies: {
    reader: { statements: [{ effect: 'Allow' as const, actions: ['orders:read'], resources: ['*'] }] },
    payer: { statements: [{ effect: 'Allow' as const, actions: ['bills:pay'], resources: ['*'] }] },
  },
  roles: { viewer: { policies: ['reader'] }, payer: { policies: ['payer'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope }],
};
const ours = (fields: object): string =>
  `${JSON.stringify({ v: 1, kind: 'decision', time, subject: {}, action: 'orders:read', resource: 'o:1', effect: 'Allow', enforced: false, ...fields })}\n`;
const step = `${time} DBG AUTHZ-EVAL-DIAG EvaluatePolicies action=orders:read effect=Allow policies=1 resource=o:1 user=alice\n`;

async function over(name: string, log: string, ...more: readonly string[]) {
  const { folder, flags } = await openDeployment({ ...deployed, fidelity: 'sidecar' }, { 'a.log': log });
  const [url = '--url', address = '', token = ''] = flags;
  const at = [url, address, token, join(folder, 'token'), '--log', join(folder, 'a.log')];
  return permissions([name, ...at, ...more]);
}

test('tighten and usage count the user of a line that does not tell a decision', async () => {
  const { code, out } = await over('tighten', step);
  expect([code, out]).toEqual([0, expect.stringContaining('user: alice')]);
  expect(out).toContain('orders:read');
  expect(out).not.toContain('bills:pay');
  const { roles, bindings } = JSON.parse((await over('usage', step, '--json')).out);
  expect([roles, bindings]).toEqual([['payer'], []]);
});

test('tighten keeps a role that a user with a hidden name may have used', async () => {
  const { code, out } = await over('tighten', ours({ subject: { userHash: 'x' }, action: 'bills:pay' }));
  expect([code, out]).toEqual([0, expect.stringContaining('bills:pay')]);
  expect(out).toContain('payer: { policies: [payer] }');
});

test('tighten --out refuses a log whose lines do not tell a decision', async () => {
  const { code, out, err } = await over('tighten', step, '--out', 'never-written.yaml');
  expect([code, out]).toEqual([64, '']);
  expect(err).toContain('--log: has no decision with a question');
});
