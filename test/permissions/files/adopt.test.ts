import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  adoptPermissions,
  exportPermissions,
  PermissionsError,
  type PermissionsState,
  plan,
  readPermissions,
} from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import { namedStateArb } from '../support/names.ts';

const everywhere: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const writer: Policy = { statements: [{ effect: 'Allow', actions: ['a:w'], resources: ['*'] }] };

const deployment: PermissionsState = {
  policies: new Map([
    ['reader', writer],
    ['shop-old', writer],
    ['writer', writer],
  ]),
  roles: new Map([
    ['viewer', { policies: ['reader'] }],
    ['editor', { policies: ['reader', 'writer'] }],
    ['stale', { policies: ['shop-old'] }],
  ]),
  bindings: [
    { user: 'alice', role: 'viewer', scope: writer },
    { user: 'bob', role: 'editor', scope: everywhere },
    { user: 'team-eve', role: 'viewer', scope: everywhere },
  ],
  users: ['alice', 'bob', 'team-eve'],
};

const adopt = (text: string, state = deployment, others: Readonly<Record<string, string>> = {}) =>
  adoptPermissions('p.yaml', state, { read: (file) => ({ 'p.yaml': text, ...others })[file] ?? '' });

const readBack = (text: string) => readPermissions('p.yaml', { read: () => text });

/** The lines that were added, if all others are there in their order. */
function addedLines(before: string, after: string): string[] {
  const kept = before.split('\n');
  const added: string[] = [];
  for (const line of after.split('\n')) {
    if (line === kept[0]) kept.shift();
    else added.push(line);
  }
  expect(kept).toEqual([]);
  return added;
}

