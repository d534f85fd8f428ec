import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { root } from '../../../../scripts/lib/exec.ts';
import { manifest } from '../../../../scripts/lib/package.ts';
import { decisionsReporter } from '../../../../src/mock/adapters/node/vitest/index.ts';
import { collect } from '../../../policy/decisions/collect.ts';
import { casesOf, isThorough } from '../../../support/thorough.ts';
import { permissions } from '../../../tools/command/support/in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'arango-services-suite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The permissions of the suite, wider than it needs, and with some that it does not use. */
const state = {
  policies: {
    orders: {
      statements: [
        { effect: 'Allow', actions: ['orders:*'], resources: ['order:*'] },
        { effect: 'Allow', actions: ['invoices:*'], resources: ['*'] },
        { effect: 'Deny', actions: ['*'], resources: ['order:secret:*'] },
      ],
    },
    unused: { statements: [{ effect: 'Allow', actions: ['billing:*'], resources: ['*'] }] },
  },
  roles: { clerk: { policies: ['orders', 'unused'] }, idle: { policies: ['unused'] } },
  bindings: ['alice', 'bob', 'carol'].map((user) => ({
    user,
    role: user === 'carol' ? 'idle' : 'clerk',
    scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] },
  })),
};

const files = {
  'package.json': JSON.stringify({ name: 'suite', type: 'module', private: true }),
  'permissions.yaml': stringify(state),
  'vitest.config.js': `
    import { decisionsReporter } from 'arango-services/mock/vitest';
    export default { test: { reporters: ['default', decisionsReporter({ file: process.env.LOG })] } };
  `,
  'projects.config.js': `
    import { decisionsReporter } from 'arango-services/mock/vitest';
    const projects = ['one', 'two'].map((name) => ({ test: { name, include: ['orders.test.js'] } }));
    export default { test: { projects, reporters: ['default', decisionsReporter({ file: process.env.LOG })] } };
  `,
  'shop.js': `
    import { readFile } from 'node:fs/promises';
    import { createClient } from 'arango-services';
    import { createMock } from 'arango-services/mock';
    import { readPermissions } from 'arango-services/permissions';

    const { policies, roles, bindings } = await readPermissions(process.env.PERMISSIONS, { read: (name) => readFile(name) });
    export async function open() {
      const objects = { policies: Object.fromEntries(policies), roles: Object.fromEntries(roles), bindings };
      const mock = await createMock(objects);
      return { mock, authorization: createClient(mock.connection).authorization };
    }
  `,
  'orders.test.js': `
    import { beforeAll, expect, test } from 'vitest';
    import { open } from './shop.js';

    let shop;
    beforeAll(async () => {
      shop = await open();
      await shop.authorization.assertAllowed({ user: 'alice', action: 'orders:list', resource: 'order:eu' });
    });
    test.concurrent.each(['alice', 'bob'])('%s reads orders', async (user) => {
      expect(await shop.authorization.isAllowed({ user, action: 'orders:read', resource: 'order:eu:7' })).toBe(true);
    });
    test('secrets are denied', async () => {
      const context = { parameters: { secret: { values: ['canary-7d1e'] } } };
      const question = { user: 'alice', action: 'orders:read', resource: 'order:secret:1', context };
      expect(await shop.authorization.isAllowed(question)).toBe(false);
    });
  `,
  'invoices.test.js': `
    import { expect, test } from 'vitest';
    import { open } from './shop.js';

    test('bob sends invoices, alice by her token', async () => {
      const { mock, authorization } = await open();
      const items = ['invoices:send', 'invoices:read'].map((action) => ({ action, resource: 'invoice:1' }));
      expect((await authorization.evaluateMany({ user: 'bob', items })).allowed).toBe(true);
      const token = await mock.tokens.issue({ user: 'alice', groups: ['staff'] });
      expect(await authorization.isAllowed({ token, ...items[0] })).toBe(true);
    });
  `,
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

// The built package with its dependencies, and vitest.
const place = (name: string): string => join(folder, 'node_modules', name);
mkdirSync(place(manifest.name), { recursive: true });
for (const name of ['dist', 'package.json']) {
  cpSync(join(root, name), join(place(manifest.name), name), { recursive: true });
}
for (const name of [...Object.keys(manifest.dependencies), 'vitest']) {
  mkdirSync(dirname(place(name)), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), place(name));
}

