import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient, credentials } from '../../../../src/index.ts';
import { readPermissions } from '../../../../src/permissions/index.ts';
import { openDeployment } from '../support/deployment.ts';
import { command } from '../support/process.ts';
import { company, splitFile, users } from './company.ts';

/** A year of an operator: the commands that were run, with what they printed. */
async function openYear() {
  const opened = await openDeployment(company);
  const { mock, folder, url } = opened;
  const path = (name: string) => join(folder, name);
  for (const user of ['ops', 'ci']) writeFileSync(path(user), await mock.tokens.issue({ user, lifetime: '1h' }));
  writeFileSync(path('users.json'), JSON.stringify(['ops', 'ci', 'root2', ...users]));
  const transcript: string[] = [];
  const tell = (...lines: readonly string[]) => void transcript.push(...lines);
  /** Runs a subcommand and tells its output, of which at most this many lines, or with a negative number the last. */
  async function run(line: string, code = 0, most = 12): Promise<void> {
    const words = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
    const isOnline = !/^(?:lint|diff)/.test(line);
    const user = words[0] === 'plan' || words[0] === 'report' ? 'ci' : 'ops';
    const ended = await command([...words, ...(isOnline ? ['--url', url, '--token-file', user] : [])], folder);
    const lines = `${ended.out}${ended.err}`
      .trimEnd()
      .split('\n')
      .filter((text) => !/^\d+\/\d+ /.test(text));
    const left = lines.length - Math.abs(most);
    const more = left > 0 ? [`… ${left} more lines`] : [];
    const shown = most < 0 ? [...more, ...lines.slice(most)] : [...lines.slice(0, most), ...more];
    tell(`$ arango-services permissions ${line}`, ...shown, `(exit code ${ended.code})`, '');
    expect([line, ended.code]).toEqual([line, code]);
  }
  const edit = (file: string, from: string | RegExp, to: string) => {
    const text = readFileSync(path(file), 'utf8');
    const after = text.replace(from, to);
    expect(after).not.toBe(text);
    writeFileSync(path(file), after);
  };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
      cwd: folder,
      stdio: 'pipe',
    });
  const commit = () => git('add', '-A') && git('commit', '-qm', 'x');
  /** Plans, applies the saved plan, and finds nothing more to do. */
  async function merge(most?: number): Promise<void> {
    await run('plan --prune --users-file users.json --before HEAD --as ops --out plan.json', 2, most);
    await run('apply plan.json --users-file users.json --settle-ms 0');
    commit();
    await run('plan --prune --users-file users.json --before HEAD --as ops');
  }
  const show = () =>
    `${transcript
      .join('\n')
      .replaceAll(`${folder}/`, '')
      .replaceAll(url, 'https://db.example.com:8529')
      .replace(/sha256:[0-9a-f]{64}/g, 'sha256:…')
      .replace(/\d{4}-\d\d-\d\dT[\d:]+\.\d+Z/g, '…')}\n`;
  return { ...opened, path, tell, run, edit, git, commit, merge, show };
}

const plan = 'plan --prune --users-file users.json --before HEAD --as ops';