describe('adopt', () => {
  test('adds what no file defines or owns, and keeps comments, order, anchors and format', async () => {
    const text = `# Permissions of the shop
include: [more.yaml]   # the rest

roles:
    viewer: {policies: [ reader ]}   # looks
    # more roles here

manage: { policies: ["shop-*"], users: [team-*] }
policies:
    reader: &all
        description: >-
            Reads
            orders
        statements: [{effect: Allow, actions: [ "a:r" ],
                      resources: ["*"]}]

    # a comment of policies
# the end
`;
    const others = {
      'more.yaml': 'scopes: { all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }',
    };
    const { text: after, added, omitted, users } = await adopt(text, deployment, others);
    expect(after).toBe(
      `# Permissions of the shop
include: [more.yaml]   # the rest

roles:
    viewer: {policies: [ reader ]}   # looks
    # more roles here
    editor: { policies: [reader, writer] }

manage: { policies: ["shop-*"], users: [team-*] }
policies:
    reader: &all
        description: >-
            Reads
            orders
        statements: [{effect: Allow, actions: [ "a:r" ],
                      resources: ["*"]}]

    # a comment of policies
    writer:
      statements:
        - { effect: Allow, actions: ["a:w"], resources: ["*"] }
# the end

bindings:
  - { user: alice, role: viewer, scope: { statements: [{ effect: Allow, actions: ["a:w"], resources: ["*"] }] } }
  - { user: bob, role: editor, scope: all }
`,
    );
    expect(added.map((one) => one.name ?? `${one.user} ${one.role}`)).toEqual([
      'writer',
      'editor',
      'alice viewer',
      'bob editor',
    ]);
    expect(omitted).toEqual([
      { kind: 'role', name: 'stale', reason: 'names the policy "shop-old", which the files own and do not define' },
    ]);
    expect(users).toEqual(['alice', 'bob', 'team-eve']);
    expect((await adopt(after, deployment, others)).text).toBe(after);
  });

  test.each([
    ['an empty file', ''],
    ['a comment', '# none'],
    ['a document without content', '---\n# none\n'],
    ['a document with an end', '---\nroles: {}\n...\n# behind\n'],
    ['empty sections', 'policies: {} # none\nroles:\n  {}\nbindings: []'],
    ['an empty section with a comment', 'policies: {\n  # none\n}\n'],
    ['lists without an indent', 'bindings:\n- user: x\n  role: y\n  scope: { statements: [] }\n# end\nroles: {}\n'],
    [
      'flow collections',
      'bindings: [{ user: x, role: y, scope: { statements: [] } } ,]\npolicies: {\n a: {statements: []} # a\n , # b\n}\n',
    ],
    ['a flow collection on two lines', 'policies: { a: { statements: [] }, # a\n  b: { statements: [] } }\n'],
    ['lines that end with CR and LF', 'roles:\r\n  a: { policies: [] }\r\n# end\r\n'],
    ['a byte order mark', '\ufeffroles: { a: { policies: [] } }\n'],
    ['no line end', 'roles:\n  a:\n    policies: []\n    description: |+\n      x\n\n  b: { policies: [], scope:  }'],
    ['a block text at the end', 'policies:\n  a:\n    statements: []\n    description: |+\n      x\n\n\n'],
    ['JSON', '{"policies":{"a":{"statements":[]}},"bindings":[]}'],
    ['formatted JSON', JSON.stringify({ $schema: 'x', roles: { a: { policies: [] } }, policies: {} }, undefined, 4)],
    ['empty JSON', '{}'],
    ['empty JSON on lines', '{\n}\n'],
    ['an indented file', '  roles:\n    a: { policies: [] }\n  manage: {}\n'],
  ])('adds to %s', async (_, text) => {
    const before = await readBack(text);
    const { text: after } = await adopt(text);
    const read = await readBack(after);
    expect([...read.policies.keys()].sort()).toEqual(
      [...before.policies.keys(), 'reader', 'shop-old', 'writer'].sort(),
    );
    expect([...read.roles.keys()].sort()).toEqual([...before.roles.keys(), 'editor', 'stale', 'viewer'].sort());
    expect(read.bindings).toHaveLength(before.bindings.length + 3);
    expect((await adopt(after)).text).toBe(after);
    // Nothing but the brackets of empty collections, and commas, is not there any more.
    const marks = (one: string) => one.split(/[\s{}[\],]+/).filter((word) => word !== '');
    const words = marks(after);
    for (const word of marks(text)) {
      expect(words).toContain(word);
      words.splice(0, words.indexOf(word) + 1);
    }
    if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    if (text.startsWith('\ufeff')) expect(after).toMatch(/^\ufeff(?!\ufeff)/);
    if (text.trimStart().startsWith('{"')) expect(() => JSON.parse(after)).not.toThrow();
  });

  test.each([
    ['an alias', 'scopes: &s {}\npolicies: *s\n', '2:1'],
    ['a section that an alias repeats', 'policies: &p {}\nroles: {}\nscopes: *p\n', '1:1'],
  ])('refuses %s', async (_, text, place) => {
    const error: unknown = await adopt(text, { ...deployment, bindings: [] }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PermissionsError);
    expect(String(error)).toContain(`p.yaml:${place}: cannot be added to`);
  });

  test('refuses a file of custom resources, and leaves those of an included one to the operator', async () => {
    const role = `apiVersion: permission.arangodb.com/v1alpha1
kind: ArangoPermissionRole
metadata: { name: viewer }
spec: { deployment: { name: main } }
`;
    await expect(adopt(role)).rejects.toThrow('p.yaml:1:1: cannot be added to: it holds custom resources');
    const { added } = await adopt('include: [role.yaml]', deployment, { 'role.yaml': role });
    expect(added).toContainEqual({ kind: 'role', name: 'editor' });
    expect(added).not.toContainEqual({ kind: 'role', name: 'viewer' });
  });

  test('makes a file that has all of the deployment, whatever the names and the format', async () => {
    const jsonOf = (state: PermissionsState) => exportPermissions(state, { as: 'json' }).text;
    const quoted = {
      ...({ indent: 3, indentSeq: false, lineWidth: 0 } as const),
      ...({ defaultKeyType: 'QUOTE_DOUBLE', defaultStringType: 'QUOTE_DOUBLE' } as const),
    };
    // The library writes long keys in a form that it does not read.
    const stringified = (json: string) => (/.{1000}/.test(json) ? json : stringify(JSON.parse(json), quoted));
    const formats = [
      (state: PermissionsState) => exportPermissions(state).text,
      jsonOf,
      (state: PermissionsState) => JSON.stringify(JSON.parse(jsonOf(state))),
      (state: PermissionsState) => stringified(jsonOf(state)),
    ];
    await fc.assert(
      fc.asyncProperty(namedStateArb, namedStateArb, fc.constantFrom(...formats), async (owned, there, format) => {
        const text = format(owned);
        const before = await readBack(text);
        const { text: after, omitted } = await adopt(text, there);
        if (!text.startsWith('{') && !/[{[][}\]]$/m.test(text)) addedLines(text, after);
        const read = await readBack(after);
        for (const [name, policy] of before.policies) expect(read.policies.get(name)).toEqual(policy);
        for (const [name, role] of before.roles) expect(read.roles.get(name)).toEqual(role);
        expect(read.bindings.slice(0, before.bindings.length)).toEqual(before.bindings);
        const manage = { policies: ['*'], roles: ['*'], users: ['*'] };
        const { kept, changes } = plan(there, read, { manage });
        expect(kept).toHaveLength(omitted.length);
        for (const { action, name = '' } of changes) {
          if (action === 'update') continue;
          expect(before.policies.has(name) || before.roles.has(name) || name === '').toBe(true);
        }
        expect((await adopt(after, there)).text).toBe(after);
      }),
      runsOf(150),
    );
  });
});
