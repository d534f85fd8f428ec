import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Binding } from '../../../src/policy/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { partOf } from '../../support/thorough.ts';
import { adminOf, allow, logOf, openAdmin, shopOf } from './support/admin.ts';
import { command, terminal } from './support/process.ts';

test('many users and lines: an administrator gets the answers that the files give, a call for each item', async () => {
  // 300 users and 100 000 lines in a thorough run.
  const [users, perRole, lines] = [partOf(300), 7, partOf(100_000)];
  const state = shopOf(users, perRole, adminOf(['*'], '*'));
  const opened = await openAdmin(state, logOf(state, users, lines), 20_000);
  const before = opened.mock.requests.length;
  const [rehearsal, expected] = [await opened.ask('rehearse', '--json'), await opened.askFile('rehearse', '--json')];
  // A call for each user of the log, role and policy, the pages of two lists, and the version.
  const items = users + 1 + (users + 1) + (users * perRole + 1);
  expect(opened.mock.requests.length - before - items).toBeLessThan(10);
  expect([rehearsal.err, rehearsal.code]).toEqual(['', 2]);
  const [url, file] = [JSON.parse(rehearsal.out), JSON.parse(expected.out)];
  expect(url.log).toMatchObject({ count: lines, users: users + 1 });
  // The binding of the administrator, who is not in the log, was not read.
  const isAdmins = ({ user }: Binding) => user === 'admin';
  expect(file.unused.bindings.filter(isAdmins)).toHaveLength(1);
  file.unused.bindings = file.unused.bindings.filter((one: Binding) => !isAdmins(one));
  // The file has the items in another order.
  const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).sort();
  for (const kind of ['statements', 'policies', 'roles', 'bindings']) {
    expect(sorted(url.unused[kind]), kind).toEqual(sorted(file.unused[kind]));
  }
  for (const kind of ['log', 'denied', 'notGranted', 'superuser', 'refused', 'error', 'skipped']) {
    expect(url[kind], kind).toEqual(file[kind]);
  }
  // The change of the file may edit policies, whose holders are all known.
  expect([url.change.isExact, file.change.isExact]).toEqual([true, true]);
  expect(url.change.items).not.toContainEqual(expect.objectContaining({ kind: 'policy', action: 'update' }));
  expect(url.denied.groups).toContainEqual(expect.objectContaining({ cause: { reason: 'no-binding' } }));

  const [tight, tightFile] = [await opened.ask('tighten'), await opened.askFile('tighten')];
  const content = ({ out }: { out: string }) => out.replace(/^#.*\n/gm, '').trim();
  expect(content(tight)).toBe(content(tightFile));
  expect(tight.err).toContain('those who have the same roles lose access, too');
  expect(`${rehearsal.out}${tight.out}${tight.err}`).not.toContain(opened.adminToken);
}, 240_000);

describe('while the deployment is read', () => {
  const count = 60;
  const state = shopOf(count, 3, adminOf(['*'], '*'));
  const log = logOf(state, count, 2_000);

  test('a deployment that answers 503, 429 or nothing is asked again', async () => {
    const opened = await openAdmin(state, log);
    opened.mock.fail({ path: '/user/user-7/role', status: 503, times: 1 });
    opened.mock.fail({ path: '/role/r-9', status: 429, headers: { 'retry-after': '0' }, times: 1 });
    opened.mock.fail({ path: '/policy/p-3-1', drop: true, times: 1 });
    const { code, out, err } = await opened.ask('replay', '--json');
    expect([code, err, JSON.parse(out).unchanged.count]).toEqual([0, '', 2_000]);
  }, 60_000);

  test('an expired token fails the command, unless the file has the next token in time', async () => {
    const opened = await openAdmin(state, log);
    opened.mock.fail({ path: '/policy/p-3-1', status: 401, times: Number.POSITIVE_INFINITY });
    const refused = await opened.ask('replay');
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('401');
    expect(refused.err).not.toContain(opened.adminToken);

    const renewed = await openAdmin(state, log);
    const short = await renewed.mock.tokens.issue({ user: 'admin', lifetime: '60s' });
    writeFileSync(join(renewed.folder, 'admin'), short);
    renewed.mock.fail({ method: 'GET', path: /\/role\/r-/, delayMs: 20, times: Number.POSITIVE_INFINITY });
    const answer = renewed.ask('replay', '--json');
    await renewed.mock.waitFor({ path: '/role/r-1' });
    const next = await renewed.mock.tokens.issue({ user: 'admin', lifetime: '3h' });
    // In one step, so that no call finds the old token in the file.
    renewed.mock.clock.advance('2h');
    writeFileSync(join(renewed.folder, 'admin'), next);
    const { code, out, err } = await answer;
    expect([code, err, out && JSON.parse(out).unchanged.count]).toEqual([0, '', 2_000]);
  }, 60_000);

  test('a policy that a deletion moves between two pages of the list is read all the same', async () => {
    const opened = await openAdmin(state, log);
    const names = Object.keys(state.policies).sort();
    const page = (list: readonly string[]) =>
      JSON.stringify({ names: list, page: { items: names.length - 1, page: 0 } });
    opened.mock.fail({
      path: '/_management/permissions/policy',
      status: 200,
      body: page(names.filter((name) => name !== 'p-3-1')),
    });
    const { code, out } = await opened.ask('replay', '--json');
    expect([code, JSON.parse(out).unchanged.count]).toEqual([0, 2_000]);
  }, 60_000);

  test('a terminal shows a bar, which is erased', async () => {
    const opened = await openAdmin(state, log);
    opened.mock.fail({ path: /\/user\//, delayMs: 100, times: Number.POSITIVE_INFINITY });
    const flags = ['--log', 'a.log', '--url', opened.url, '--token-file', 'admin', '--concurrency', '4'];
    const { running } = await terminal(['replay', ...flags], opened.folder);
    const { code, out } = await running.ended();
    expect(code).toBe(0);
    expect(out).toMatch(/\r\[#*-+\] {2}\d+\/61 {2} *\d+% .*bindings of users/);
    expect(out).toContain('\r\x1b[KOf 2000 logged decisions');
  }, 60_000);
});

test('plan --log decides by the bindings of all users of the log, and by what the plan leaves', async () => {
  const state = shopOf(3, 1, adminOf(['*'], '*'));
  const opened = await openAdmin(state, logOf(state, 3, 100));
  // The file takes the role of user-0 alone away, and does not name the other users.
  const file = { policies: { 'p-0-0': allow(['svc9:read'], ['*']) }, manage: { policies: ['p-0-0'] } };
  writeFileSync(join(opened.folder, 'permissions.json'), JSON.stringify(file));
  const { code, out, err } = await command(
    ['plan', '--log', 'a.log', '--url', opened.url, '--token-file', 'admin', '--file', 'permissions.json'],
    opened.folder,
  );
  expect([code, err]).toEqual([2, '']);
  const after = createEvaluator(
    { ...state, policies: { ...state.policies, ...file.policies } },
    { fidelity: 'sidecar' },
  );
  const lines = readFileSync(join(opened.folder, 'a.log'), 'utf8').trimEnd().split('\n');
  const revoked = lines.filter((line) => {
    const { user, action, resource, message } = JSON.parse(line);
    return message === 'Access Granted' && !after.isAllowed({ user, action, resource });
  });
  expect(revoked.length).toBeGreaterThan(0);
  expect(out).toContain(
    `Of 100 logged decisions ${revoked.length} flip: ${revoked.length} would be denied, 0 allowed.`,
  );
}, 60_000);