test('an operator’s year of commands and merges prints the transcript of year.txt', async () => {
  const year = await openYear();
  const { mock, path, tell, run, edit, git, commit, merge, folder, url } = year;

  tell('# January: the deployment as a file, which is split into 13');
  await run('export permissions.yaml --users-file users.json');
  writeFileSync(path('before.yaml'), readFileSync(path('permissions.yaml')));
  const exported = await readPermissions('f', { read: () => readFileSync(path('permissions.yaml')) });
  splitFile(exported, folder);
  await run('lint --off unused-role', 0);
  await run('diff before.yaml permissions.yaml');
  git('init', '-q');
  writeFileSync(path('.gitignore'), 'ops\nci\ntoken\nplan*.json*\nreport.json\n');
  commit();
  await run(plan);

  tell('# February: a newcomer joins two teams');
  for (const team of ['orders', 'tax']) {
    edit(`teams/${team}.yaml`, 'bindings:\n', `$&  - { user: grace, role: ${team}-viewer, scope: eu }\n`);
  }
  await merge();

  tell('# March: user013 moves from orders to payments');
  edit('teams/orders.yaml', /.*user: user013,.*\n/, '');
  edit('teams/payments.yaml', 'bindings:\n', '$&  - { user: user013, role: payments-viewer, scope: everywhere }\n');
  await merge();

  tell('# April: a team wants more than it may grant');
  edit('teams/mail.yaml', 'bindings:\n', '$&  - { user: user005, role: platform-admin, scope: everywhere }\n');
  await run('lint', 2);
  await run(plan, 64);
  git('checkout', '-q', 'teams/mail.yaml');

  tell('# May: an incident at night; the next merge does not give the access back');
  await run('revoke user021 --until 2999-06-01T00:00:00Z --reason "INC-7 stolen laptop"');
  edit('teams/lab.yaml', 'lab:list', 'lab:search');
  await merge(8);
  tell('# The laptop was found: the hold goes, and its plan shows what the user gets back');
  writeFileSync(path('permissions.holds.yaml'), 'holds: []\n');
  await run(`${plan} --out plan.json`, 2);
  await run('apply plan.json --users-file users.json --settle-ms 0', 1);
  await run('apply plan.json --users-file users.json --settle-ms 0 --restore');
  commit();

  tell('# June: user030 leaves; what a colleague gave by hand goes, too');
  const client = createClient({ url, credentials: credentials.bearer(readFileSync(path('ops'), 'utf8')) });
  const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
  await client.authorization.bindings.assign({ user: 'user030', role: 'platform-admin', scope });
  for (const team of ['web', 'search']) {
    if (readFileSync(path(`teams/${team}.yaml`), 'utf8').includes('user030'))
      edit(`teams/${team}.yaml`, /.*user: user030,.*\n/, '');
  }
  await merge();
  await run('grants user030', 2);

  tell('# July: mail becomes messaging; the new file owns the old names, too, until they are deleted');
  const text = readFileSync(path('teams/mail.yaml'), 'utf8').replace(/mail-/g, 'messaging-');
  writeFileSync(path('teams/messaging.yaml'), text.replaceAll('["messaging-*"]', '["messaging-*", "mail-*"]'));
  rmSync(path('teams/mail.yaml'));
  edit('permissions.yaml', 'teams/mail.yaml,', 'teams/messaging.yaml,');
  edit('permissions.yaml', 'teams/mail.yaml: { roles: [', 'teams/messaging.yaml: { roles: ["messaging-*", ');
  await merge(8);
  edit('teams/messaging.yaml', /, "mail-\*"/g, '');
  edit('permissions.yaml', ', "mail-*"', '');

  tell('# August: the shop is split from web, with its own file, and shares people with it');
  const shop = readFileSync(path('teams/web.yaml'), 'utf8').replace(/web-/g, 'shop-').replace(/web:/g, 'shop:');
  writeFileSync(path('teams/shop.yaml'), shop);
  await run('lint', 0);
  edit('permissions.yaml', 'teams/web.yaml,', 'teams/web.yaml, teams/shop.yaml,');
  edit('permissions.yaml', 'limits:\n', '$&  teams/shop.yaml: { roles: ["shop-*"], actions: ["shop:*"] }\n');
  await merge(8);

  tell('# September: two pipelines plan at once; one plan is applied, the other is stale');
  edit('teams/keys.yaml', /.*user: user040,.*\n/, '');
  await run(`${plan} --out plan.json`, 2, 4);
  edit('teams/legal.yaml', 'bindings:\n', '$&  - { user: grace, role: legal-viewer, scope: eu }\n');
  await run(`${plan} --out plan2.json`, 2, 4);
  await run('apply plan2.json --users-file users.json --settle-ms 0');
  await run('apply plan.json --users-file users.json --settle-ms 0', 1);
  commit();
  await run(plan);

  tell('# October: a binding is removed in the console; the plan of the night says so');
  await client.authorization.bindings.remove({ user: 'user050', role: 'payments-viewer' });
  await run('plan --prune --users-file users.json --before HEAD', 2);
  await run('apply --yes --users-file users.json --before HEAD --settle-ms 0', 1, 20);
  await run('apply --yes --users-file users.json --before HEAD --settle-ms 0 --restore', 0, 3);
  await client.close();

  tell('# December: the review, since the report of the quarter before');
  const { out } = await command(
    ['report', '--json', '--users-file', 'users.json', '--url', url, '--token-file', 'ci'],
    folder,
  );
  writeFileSync(path('report.json'), out);
  edit('teams/staff.yaml', 'bindings:\n', '$&  - { user: grace, role: staff-viewer, scope: eu }\n');
  await merge(3);
  await run('report --users-file users.json --since report.json', 2, -8);

  expect(existsSync(path('permissions.holds.yaml'))).toBe(true);
  const callers = new Set(mock.requests.map(({ claims }) => claims?.preferred_username));
  expect([...callers].filter((name) => name !== undefined).sort()).toEqual(['ci', 'ops']);
  await expect(year.show()).toMatchFileSnapshot('year.txt');
}, 600_000);
