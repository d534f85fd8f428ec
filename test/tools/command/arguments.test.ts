import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manifest } from '../../../scripts/lib/package.ts';
import { subcommands } from '../../../src/tools/command/permissions/subcommands.ts';
import { flags } from '../../../src/tools/command/shared/flags.ts';
import { folderOf } from './support/deployment.ts';
import { inProcess, permissions } from './support/in-process.ts';

describe('--help', () => {
  test('lists the commands and the subcommands', async () => {
    expect(await inProcess(['--help'])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('permissions'),
    });
    const { code, out } = await permissions(['--help']);
    expect(code).toBe(0);
    const rows = out.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(rows).toEqual(expect.arrayContaining([...subcommands].map(([name, { summary }]) => [name, summary])));
  });

  test('is what a command without arguments prints', async () => {
    expect(await inProcess([])).toEqual(await inProcess(['--help']));
    expect(await permissions([])).toEqual(await permissions(['--help']));
  });

  test('--version prints the version of the package', async () => {
    expect(await inProcess(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
  });

  test.each([...subcommands])(
    '%s: prints usage and its flags, beside wrong flags, too',
    async (name, { flags: own, operands }) => {
      const { code, out, err } = await permissions([name, '--help', '--nothing']);
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain(['Usage: arango-services permissions', name, ...operands, '[flags]'].join(' '));
      for (const flag of own) expect(out).toContain(flags[flag].help);
      const long = out.split('\n').filter((line) => line.length > 120);
      expect(long).toEqual([]);
    },
  );
});

describe('wrong arguments exit with 64 and name the flag, but no value', () => {
  const help = 'see arango-services permissions';
  test.each<[readonly string[], readonly string[]]>([
    [
      ['foo'],
      [
        'permissions: expected one of the subcommands plan, apply, diff, test, export, adopt, lint, explain, grants, excess, rehearse, replay, usage, report, tighten, who, operations; s',
      ],
    ],
    [['plann'], ['(did you mean "plan"?); see --help']],
    [['--json', 'plan'], ['permissions: expected one of the subcommands']],
    [['plan', '--ulr', 'x'], [`--ulr: unknown flag (did you mean "--url"?); ${help} plan --help`]],
    [['diff', 'a', 'b', '--prune'], [`--prune: unknown flag of "diff"; ${help} diff --help`]],
    [['plan', '--order=fast'], ['--order: expected one of revoke-first, grant-first']],
    [['plan', '--file'], ['--file: needs a value: <file>']],
    [['plan', '--url', '--prune'], ['--url: needs a value: <url>']],
    [['plan', '--json=yes'], ['--json: takes no value']],
    [['plan', 'canary'], ['arguments: expected no arguments, got 1; see --file']],
    [['diff', 'canary'], ['arguments: expected <before> <after>, got 1']],
    [['apply', 'canary', 'canary'], ['arguments: expected [plan.json], got 2']],
    [['apply', '--concurrency', 'canary'], ['--concurrency: expected a whole number from 1 to 256']],
    [['apply', '--settle-ms=-1', '--yes'], ['--settle-ms: expected a whole number from 0 to 600000']],
    [
      ['plan', '--password', 'canary'],
      ['--password: secrets do not belong on a command line', '--password-stdin'],
    ],
    [['plan', '--password=canary'], ['--password: secrets do not belong on a command line']],
    [
      ['plan', '--token', 'canary'],
      ['--token: secrets do not belong on a command line', '--token-file'],
    ],
    [['plan', '--token:canary'], ['--token: secrets do not belong on a command line']],
    [['plan', '--password1canary'], ['--password: secrets do not belong on a command line']],
    [['plan', '--passwordcanary'], ['--password: secrets do not belong on a command line']],
    [['plan', '--token-fil', 'x'], ['--token-fil: unknown flag (did you mean "--token-file"?)']],
    [['plan', '-pcanary'], ['-p: secrets do not belong on a command line']],
  ])('%j', async (args, parts) => {
    const { code, out, err } = await permissions(args);
    expect([code, out]).toEqual([64, '']);
    for (const part of parts) expect(err).toContain(part);
    expect(err).not.toContain('canary');
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  test('reports all problems at once', async () => {
    const { code, err } = await permissions(['plan', '--ulr', '--order=x', '--json=1']);
    expect(code).toBe(64);
    expect(err.trimEnd().split('\n')).toHaveLength(3);
  });

  test.each(['', 'permision', '--json'])('an unknown command: %j', async (name) => {
    expect(await inProcess([name])).toMatchObject({
      code: 64,
      err: expect.stringContaining('expected one of the commands mock, permissions'),
    });
  });
});

describe('files that cannot be read exit with 64', () => {
  test.each<[string, string | undefined, string]>([
    ['a missing file', undefined, 'a.yaml: there is no such file'],
    ['a tab', 'policies:\n\tx: 1\n', 'a.yaml:2:1: '],
    ['an unknown field', 'polices: {}\n', 'a.yaml:1:1: unknown field "polices" (did you mean "policies"?)'],
    ['more than 10 MB', `# ${'x'.repeat(10_000_000)}\n`, 'a.yaml:1:1: holds more than 10 MB'],
    ['a missing include', 'include: [b.yaml]\n', 'a.yaml:1:11: cannot be read'],
  ])('%s', async (_what, text, expected) => {
    const folder = folderOf({ 'b.json': '{}' });
    const file = join(folder, 'a.yaml');
    if (text !== undefined) writeFileSync(file, text);
    const { code, out, err } = await permissions(['diff', join(folder, 'b.json'), file]);
    expect([code, out]).toEqual([64, '']);
    expect(err.replaceAll(`${folder}/`, '')).toContain(`arango-services: ${expected}`);
  });

  test('a folder', async () => {
    const folder = folderOf();
    expect(await permissions(['diff', folder, folder])).toMatchObject({
      code: 64,
      err: `arango-services: ${folder}: is a directory\n`,
    });
  });
});
