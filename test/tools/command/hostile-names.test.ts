import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { MockConfig } from '../../../src/mock/index.ts';
import { subcommands } from '../../../src/tools/command/permissions/subcommands.ts';
import { folderOf, openDeployment } from './support/deployment.ts';
import { inProcess } from './support/in-process.ts';

// A hundred names that a terminal, a page, a sheet or a CI system would obey, in every command and format.

const marks = [
  ...['\u0001', '\u0007', '\b', '\t', '\n', '\r', '\r\n', '\u001b[2J', '\u001b[31m', '\u001b]0;x\u0007', '\u007f'],
  ...['\u0080', '\u0085', '\u0090', '\u009b31m', '\u009d', '\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c'],
  ...['\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069', '\u00ad', '\u200b', '\u200d', '\u2060', '\ufeff'],
  ...['\u2028', '\u2029', '\u{e0041}', '<script>x', '<img src=x onerror=y>', '&lt;', '" onload="x', ']]>', '<!--'],
  ...['=cmd|x', '+1', '-1', '@SUM(A1)', '\n```\n', '\n````\n', '\n~~~\n', '**x**', '\n+ policy', '\n::error::x'],
];
const names = marks.flatMap((mark) => [mark, `a${mark}b`]);
const userOf = (name: string) => name.replaceAll(':', '.');

const all = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const policyOf = (name: string) => ({
  description: name,
  statements: [{ effect: 'Allow' as const, actions: ['orders:read'], resources: [`${name.replaceAll('*', '')}:*`] }],
});
const stateOf = (some: readonly string[]) => ({
  policies: Object.fromEntries(some.map((name) => [name, policyOf(name)])),
  roles: Object.fromEntries(some.map((name) => [name, { policies: [name], description: name }])),
  bindings: some.map((name) => ({ user: userOf(name), role: name, scope: 'all' })),
});
const fileOf = (some: readonly string[]) =>
  JSON.stringify({ ...stateOf(some), scopes: { all }, manage: { policies: ['*'], roles: ['*'], users: ['*'] } });
const configOf = (some: readonly string[]): MockConfig => {
  const { bindings, ...rest } = stateOf(some);
  return { ...rest, bindings: bindings.map((one) => ({ ...one, scope: all })) };
};
const lineOf = (name: string) =>
  JSON.stringify({
    ...{ v: 1, kind: 'decision', time: '2026-11-23T12:00:00Z', subject: { user: userOf(name), roles: [name] } },
    ...{ action: 'orders:read', resource: name, effect: 'Allow', enforced: false },
  });

