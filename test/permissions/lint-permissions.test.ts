import { describe, expect, test } from 'vitest';
import { formatFindings, lintPermissions } from '../../src/permissions/index.ts';
import { type LintRule, PolicyError } from '../../src/policy/index.ts';
import { partOf } from '../support/thorough.ts';

const lint = (text: string, others: Readonly<Record<string, string>> = {}, rules?: Partial<Record<LintRule, 'off'>>) =>
  lintPermissions('p/main.yaml', { read: (file) => ({ 'p/main.yaml': text, ...others })[file] ?? '', rules });

const linesOf = async (text: string, others: Readonly<Record<string, string>> = {}) =>
  formatFindings(await lint(text, others))
    .replaceAll('p/', '')
    .split('\n');

describe('the lint of files', () => {
  test('places findings at the text that they are about, through lists that a state sorts', async () => {
    const text = `
include: [more.yaml]
scopes:
  europe:
    statements:
      - { effect: Allow, actions: ["*"], resources: ["z", "a*b", "c"] }
policies:
  reader:
    statements:
      - effect: Allow
        actions: [z:z, "a*b:c"]
        resources: ["z*z", "y", "z*z", "b*b"]
      - { effect: Allow, actions: [], resources: ["*"] }
  idle: { statements: [] }
bindings:
  - { user: alice, role: viewer, scope: europe }
  - { user: bob, role: viewer, scope: europe }
  - { user: bob, role: veiwer, scope: { statements: [] } }
  - { user: root, role: "managed:predefined:super-admin", scope: europe }
`;
    const others = {
      'p/more.yaml':
        '# more\nroles:\n  viewer: { policies: ["managed:other", reader] }\n  lone:\n    policies: [idle]\n',
    };
    expect(await linesOf(text, others)).toEqual([
      'main.yaml:6:59: in "a*b" the "*" inside "a*b" is literal: it matches only a "*" (literal-star)',
      'main.yaml:11:24: in "a*b:c" the "*" inside "a*b" is literal: it matches only a "*" (literal-star)',
      'main.yaml:12:21: in "z*z" the "*" inside "z*z" is literal: it matches only a "*" (literal-star)',
      'main.yaml:12:40: in "b*b" the "*" inside "b*b" is literal: it matches only a "*" (literal-star)',
      'main.yaml:13:9: has no actions and never matches (empty-statement)',
      'main.yaml:18:24: no file has the role "veiwer" (did you mean "viewer"?); without it the binding grants nothing (missing-role)',
      'more.yaml:4:3: no binding uses this role (unused-role)',
    ]);
  });

  test('finds deceptive names, also those of scopes, at their places', async () => {
    const text = `
scopes: { \u0430ll: { statements: [] } }
policies: { "\u0430dmin": { statements: [] } }
roles: { r: { policies: ["\u0430dmin"] } }
bindings: [{ user: "\u0430lice", role: r, scope: \u0430ll }]
`;
    const mixed = 'mixes letters of Cyrillic and Latin (deceptive-name)';
    expect(await linesOf(text)).toEqual([
      `main.yaml:2:11: the name of this scope, "\u0430ll", ${mixed}`,
      `main.yaml:3:13: the name of this policy, "\u0430dmin", ${mixed}`,
      `main.yaml:5:20: the name of this user, "\u0430lice", ${mixed}`,
    ]);
    expect(await lint(text, {}, { 'deceptive-name': 'off' })).toEqual([]);
  });

  test('finds what makes a file invalid, at its place', async () => {
    expect(await lint('roles:\n  viewer: { policies: [reader], polices: [] }\n  other: 7\n')).toEqual([
      expect.objectContaining({ file: 'p/main.yaml', line: 2, column: 33, rule: 'invalid' }),
      expect.objectContaining({
        line: 3,
        column: 10,
        rule: 'invalid',
        message: expect.stringContaining('expected an object'),
      }),
    ]);
    expect(await linesOf('a:\n\tb: 1')).toEqual([expect.stringMatching(/^main\.yaml:2:1: .*tab.* \(invalid\)$/i)]);
    expect(await linesOf('roles: { viewer: { policies: [reader] } }')).toEqual([
      'main.yaml:1:31: no policy has the name "reader" (invalid)',
    ]);
  });

  test('finds the traps of custom resources among the others', async () => {
    const binding = `apiVersion: permission.arangodb.com/v1alpha1
kind: ArangoPermissionRoleUserBinding
metadata: { name: alice-viewer }
spec:
  deployment: { name: main }
  role: { name: viewer }
  userName: alice
  scope: { statements: [{ effect: Allow, actions: ["*"], resources: ["a*b"] }] }
`;
    expect(
      await linesOf('include: [bound.yaml]\nroles: { lone: { policies: [] } }', { 'p/bound.yaml': binding }),
    ).toEqual([
      'main.yaml:2:10: no binding uses this role (unused-role)',
      'bound.yaml:6:9: no file has the role "viewer"; without it the binding grants nothing (missing-role)',
      'bound.yaml:6:17: these files have no ArangoPermissionRole "viewer" (custom-resource)',
      'bound.yaml:8:70: in "a*b" the "*" inside "a*b" is literal: it matches only a "*" (literal-star)',
    ]);
  });

  test('leaves out rules that are off, and refuses unknown ones before it reads', async () => {
    const text = 'roles: { viewer: { policies: [] } }';
    expect(await lint(text)).toHaveLength(1);
    expect(await lint(text, {}, { 'unused-role': 'off' })).toEqual([]);
    const reads: string[] = [];
    const unknown = lintPermissions('p.yaml', {
      read: (file) => {
        reads.push(file);
        return text;
      },
      rules: { 'unused-rule': 'off' } as Partial<Record<LintRule, 'off'>>,
    });
    await expect(unknown).rejects.toThrow(PolicyError);
    const rules = { 'custom-resource': 'none' } as unknown as { readonly 'custom-resource': 'off' };
    await expect(lintPermissions('p.yaml', { read: () => text, rules })).rejects.toThrow(PolicyError);
    expect(reads).toEqual([]);
  });

  test('rejects with the error of the reader if the first file cannot be read', async () => {
    const failure = new Error('none');
    await expect(lintPermissions('p.yaml', { read: () => Promise.reject(failure) })).rejects.toBe(failure);
  });

  test('has findings as JSON and a text for none', () => {
    const finding = { file: 'a\u001b.yaml', line: 1, column: 2, rule: 'invalid', message: 'm' } as const;
    expect(formatFindings([])).toBe('No findings.');
    expect(formatFindings([finding])).toBe('a\ufffd.yaml:1:2: m (invalid)');
    expect(JSON.parse(formatFindings([finding], 'json'))).toEqual({ findings: [finding] });
  });
});

