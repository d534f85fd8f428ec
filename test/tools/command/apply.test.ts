import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDeployment, shopFile } from './support/deployment.ts';
import { inFolder } from './support/in-process.ts';
import { command } from './support/process.ts';

const file = { 'permissions.yaml': shopFile(['alice']) };
const quick = ['--settle-ms', '0'];
const lines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A deployment, and a plan for it in `plan.json`. */
async function openPlanned() {
  const opened = await openDeployment({ policies: { other: { statements: [] } } }, file);
  const saved = await inFolder(['plan', ...opened.flags, '--out', 'plan.json'], opened.folder);
  expect(saved.code).toBe(2);
  const args = ['apply', 'plan.json', ...quick, ...opened.flags];
  const applySaved = () => command(args, opened.folder);
  const applyHere = (...more: string[]) => inFolder([...args, ...more], opened.folder);
  const path = join(opened.folder, 'plan.json');
  const rewrite = (change: (saved: Record<string, unknown>) => object) =>
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
  return { ...opened, saved, applySaved, applyHere, path, rewrite };
}

describe('plan and apply', () => {
  test('a plan is empty after apply, shows later changes of others, and is empty again after apply --prune', async () => {
    const { folder, flags, client } = await openDeployment({}, file);
    const plan = (...more: string[]) => command(['plan', ...flags, ...more], folder);
    const first = await plan();
    expect(first).toMatchObject({ code: 2, err: '', out: expect.stringContaining('Changes: 3, calls: 3, stages: 3.') });
    expect(first.out).toContain('Users whose bindings are known: 1.');
    expect((await command(['apply', '--yes', ...quick, ...flags], folder)).code).toBe(0);
    expect((await plan()).out).toMatch(/^No changes\.\n\nUsers whose bindings are known: 1..*\n$/);
    await client.authorization.policies.update('reader', { statements: [] });
    await client.authorization.policies.create('stray', { statements: [] });
    expect(await plan()).toMatchObject({
      code: 2,
      out: expect.stringMatching(/~ policy "reader": differs.*Kept:\n {2}policy "stray": prune is off/s),
    });
    expect(await plan('--prune')).toMatchObject({ code: 2, out: expect.stringContaining('- policy "stray"') });
    expect((await command(['apply', '--yes', '--prune', ...quick, ...flags], folder)).code).toBe(0);
    expect((await plan('--prune')).code).toBe(0);
    expect(await command(['apply', '--yes', '--prune', ...quick, ...flags], folder)).toMatchObject({
      code: 0,
      err: '',
    });
  });

  test('an item that the file does not own is overwritten with --take-over only', async () => {
    const foreign = shopFile(['alice']).replace('policies: ["*"]', 'policies: ["mine"]');
    const other = { reader: { statements: [] } };
    const { folder, flags, client } = await openDeployment({ policies: other }, { 'permissions.yaml': foreign });
    const apply = (...more: string[]) => inFolder(['apply', '--yes', ...quick, ...flags, ...more], folder);
    const refused = await apply();
    expect(refused.code).toBe(1);
    expect(refused.out).toContain('~ policy "reader": differs; "manage" of its file does not own it');
    expect(refused.err).toMatch(/does not own \(takeOver\); policy "reader"; nothing was written\n/);
    expect(refused.err).toMatch(/0 of 3 calls were made; to overwrite them: arango-services .* --take-over\n$/);
    await expect(client.authorization.roles.get('viewer')).rejects.toMatchObject({ status: 404 });
    expect(await apply('--take-over')).toMatchObject({ code: 0, out: expect.stringContaining('Applied: 3 calls.') });
  });

  test('--json prints the plan, and a line for each event of apply', async () => {
    const { folder, flags } = await openDeployment({}, file);
    const { changes, users } = JSON.parse((await command(['plan', '--json', ...flags], folder)).out);
    expect([changes.length, users]).toEqual([3, ['alice']]);
    const { code, out, err } = await command(['apply', '--yes', '--json', ...quick, ...flags], folder);
    expect([code, err]).toEqual([0, '']);
    const [plan, ...events] = lines(out);
    expect(plan).toMatchObject({ event: 'plan', plan: { changes: expect.any(Array) } });
    expect(events).toEqual([
      { event: 'call', done: 1, total: 3, action: 'create', kind: 'policy', name: 'reader', wrote: true },
      { event: 'call', done: 2, total: 3, action: 'create', kind: 'role', name: 'viewer', wrote: true },
      {
        event: 'call',
        done: 3,
        total: 3,
        action: 'create',
        kind: 'binding',
        user: 'alice',
        role: 'viewer',
        wrote: true,
      },
      { event: 'applied', wrote: 3, skipped: 0 },
    ]);
  });

  test('--users-file has the users of an apply that was stopped', async () => {
    const { folder, flags, mock } = await openDeployment({}, { 'permissions.yaml': shopFile(['alice', 'bob']) });
    writeFileSync(join(folder, 'users.json'), '["carol"]');
    mock.fail({ path: '/_management/permissions/user/bob/role/viewer', status: 503 });
    const args = ['apply', '--yes', '--users-file', 'users.json', ...quick, ...flags];
    expect((await inFolder(args, folder)).code).toBe(1);
    expect(JSON.parse(readFileSync(join(folder, 'users.json'), 'utf8'))).toEqual(['alice', 'bob', 'carol']);
  });

  test('--users and --users-file find the bindings of users that left the file', async () => {
    const { folder, flags } = await openDeployment({}, { 'permissions.yaml': shopFile(['alice', 'bob']) });
    const keep = ['--users-file', 'users.json'];
    expect((await inFolder(['apply', '--yes', ...keep, '--first-run', ...quick, ...flags], folder)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'users.json'), 'utf8'))).toEqual(['alice', 'bob']);
    writeFileSync(join(folder, 'permissions.yaml'), shopFile(['alice']));
    const unwanted = expect.stringContaining('- binding of user "bob" to role "viewer"');
    expect((await inFolder(['plan', '--prune', ...flags], folder)).code).toBe(0);
    expect(await inFolder(['plan', '--prune', '--users', 'bob,carol', ...flags], folder)).toMatchObject({
      code: 2,
      out: unwanted,
    });
    expect(await inFolder(['plan', '--prune', ...keep, ...flags], folder)).toMatchObject({ code: 2, out: unwanted });
    // Not pruned yet, so the user is still to be looked at.
    expect((await inFolder(['apply', '--yes', ...keep, ...quick, ...flags], folder)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'users.json'), 'utf8'))).toEqual(['alice', 'bob']);
    expect((await inFolder(['apply', '--yes', '--prune', ...keep, ...quick, ...flags], folder)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'users.json'), 'utf8'))).toEqual(['alice']);
    writeFileSync(join(folder, 'users.json'), '{}');
    expect(await inFolder(['plan', ...keep, ...flags], folder)).toMatchObject({
      code: 64,
      err: 'arango-services: users.json: expected a JSON list of names, as apply writes it\n',
    });
  });

  test('a failed call: exit 1, with the call, the missing permission, and the calls that were made', async () => {
    const { mock, folder, url } = await openDeployment({}, file);
    writeFileSync(join(folder, 'weak'), await mock.tokens.issue({ user: 'carol' }));
    const result = await command(['plan', '--url', url, '--token-file', 'weak'], folder);
    expect(result).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/403.*needs rbac:/) });
  });
});

