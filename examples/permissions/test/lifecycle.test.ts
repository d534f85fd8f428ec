import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient, credentials } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { afterAll, beforeAll, expect, test } from 'vitest';

const bin = resolve('node_modules/.bin/arango-services');
const mock = await createMock();
const server = await listen(mock);
const token = await mock.tokens.issue({ user: null });
const client = createClient({ url: server.url, credentials: credentials.bearer(token) });
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'permissions-'));
  for (const name of ['permissions.yaml', 'teams']) await cp(name, join(folder, name), { recursive: true });
  await writeFile(join(folder, 'token'), token, { mode: 0o600 });
});
afterAll(async () => {
  await client.close();
  await server.close();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly code: unknown;
  readonly output: string;
}

/** Runs a subcommand against the mock on its port. */
const permissions = (subcommand: string, ...more: readonly string[]): Promise<Ended> =>
  new Promise((done) => {
    const connect = ['--url', server.url, '--token-file', 'token', '--users-file', 'users.json'];
    execFile(bin, ['permissions', subcommand, ...connect, ...more], { cwd: folder }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : error.code, output: stdout + stderr });
    });
  });

const apply = (...more: readonly string[]) => permissions('apply', '--yes', '--settle-ms', '0', ...more);

test('plan and apply: after it, the plan is empty', async () => {
  const planned = await permissions('plan', '--prune', '--first-run');
  expect(planned.code).toBe(2);
  expect(planned.output).toContain('+ policy "shop-reader"');
  expect(planned.output).toContain('+ user "bob"');

  const applied = await apply('--prune', '--first-run');
  expect(applied).toMatchObject({ code: 0, output: expect.stringMatching(/Applied: \d+ calls/) });
  const question = { user: 'alice', action: 'orders:write', resource: 'shop:eu:7' };
  expect(await client.authorization.isAllowed(question)).toBe(true);

  expect(await permissions('plan', '--prune')).toMatchObject({ code: 0, output: expect.stringMatching(/^No changes/) });
});

test("another writer's change is drift, which apply takes back", async () => {
  const everything = { effect: 'Allow', actions: ['*'], resources: ['*'] } as const;
  await client.authorization.policies.upsert('shop-reader', { statements: [everything] });
  const drift = await permissions('plan', '--prune');
  expect(drift.code).toBe(2);
  expect(drift.output).toContain('~ policy "shop-reader"');
  expect(drift.output).toContain('- Allow * on *');

  expect(await apply('--prune')).toMatchObject({ code: 0 });
  const question = { user: 'alice', action: 'orders:delete', resource: 'shop:eu:7' };
  expect(await client.authorization.isAllowed(question)).toBe(false);
  expect((await permissions('plan', '--prune')).code).toBe(0);
});

test('a plan that was saved is applied as it was approved, and refused when stale', async () => {
  const file = join(folder, 'teams/sales.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('  - { user: alice,', '  - { user: dan, role: shop-seller, scope: europe }\n$&'));
  expect((await permissions('plan', '--out', 'plan.json')).code).toBe(2);
  const applySaved = () => permissions('apply', 'plan.json', '--settle-ms', '0');
  expect(await applySaved()).toMatchObject({ code: 0 });
  expect((await permissions('plan')).code).toBe(0);

  await client.authorization.bindings.remove({ user: 'dan', role: 'shop-seller' });
  expect((await permissions('plan', '--out', 'plan.json')).code).toBe(2);
  await client.authorization.policies.upsert('shop-owner', { statements: [] });
  const stale = await applySaved();
  expect(stale).toMatchObject({ code: 1, output: expect.stringContaining('stale') });
  // The binding was taken away by hand: it is given back only if that is asked for.
  expect(await apply()).toMatchObject({ code: 1, output: expect.stringContaining('--restore') });
  expect((await apply('--restore')).code).toBe(0);
});

test('prune deletes what the files own and no longer have', async () => {
  const owned = 'policies: ["warehouse-*"], roles: ["warehouse-*"], bindings: { roles: ["warehouse-*"] }';
  await writeFile(join(folder, 'teams/warehouse.yaml'), `manage: { ${owned} }`);

  const planned = await permissions('plan', '--prune');
  expect(planned.code).toBe(2);
  for (const item of ['policy "warehouse-picker"', 'role "warehouse-picker"', 'binding of user "carol"']) {
    expect(planned.output).toContain(`- ${item}`);
  }
  expect(await apply('--prune')).toMatchObject({ code: 0 });
  // What another team grants stays.
  expect(await client.authorization.bindings.list('carol')).toMatchObject([{ role: 'support-agent' }]);
  expect((await permissions('plan', '--prune')).code).toBe(0);
});

test('an export plans empty', async () => {
  const exported = await permissions('export', 'exported.yaml');
  expect(exported).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, 'exported.yaml'), 'utf8')).toContain('shop-seller');
  const planned = await permissions('plan', '--file', 'exported.yaml');
  expect(planned).toMatchObject({ code: 0, output: expect.stringMatching(/^No changes/) });
});
