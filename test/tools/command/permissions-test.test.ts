import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { command } from './support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

write(
  'permissions.yaml',
  `policies:
  reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["order:*"] }] }
roles:
  viewer: { policies: [reader] }
bindings:
  - { user: alice, role: viewer, scope: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
  - { user: bob, role: viewer, scope: { statements: [] } }
`,
);
const ask = (effect: string) =>
  `expect:\n  - { user: alice, action: "orders:read", resource: "order:7", effect: ${effect} }\n`;
write('a.test.yaml', ask('Allow'));
write('b.test.yaml', 'nobody: [{ action: "orders:write", resource: "*" }]');
write('failing.yaml', ask('Deny'));
write('wrong.yaml', 'expects: []');
write('wrong-too.yaml', 'expect: [{ usr: a }]');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in the folder; in a process of its own if the run is thorough. */
async function permissionsTest(...args: readonly string[]): Promise<Ended> {
  const { code, out, err } = await command(['test', ...args], folder);
  return { code, stdout: out, stderr: err };
}

describe('arango-services permissions test', () => {
  test('runs the tests beside the file', async () => {
    const text = '2 passed, 0 failed.\nnobody: checked for the bindings of 2 known users.\n';
    expect(await permissionsTest()).toEqual({ code: 0, stdout: text, stderr: '' });
  });

  test('exits with 1 and the explanation if an expectation fails', async () => {
    const { code, stdout, stderr } = await permissionsTest('a.test.yaml', 'failing.yaml');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('FAILED failing.yaml:2:5: Deny: user "alice", "orders:read" on "order:7"\n');
    expect(stdout).toContain('at permissions.yaml:2:26 (policy "reader" statement 1)');
    expect(stdout).toContain('\n1 passed, 1 failed.\n');
  });

  test('prints the coverage', async () => {
    const { code, stdout } = await permissionsTest('--coverage');
    expect(code).toBe(0);
    expect(stdout).toContain('permissions.yaml:7:5: binding of user "bob" to role "viewer" decided nothing\n');
    expect(stdout).toContain('2 of 2 statements and 1 of 2 bindings decided something.');
  });

  test('writes JUnit XML and lcov, also of a failure, and prints JSON', async () => {
    const { code, stdout } = await permissionsTest('failing.yaml', '--junit', 'r.xml', '--lcov', 'l.info', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ passed: false, results: [{ file: 'failing.yaml', line: 2 }] });
    expect(readFileSync(join(folder, 'r.xml'), 'utf8')).toContain(
      '<testsuite name="failing.yaml" tests="1" failures="1"',
    );
    expect(readFileSync(join(folder, 'l.info'), 'utf8')).toContain(
      'SF:permissions.yaml\nDA:2,1\nDA:6,1\nDA:7,0\nLF:3\n',
    );
  });

  test.each([
    [
      'issues of all files of tests',
      ['wrong.yaml', 'wrong-too.yaml'],
      /wrong\.yaml:1:1: unknown field .*\n.*wrong-too\.yaml:1:/,
    ],
    ['a missing file of tests', ['none.test.yaml'], /none\.test\.yaml: there is no such file/],
    ['a missing file of permissions', ['--file', 'none.yaml'], /none\.yaml: there is no such file/],
    ['a report that cannot be written', ['--junit', 'none/r.xml'], /none\/r\.xml: cannot be written \(ENOENT\)/],
    ['an unknown flag', ['--coverag'], /--coverag: unknown flag \(did you mean "--coverage"\?\)/],
  ])('exits with 64 for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await permissionsTest(...args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('exits with 64 without tests', async () => {
    const lonely = mkdtempSync(join(folder, 'lonely-'));
    writeFileSync(join(lonely, 'p.yaml'), '');
    const { code, stderr } = await permissionsTest('--file', join(lonely, 'p.yaml'));
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('there is no *.test.yaml beside') });
  });

  test('has a help', async () => {
    const { code, stdout } = await permissionsTest('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: arango-services permissions test [files…] [flags]');
    expect(stdout).toContain('--junit <file>');
  });
});