test('finds items outside the manage of their own file, by kind', async () => {
  const text = `
include: [more.yaml]
policies: { a-x: { statements: [] }, b: { statements: [] } }
roles: { r: { policies: [a-x, b, c] } }
bindings: [{ user: u, role: r, scope: { statements: [] } }]
manage: { policies: ["a-*"], users: ["v"] }
`;
  const others = { 'p/more.yaml': 'policies: { c: { statements: [] } }\n' };
  const found = (await lint(text, others)).filter(({ rule }) => rule === 'outside-manage');
  expect(found.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
    '3:38 "manage" of this file does not own the policy "b": add it, or define it elsewhere',
    '5:12 "manage" of this file does not own the binding of user "u" to role "r": add it, or define it elsewhere',
  ]);
  const off = await lintPermissions('p/main.yaml', {
    read: (file) => ({ 'p/main.yaml': text, ...others })[file] ?? '',
    rules: { 'outside-manage': 'off' },
  });
  expect(off.some(({ rule }) => rule === 'outside-manage')).toBe(false);
});

describe('values that the services do not take', () => {
  const reader = { effect: 'Allow', actions: ['a:x'], resources: ['x'] } as const;
  const large = { statements: [{ ...reader, resources: ['ü'.repeat(1_100_000), 'x'.repeat(2_000_000)] }] };
  const size = 'holds more than 4 MiB of text, the most that the services take in a message';

  test.each([
    ['a description', { policies: { p: { statements: [], description: 'a\ud800' } } }, 'holds a lone surrogate'],
    [
      'the description of a statement',
      { policies: { p: { statements: [{ ...reader, description: '\udc00' }] } } },
      'holds a lone surrogate',
    ],
    ['the description of a role', { roles: { r: { policies: [], description: '\ud800' } } }, 'holds a lone surrogate'],
    [
      'a resource',
      { policies: { p: { statements: [{ ...reader, resources: ['\ud800'] }] } } },
      'holds a lone surrogate',
    ],
    ['a policy', { policies: { p: large } }, size],
    ['a scope', { scopes: { s: large } }, size],
    [
      'the scope of a binding',
      { roles: { r: { policies: [] } }, bindings: [{ user: 'u', role: 'r', scope: large }] },
      size,
    ],
  ])('%s is named with its place', async (_, content, message) => {
    const text = JSON.stringify(content, null, 1);
    const [finding, ...others] = await lintPermissions('permissions.json', { read: () => text });
    expect([finding?.rule, finding?.message, others]).toEqual(['invalid', message, []]);
    const line = text.split('\n')[(finding?.line ?? 0) - 1];
    expect(line).toMatch(message === size ? /"p"|"s"|\{/ : /\\ud|\\udc/);
  });

  test('a policy just below 4 MiB is accepted', async () => {
    // A release tries as many texts as such a policy may have, which takes seconds.
    const count = partOf(5_000, 500);
    const [y, z] = ['y', 'z'].map((letter) => letter.repeat(2_050_000 / count)) as [string, string];
    const statements = Array(count).fill({ ...reader, resources: [y], description: z });
    const read = () => JSON.stringify({ policies: { p: { statements } } });
    expect(await lintPermissions('permissions.json', { read })).toMatchObject([{ rule: 'unused-policy' }]);
  });
});
