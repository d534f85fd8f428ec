import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../../../../scripts/lib/exec.ts';
import type { MockConfig } from '../../../../src/mock/index.ts';
import { openDeployment } from '../support/deployment.ts';
import { shell } from '../support/process.ts';

const page = readFileSync(`${root}docs/guides/permissions-as-code.md`, 'utf8');
const [, chapter = ''] = /^## The first hour\n(.*?)^## /ms.exec(page) ?? [];
const blocks = (language: string) =>
  [...chapter.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);
const script = `
npx() { local status=0; echo "\\$ $*"; shift; cli "$@" 2>&1 || status=$?; echo "(exit code $status)"; echo; }
${blocks('sh').join('\n').replace('apply --yes', 'apply --yes --settle-ms 0 --concurrency 1')}`;

/** An administrator who may manage permissions, and is not the superuser. */
const admin: MockConfig = {
  fidelity: 'sidecar',
  fresh: true,
  policies: { administration: { statements: [{ effect: 'Allow', actions: ['rbac:*'], resources: ['*'] }] } },
  roles: { administrators: { policies: ['administration'] } },
  bindings: [
    {
      user: 'admin',
      role: 'administrators',
      scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] },
    },
  ],
};

test.each(['1.4.4', 'recorded', 'next'] as const)(
  'the first hour of an administrator, on %s',
  async (platform) => {
    const [file = ''] = blocks('yaml');
    const { mock, url, folder } = await openDeployment({ ...admin, platform }, { 'permissions.yaml': file });
    const token = await mock.tokens.issue({ user: 'admin', lifetime: '1h' });
    const { code, out, err } = await shell(`printf %s ${token} > token\n${script}`, folder, { URL: url });
    expect([code, err]).toEqual([0, '']);
    const shown = out
      .replaceAll(url, 'http://127.0.0.1:8529')
      .replace(/\d+(?:\.\d+)? ?ms\b/g, '… ms')
      .replace(/expires in \d+ min/, 'expires in … min')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
    await expect(shown).toMatchFileSnapshot(`first-hour-${platform}.txt`);
  },
  60_000,
);
