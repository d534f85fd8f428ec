import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Binding, Policy, Role } from '../../../src/policy/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { jsonLine } from '../../policy/decisions/platform-lines.ts';
import { everything } from '../../support/calls.ts';
import { partOf } from '../../support/thorough.ts';
import { openDeployment } from './support/deployment.ts';
import { command, terminal } from './support/process.ts';

interface Given {
  readonly policies: Readonly<Record<string, Policy>>;
  readonly roles: Readonly<Record<string, Role>>;
  readonly bindings: readonly Binding[];
}

const allow = (actions: readonly string[], resources: readonly string[]): Policy => ({
  statements: [{ effect: 'Allow', actions, resources }],
});

/** The permissions of an administrator who may read what these patterns match. */
const adminOf = (items: readonly string[], users: string): Policy => ({
  statements: [
    ...allow(['rbac:ListPolicy', 'rbac:ListRole'], ['*']).statements,
    ...allow(['rbac:GetPolicy', 'rbac:GetRole'], items).statements,
    ...allow(['rbac:ListUserRoleBinding'], [users]).statements,
  ],
});

/** Users with two roles each, in scopes of their own; each role has policies of its own. */
function shopOf(count: number, perRole: number, admin: Policy): Given {
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
function logOf(state: Given, count: number, lines: number): string {
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
async function open(state: Given, log: string, logSize = 1_000) {
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

test('many users and lines: an administrator gets the answers that the files give, a call for each item', async () => {
  // 300 users and 100 000 lines in a thorough run.
  const [users, perRole, lines] = [partOf(300), 7, partOf(100_000)];
  const state = shopOf(users, perRole, adminOf(['*'], '*'));
  const opened = await open(state, logOf(state, users, lines), 20_000);
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

describe('an administrator who may not read everything', () => {
  const count = 20;
  const whole = shopOf(count, 3, adminOf(['*'], '*'));
  const log = logOf(whole, count, 2_000);
  /** Answers of the whole state, by question. */
  const truth = createEvaluator(whole, { fidelity: 'sidecar' });

  test.each([
    ['users', adminOf(['*'], 'user-1*'), /not known: bindings of user "gone", "user-0", "user-2"/, /"user-1"/],
    ['policies and roles', adminOf(['p-1*', 'r-1*'], '*'), /not known: role "admin", "r-0", "r-2"/, /role "r-1"/],
  ])(
    'some %s: the rest is decided as it is, and the report names what is not',
    async (_, admin, named, unnamed) => {
      const opened = await open({ ...whole, policies: { ...whole.policies, admin } }, log);
      const replay = await opened.ask('replay', '--json');
      expect(replay.err).toMatch(named);
      expect(replay.err).not.toMatch(unnamed);
      const { gained, revoked, unchanged, error } = JSON.parse(replay.out);
      // The log has the decisions of the whole state.
      expect([replay.code, gained.count, revoked.count]).toEqual([0, 0, 0]);
      expect(error.groups).toEqual([expect.objectContaining({ reason: 'not-known' })]);
      expect(unchanged.count + error.count).toBe(2_000);
      expect(Math.min(unchanged.count, error.count)).toBeGreaterThan(100);

      const text = await opened.ask('rehearse');
      expect(text.out).toContain(`Not decided: ${error.count} requests (${error.count} not-known).`);
      const rehearsal = JSON.parse((await opened.ask('rehearse', '--json')).out);
      for (const { questions } of rehearsal.denied.groups) {
        for (const { subject, action, resource } of questions) {
          expect(truth.isAllowed({ ...subject, action, resource })).toBe(false);
        }
      }
      const all = JSON.parse((await opened.askFile('usage', '--json')).out);
      const some = JSON.parse((await opened.ask('usage', '--json')).out);
      for (const kind of ['policies', 'roles', 'statements']) {
        // `admin` differs, as it is another policy here.
        expect(all[kind]).toEqual(expect.arrayContaining(some[kind]));
      }
      const tight = await opened.ask('tighten');
      expect([tight.code, tight.out]).toEqual([1, '']);
      expect(tight.err).toMatch(/403.*(?:rbac:ListUserRoleBinding|rbac:GetRole)/);
    },
    120_000,
  );

  test('one who may not list gets no answer, but the missing permission', async () => {
    const opened = await open({ ...whole, policies: { ...whole.policies, admin: allow(['rbac:Get*'], ['*']) } }, log);
    const { code, out, err } = await opened.ask('rehearse');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('rbac:ListRole');
  }, 60_000);
});

describe('while the deployment is read', () => {
  const count = 60;
  const state = shopOf(count, 3, adminOf(['*'], '*'));
  const log = logOf(state, count, 2_000);

  test('a deployment that answers 503, 429 or nothing is asked again', async () => {
    const opened = await open(state, log);
    opened.mock.fail({ path: '/user/user-7/role', status: 503, times: 1 });
    opened.mock.fail({ path: '/role/r-9', status: 429, headers: { 'retry-after': '0' }, times: 1 });
    opened.mock.fail({ path: '/policy/p-3-1', drop: true, times: 1 });
    const { code, out, err } = await opened.ask('replay', '--json');
    expect([code, err, JSON.parse(out).unchanged.count]).toEqual([0, '', 2_000]);
  }, 60_000);

  test('a token that ends ends it, and the next one of the file is used if it is there in time', async () => {
    const opened = await open(state, log);
    opened.mock.fail({ path: '/policy/p-3-1', status: 401, times: Number.POSITIVE_INFINITY });
    const refused = await opened.ask('replay');
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('401');
    expect(refused.err).not.toContain(opened.adminToken);

    const renewed = await open(state, log);
    const short = await renewed.mock.tokens.issue({ user: 'admin', lifetime: '60s' });
    writeFileSync(join(renewed.folder, 'admin'), short);
    renewed.mock.fail({ method: 'GET', path: /\/role\/r-/, delayMs: 20, times: Number.POSITIVE_INFINITY });
    const answer = renewed.ask('replay', '--json');
    await renewed.mock.waitFor({ path: '/role/r-1' });
    renewed.mock.clock.advance('2h');
    writeFileSync(join(renewed.folder, 'admin'), await renewed.mock.tokens.issue({ user: 'admin' }));
    const { code, out, err } = await answer;
    expect([code, err, out && JSON.parse(out).unchanged.count]).toEqual([0, '', 2_000]);
  }, 60_000);

  test('a policy that a deletion moves between two pages of the list is read all the same', async () => {
    const opened = await open(state, log);
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
    const opened = await open(state, log);
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
  const opened = await open(state, logOf(state, 3, 100));
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