const files = {
  'permissions.json': fileOf(names),
  'before.json': fileOf(names.slice(0, 60)),
  'a.log': names.map((name) => `${lineOf(name)}\n`).join(''),
  'allow.json': '[]',
  'openapi.json': JSON.stringify({
    paths: Object.fromEntries(
      names.flatMap((name) => {
        const permission = { action: 'orders:read', resource: `a${name}` };
        return /[?#]/.test(name) ? [] : [[`/${name}`, { get: { 'x-permission': permission } }]];
      }),
    ),
  }),
  'x.test.json': JSON.stringify({
    expect: names.map((name) => ({
      ...{ user: userOf(name), action: 'orders:read', resource: `no${name.replaceAll('*', '')}` },
      ...{ effect: 'Allow', because: name },
    })),
  }),
};

/** The arguments of each subcommand; a name of `of` stands for a hostile one. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  plan: ['--file', 'permissions.json', '--url'],
  apply: ['--file', 'permissions.json', '--yes', '--settle-ms', '0', '--url'],
  diff: ['before.json', 'permissions.json'],
  test: ['--file', 'permissions.json', 'x.test.json'],
  export: ['--users', names.map(userOf).join(), '--url'],
  adopt: ['--file', 'before.json', '--users', 'alice', '--url'],
  lint: ['--file', 'permissions.json'],
  revoke: [
    userOf(names[46] ?? ''),
    '--until',
    '2999-01-01T00:00:00Z',
    '--reason',
    names[46] ?? '',
    '--holds',
    'holds.json',
    '--url',
  ],
  explain: [userOf(names[46] ?? ''), 'orders:read', '\u202e', '--file', 'permissions.json'],
  grants: [userOf(names[46] ?? ''), '--file', 'permissions.json'],
  excess: ['--allow', 'allow.json', '--file', 'permissions.json'],
  rehearse: ['--log', 'a.log', '--file', 'before.json'],
  replay: ['--log', 'a.log', '--file', 'before.json'],
  report: ['--log', 'a.log', '--file', 'permissions.json'],
  usage: ['--log', 'a.log', '--file', 'permissions.json'],
  tighten: ['--log', 'a.log', '--file', 'permissions.json'],
  who: ['orders:read', '*', '--file', 'permissions.json'],
  operations: ['openapi.json'],
};
const formats = ['responses', 'json', 'markdown', 'details', 'coverage', 'all', 'csv', 'junit', 'lcov'] as const;

const cases = [...subcommands].flatMap(([name, { flags }]) =>
  [undefined, ...formats.filter((one) => flags.includes(one))].map((format) => ({ name, format: format ?? 'text' })),
);

const obeyed = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The texts that a command wrote: streams and files. */
async function outputsOf(words: readonly string[], folder: string, env = {}): Promise<Record<string, string>> {
  const before = new Set(readdirSync(folder));
  const { code, out, err } = await inProcess(words, { env });
  expect(code === 64 ? err : '').toBe('');
  const written = readdirSync(folder).filter((file) => !before.has(file));
  return { out, err, ...Object.fromEntries(written.map((file) => [file, readFileSync(join(folder, file), 'utf8')])) };
}

let deployment: Awaited<ReturnType<typeof openDeployment>> | undefined;

beforeAll(() => {
  expect(names.length).toBeGreaterThan(100);
  expect(Object.keys(argumentsOf)).toEqual(expect.arrayContaining([...subcommands.keys()]));
});

test.each(cases)(
  'permissions $name as $format lets no name control a terminal, a page or a CI system',
  { timeout: 60_000 },
  async ({ name, format }) => {
    deployment = argumentsOf[name]?.includes('--url') ? await openDeployment(configOf(names.slice(0, 80))) : undefined;
    const folder = folderOf(files);
    const args = argumentsOf[name]?.map((arg) => (/^[\w.]+\.(?:json|log)$/.test(arg) ? join(folder, arg) : arg)) ?? [];
    const url = deployment === undefined ? [] : [deployment.url, '--token-file', join(deployment.folder, 'token')];
    const file = ['junit', 'lcov'].includes(format) ? [join(folder, `written.${format}`)] : [];
    const flag = format === 'text' ? [] : [`--${format}`, ...file];
    const outputs = await outputsOf(['permissions', name, ...args, ...url, ...flag], folder);
    for (const [where, text] of Object.entries(outputs))
      expect([where, obeyed.exec(text)?.[0]]).toEqual([where, undefined]);
    const { out = '' } = outputs;
    expect(out.length).toBeGreaterThan(10);
    if (format === 'json')
      for (const line of out.trim().split('\n').length > 1 && name === 'apply' ? out.trim().split('\n') : [out])
        JSON.parse(line);
    if (format === 'markdown') expect(out.match(/^ {0,3}(?:`{3,}|~{3,}).*$/gm)).toEqual(['````diff', '````']);
    if (format === 'junit') expect(outputs['written.junit']).not.toMatch(/<(?:script|img|!--)|" onload=|\]\]>/);
    // The commands of CI systems stand at the beginning of a line.
    expect(out).not.toMatch(/^::/m);
  },
);

// What is printed, and the files: a run takes a second.
test.each([[[]], [['--json', '--junit', 'a.xml', '--out', 'a.json']]])(
  'conformance %s',
  { timeout: 60_000 },
  async (flags) => {
    const some = names.filter((_, index) => index % 6 === 0);
    const { url, folder } = await openDeployment(configOf(some));
    writeFileSync(join(folder, 'known.json'), JSON.stringify([{ check: 'routing/\u202ex', reason: '\u009b31m' }]));
    const place = (arg: string) => (/^\w+\.\w+$/.test(arg) ? join(folder, arg) : arg);
    const words = [
      'conformance',
      '--url',
      url,
      '--token-file',
      join(folder, 'token'),
      '--users',
      userOf(some[1] ?? ''),
    ];
    const outputs = await outputsOf([...words, '--rate', '1000', '--known', 'known.json', ...flags].map(place), folder);
    expect(Object.keys(outputs).sort()).toEqual(
      [...flags.filter((flag) => flag.startsWith('a.')), 'err', 'out'].sort(),
    );
    for (const [where, text] of Object.entries(outputs))
      expect([where, obeyed.exec(text)?.[0]]).toEqual([where, undefined]);
  },
);

test('colors are the only escapes on a terminal', async () => {
  const folder = folderOf(files);
  const words = ['permissions', 'diff', join(folder, 'before.json'), join(folder, 'permissions.json')];
  const { out = '' } = await outputsOf(words, folder, { FORCE_COLOR: '1' });
  expect(out).toContain('\u001b[32m  + ');
  const plain = out.split('\n').map((line) => (line.startsWith('\u001b[3') ? line.slice(5, -4) : line));
  expect(plain.filter((line) => obeyed.test(line))).toEqual([]);
});