/** Runs the suite with these permissions, and returns its exit code, its output and its log. */
async function runSuite(permissionsFile: string, pool: string, config = 'vitest') {
  const log = join(folder, 'reports', `${config}-${pool}.jsonl`);
  const flags = [`--pool=${pool}`, `--config=${config}.config.js`];
  const child = spawn(process.execPath, [join(place('vitest'), 'vitest.mjs'), 'run', ...flags], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, CI: 'yes', PERMISSIONS: permissionsFile, LOG: log },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, out, log };
}

const asked = [
  'alice invoices:send invoice:1 Allow',
  'alice orders:list order:eu Allow',
  'alice orders:read order:eu:7 Allow',
  'alice orders:read order:secret:1 Deny',
  'bob invoices:read invoice:1 Allow',
  'bob invoices:send invoice:1 Allow',
  'bob orders:read order:eu:7 Allow',
];

describe('a suite of vitest with the reporter of the built package', () => {
  test.each(casesOf(['threads', 'forks']))(
    'writes the decisions of all workers to a log, with pool %s',
    async (pool) => {
      const { code, out, log } = await runSuite(join(folder, 'permissions.yaml'), pool);
      expect([code, out]).toEqual([0, expect.stringContaining('4 passed')]);
      const text = readFileSync(log, 'utf8');
      const { decisions, summary } = await collect(text);
      expect(summary.skipped).toEqual([]);
      const found = decisions.map(({ subject, action, resource, effect }) =>
        [subject.user, action, resource, effect].join(' '),
      );
      expect(found.sort()).toEqual(asked);
      expect(decisions.every(({ source }) => source === 'mock')).toBe(true);
      expect(text).not.toContain('canary');
    },
    120_000,
  );

  test('writes the decisions of a file in each project that runs it', async () => {
    const { code, out, log } = await runSuite(join(folder, 'permissions.yaml'), 'threads', 'projects');
    expect([code, out]).toEqual([0, expect.stringContaining('6 passed')]);
    const { decisions } = await collect(readFileSync(log, 'utf8'));
    expect(decisions.filter(({ action }) => action === 'orders:list')).toHaveLength(2);
  }, 120_000);

  test.runIf(isThorough)(
    'needs each statement of the policy that tighten makes from its log',
    async () => {
      const { log } = await runSuite(join(folder, 'permissions.yaml'), 'threads');
      const tightened = join(folder, 'tightened.yaml');
      const given = ['--file', join(folder, 'permissions.yaml'), '--log', log, '--out', tightened];
      expect(await permissions(['tighten', ...given])).toMatchObject({ code: 0 });
      expect((await runSuite(tightened, 'threads')).code).toBe(0);
      const { policies } = parse(readFileSync(tightened, 'utf8')) as typeof state;
      const places = Object.entries(policies).flatMap(([name, { statements }]) =>
        statements.map((statement, index) => [name, index, statement] as const),
      );
      // Nothing of what the suite does not ask for is left.
      expect(JSON.stringify(policies)).not.toContain('billing');
      const allows = places.filter(([, , { effect }]) => effect === 'Allow');
      expect(allows.length).toBeGreaterThan(1);
      for (const [name, index, statement] of places) {
        const file = parse(readFileSync(tightened, 'utf8')) as typeof state;
        (file.policies as Record<string, { statements: object[] }>)[name]?.statements.splice(index, 1);
        const without = join(folder, 'without.yaml');
        writeFileSync(without, stringify(file));
        const { code, out } = await runSuite(without, 'threads');
        expect([statement, code, /failed/.test(out)]).toEqual([statement, 1, true]);
      }
    },
    300_000,
  );
});

test('options of the reporter are checked', () => {
  expect(() => decisionsReporter({ file: '' })).toThrow('file: ');
  expect(() => decisionsReporter({ path: 'x' } as never)).toThrow('path');
});