describe('a saved plan', () => {
  test('is readable by its owner only, names the URL, the indexes and a digest, and is applied without a question', async () => {
    const { folder, url, token, path, saved, applySaved, flags } = await openPlanned();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    const content = JSON.parse(text);
    expect(content).toMatchObject({ url, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    expect(content.basis).toMatchObject({ policies: [['other', 1]], roles: [] });
    expect(text).not.toContain(token);
    expect(saved.out).toContain(`Saved to plan.json: ${content.digest}`);
    // What the file says now does not count.
    writeFileSync(join(folder, 'permissions.yaml'), 'policies: {}');
    expect(await applySaved()).toMatchObject({ code: 0, out: `Plan ${content.digest}\nApplied: 3 calls.\n` });
    writeFileSync(join(folder, 'permissions.yaml'), file['permissions.yaml']);
    expect((await command(['plan', ...flags], folder)).code).toBe(0);
    expect(await applySaved()).toMatchObject({ code: 1, err: expect.stringContaining('is applied once') });
  });

  test('that has no changes says so when it is applied', async () => {
    const { folder, flags, applyHere } = await openPlanned();
    expect((await applyHere()).code).toBe(0);
    const saved = await inFolder(['plan', ...flags, '--out', 'plan.json'], folder);
    expect(saved.code).toBe(0);
    const applied = await applyHere();
    expect([applied.code, applied.out]).toEqual([0, expect.stringMatching(/^Plan sha256:\w+\nNo changes\.\n$/)]);
  });

  test('counts the calls of earlier runs when it fails again', async () => {
    const { mock, applyHere } = await openPlanned();
    const end = mock.fail({ path: '/_management/permissions/user/alice/role/viewer', status: 503, times: 1_000 });
    expect((await applyHere()).err).toMatch(/\n.*: 2 of 3 calls were made; run it again to finish: /);
    expect((await applyHere()).err).toMatch(/\n.*: 2 of 3 calls were made, 2 of them before; run it again to finish: /);
    end();
    expect(await applyHere()).toMatchObject({ code: 0, out: expect.stringContaining('1 call, 2 made before') });
  });

  test('replaces a file of another mode, and a link rather than its target', async () => {
    const { folder, flags } = await openDeployment({}, { ...file, 'plan.json': 'x', target: 'x' });
    symlinkSync('target', join(folder, 'link.json'));
    for (const name of ['plan.json', 'link.json']) {
      expect((await command(['plan', ...flags, '--out', name], folder)).code).toBe(2);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('x');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const piped = await command(['plan', ...flags, '--out', 'pipe'], folder);
    expect(piped).toMatchObject({ code: 64, err: expect.stringContaining('pipe: is not a regular file') });
    expect(statSync(join(folder, 'pipe')).isFIFO()).toBe(true);
    const nowhere = await command(['plan', ...flags, '--out', 'missing/plan.json'], folder);
    expect(nowhere).toMatchObject({
      code: 64,
      err: expect.stringContaining('missing/plan.json: cannot be written (ENOENT)'),
    });
  });

  test('is refused for another deployment, before anything is sent', async () => {
    const { folder, url } = await openPlanned();
    const other = await openDeployment();
    const flags = ['--url', other.url, '--token-file', 'token'];
    const result = await inFolder(['apply', 'plan.json', ...flags], folder);
    expect(result).toMatchObject({ code: 1, err: `arango-services: the plan is for another deployment, ${url}\n` });
    expect(other.mock.requests).toHaveLength(0);
  });

  test('is refused if it was changed after it was saved', async () => {
    const { mock, applyHere, rewrite } = await openPlanned();
    const before = mock.requests.length;
    rewrite((saved) => ({ ...saved, url: `${saved.url}/` }));
    expect(await applyHere()).toMatchObject({ code: 1, err: expect.stringContaining('its digest does not match') });
    expect(mock.requests).toHaveLength(before);
  });

  test.each<[string, string]>([
    ['{', 'is not a saved plan (not valid JSON)'],
    ['[]', 'is not a saved plan: see plan --out'],
    ['{"format":"arango-services plan 99"}', 'was saved by another version of arango-services: make a new plan'],
    // Without the groups after it, which --groups-file keeps.
    ['{"format":"arango-services plan 3"}', 'was saved by another version of arango-services: make a new plan'],
    ['\xff', 'is not a saved plan (not valid JSON)'],
  ])('that is %j is refused with 64', async (text, message) => {
    const { applyHere, path } = await openPlanned();
    writeFileSync(path, text, 'latin1');
    expect(await applyHere()).toMatchObject({ code: 64, err: `arango-services: plan.json: ${message}\n` });
  });

  test('takes no flags that make a plan', async () => {
    const { applyHere } = await openPlanned();
    for (const flag of ['--prune', '--file=a.yaml', '--users=bob', '--order=grant-first', '--fidelity=sidecar']) {
      const [name] = flag.split('=');
      const err = `arango-services: ${name}: cannot be combined with a saved plan\n`;
      expect(await applyHere(flag)).toMatchObject({ code: 64, err });
    }
  });
});
