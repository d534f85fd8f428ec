// Files that are edited so that they hold other items: what changes, and all that stays.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { editPermissions } from '../../../src/permissions/files/edit-permissions.ts';
import {
  exportPermissions,
  lintPermissions,
  PermissionsError,
  type PermissionsState,
  readPermissions,
} from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import { namedStateArb } from '../support/names.ts';

type Files = Readonly<Record<string, string>>;
type Change = (state: PermissionsState) => Partial<PermissionsState>;

const allow = (actions: readonly string[], resources: readonly string[]) =>
  ({ effect: 'Allow', actions, resources }) as const;
const all: Policy = { statements: [allow(['*'], ['*'])] };
const reading = (files: Files) => ({ read: (file: string) => files[file] ?? Promise.reject(new Error(file)) });

/** Edits files so that they hold what a function makes of their state; returns all files. */
async function edit(given: string | Files, change: Change) {
  const files = typeof given === 'string' ? { 'p.yaml': given } : given;
  const state = await readPermissions('p.yaml', reading(files));
  const edited = await editPermissions('p.yaml', { ...state, ...change(state) }, reading(files));
  const after: Files = { ...files, ...Object.fromEntries(edited.texts) };
  return { ...edited, files: after, text: after['p.yaml'] };
}

const without =
  (...users: readonly string[]): Change =>
  ({ bindings }) => ({ bindings: bindings.filter(({ user }) => !users.includes(user)) });

test('items are removed, narrowed and added where they stand, and everything else stays as it is', async () => {
  const text = `# Permissions of the shop
roles:
    viewer: {policies: [ reader, other ]}   # looks
    # goes with gone
    gone:
      policies:
        - reader # one
    # more roles here
manage: { policies: ["*"], users: [alice] }
policies:
    reader: &all
        description: >-
            Reads
            orders
        statements: [{effect: Allow, actions: [ "a:r", a:l ],
                      resources: ["*"]}]

    # a comment of policies
    other:
      statements:
        # first
        - effect: Allow # an effect
          actions:
            # reading
            - a:r # r
            - a:w # w
          resources: ["*"]
          description: kept
        # second
        - { effect: Deny, actions: ["a:x"], resources: ["*"] }
bindings:
  # heading
  - { user: alice, role: viewer, scope: all }
  - { user: bob, role: viewer, scope: all } # bob
  - user: carol
    role: viewer
    scope:
      statements:
        - { effect: Allow, actions: ["*"], resources: [a] }
scopes: { all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
`;
  const edited = await edit(text, () => ({
    policies: new Map<string, Policy>([
      ['reader', { statements: [allow(['a:l'], ['*']), allow(['a:x'], ['b'])] }],
      ['other', { statements: [allow(['a:w'], ['x'])] }],
      ['fresh', { statements: [allow(['a:w'], ['x'])] }],
    ]),
    roles: new Map([
      ['viewer', { policies: ['other'] }],
      ['new', { policies: ['fresh'] }],
    ]),
    bindings: [
      { user: 'alice', role: 'viewer', scope: { statements: [allow(['*'], ['y:z'])] } },
      { user: 'carol', role: 'viewer', scope: { statements: [allow(['*'], ['a']), allow(['a:b'], ['b'])] } },
      { user: 'dan', role: 'new', scope: all },
    ],
  }));
  expect(edited.text).toBe(`# Permissions of the shop
roles:
    viewer: {policies: [ other ]}   # looks
    # more roles here
    new: { policies: [fresh] }
manage: { policies: ["*"], users: [alice, dan] }
policies:
    reader: &all
        description: >-
            Reads
            orders
        statements: [{effect: Allow, actions: [ a:l ],
                      resources: ["*"]}, { effect: Allow, actions: ["a:x"], resources: [b] }]

    # a comment of policies
    other:
      statements:
        # first
        - effect: Allow # an effect
          actions:
            # reading
            - a:w # w
          resources: [x]
          description: kept
    fresh:
      statements:
        - { effect: Allow, actions: ["a:w"], resources: [x] }
bindings:
  # heading
  - { user: alice, role: viewer, scope: { statements: [{ effect: Allow, actions: ["*"], resources: ["y:z"] }] } }
  - user: carol
    role: viewer
    scope:
      statements:
        - { effect: Allow, actions: ["*"], resources: [a] }
        - { effect: Allow, actions: ["a:b"], resources: [b] }
  - { user: dan, role: new, scope: all }
scopes: { all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
`);
  expect(edited.items.map(({ action, kind, name, user, role }) => [action, kind, name ?? `${user} ${role}`])).toEqual([
    ['delete', 'role', 'gone'],
    ['delete', 'binding', 'bob viewer'],
    ['update', 'policy', 'reader'],
    ['update', 'policy', 'other'],
    ['create', 'policy', 'fresh'],
    ['update', 'role', 'viewer'],
    ['create', 'role', 'new'],
    ['update', 'binding', 'alice viewer'],
    ['update', 'binding', 'carol viewer'],
    ['create', 'binding', 'dan new'],
  ]);
});

const bound = (user: string) => `{ user: ${user}, role: r, scope: { everything: true } }`;
const json = (...users: readonly string[]) => users.map((user) => ({ user, role: 'r', scope: { everything: true } }));

describe('bindings are removed', () => {
  test.each([
    [
      'with the comment of the last of a run, and not with one of a blank line apart',
      `bindings:\n  # one\n  - ${bound('a')}\n\n  # two\n\n  # three\n  - ${bound('b')}\n  # four\n  - ${bound('c')}\n`,
      `bindings:\n\n  # two\n\n  # four\n  - ${bound('c')}\n`,
    ],
    [
      'and the comment above a run stays for the rest of it',
      `bindings:\n  # run\n  - ${bound('a')}\n  - ${bound('c')}\n  - ${bound('b')} # b\n`,
      `bindings:\n  # run\n  - ${bound('c')}\n`,
    ],
    [
      'all, so that an empty list is left, in a block',
      `bindings: # people\n  - ${bound('a')}\n  # and\n  - ${bound('b')}\nroles: { r: { policies: [] } }\n`,
      `bindings: [] # people\nroles: { r: { policies: [] } }\n`,
    ],
    [
      'of a block without indentation and a last line without an end',
      `bindings:\r\n- ${bound('c')}\r\n- ${bound('a')}`,
      `bindings:\r\n- ${bound('c')}\r\n`,
    ],
    [
      'from the middle and the end of a list on one line',
      `bindings: [${bound('a')}, ${bound('c')}, ${bound('b')} ] # all\n`,
      `bindings: [${bound('c')} ] # all\n`,
    ],
    ['all, of a list on one line', `bindings: [ ${bound('a')}, ${bound('b')} ]\n`, 'bindings: []\n'],
    [
      'of a list on several lines with a trailing comma',
      `bindings: [\n  ${bound('a')}, # a\n  ${bound('c')}, # c\n  ${bound('b')},\n]\n`,
      `bindings: [\n  ${bound('c')},\n]\n`,
    ],
    [
      'of a dash on a line of its own, and of an anchor',
      `bindings:\n  -\n    ${bound('a')}\n  - &x ${bound('b')}\n  - ${bound('c')}\n`,
      `bindings:\n  - ${bound('c')}\n`,
    ],
    ['of JSON', JSON.stringify({ bindings: json('a', 'c', 'b') }), JSON.stringify({ bindings: json('c') })],
    [
      'of JSON on lines, behind a byte order mark',
      `\ufeff${JSON.stringify({ bindings: json('c', 'a', 'b') }, undefined, 2)}\n`,
      `\ufeff${JSON.stringify({ bindings: json('c') }, undefined, 2)}\n`,
    ],
  ])('%s', async (_, before, after) => {
    expect((await edit(before, without('a', 'b'))).text).toBe(after);
  });
});

describe('a block text above a removed item', () => {
  const policy = '    statements: []\n';
  const edited = (after: string) =>
    edit(`policies:\n  p:\n${policy}    description: |+\n      text\n  q:\n${policy}${after}`, ({ policies }) => ({
      policies: new Map([...policies].filter(([name]) => name !== 'q')),
    }));

  test('does not take over a comment that is indented below the item', async () => {
    const { text } = await edited(`      # of q\n        # and more\n  # of r\n  r:\n${policy}`);
    expect(text).toBe(`policies:\n  p:\n${policy}    description: |+\n      text\n  # of r\n  r:\n${policy}`);
  });

  test('is refused if it would take over an empty line', async () => {
    const message = 'p.yaml:2:3: cannot be edited: an alias or a block text would change the policy "p"';
    await expect(edited(`\n  r:\n${policy}`)).rejects.toThrow(message);
  });
});

describe('a list is edited', () => {
  const policyOf = (actions: string, more = '') =>
    `policies:\n  p:\n    statements:\n      - effect: Allow\n        actions: ${actions}\n        resources: [x]\n${more}`;
  const narrowed = async (actions: string, ...wanted: readonly string[]) =>
    (await edit(policyOf(actions), () => ({ policies: new Map([['p', { statements: [allow(wanted, ['x'])] }]]) })))
      .text;

  test('a name is taken out or replaced, in a block and on one line', async () => {
    expect(await narrowed('["a:b", a:c, "a:d"]', 'a:c')).toBe(policyOf('[a:c]'));
    expect(await narrowed('["a:*", a:c] # c', 'a:c', 'a:x')).toBe(policyOf('[a:c, "a:x"] # c'));
    expect(await narrowed('["a:*"] # c', 'a:c', 'a:x')).toBe(policyOf('["a:c", "a:x"] # c'));
    expect(await narrowed('\n        - a:* # all\n        - a:c\n        # d', 'a:c', 'a:x')).toBe(
      policyOf('\n        - a:c\n        - "a:x"\n        # d'),
    );
    expect(await narrowed('# these\n        - a:* # all', 'a:c')).toBe(policyOf('["a:c"] # these'));
  });

  test('a statement that becomes several keeps the first in its place, and a lost Deny goes', async () => {
    const text = policyOf(
      '["*"]',
      '        description: wide\n      - { effect: Deny, actions: ["a:x"], resources: [x] }\n',
    );
    const wanted = { statements: [allow(['a:b'], ['x']), allow(['a:c'], ['x']), allow(['b:c'], ['y'])] };
    expect((await edit(text, () => ({ policies: new Map([['p', wanted]]) }))).text).toBe(
      policyOf(
        '["a:b"]',
        '        description: wide\n' +
          '      - { effect: Allow, actions: ["a:c"], resources: [x] }\n' +
          '      - { effect: Allow, actions: ["b:c"], resources: ["y"] }\n',
      ),
    );
  });

  test('a scope that is a name or a short form becomes a policy, or the name of an equal scope', async () => {
    const text = `scopes:\n  x: { statements: [{ effect: Allow, actions: ["*"], resources: [x] }] }
bindings:\n  - { user: a, role: r, scope: x }\n  - user: b\n    role: r\n    scope:\n      database: shop\n      # none\n`;
    const other = { statements: [allow(['a:b'], ['y'])] };
    const x = { statements: [allow(['*'], ['x'])] };
    const { text: after } = await edit(text, () => ({
      bindings: [
        { user: 'a', role: 'r', scope: other },
        { user: 'b', role: 'r', scope: x },
      ],
    }));
    expect(after).toContain(
      '  - { user: a, role: r, scope: { statements: [{ effect: Allow, actions: ["a:b"], resources: ["y"] }] } }\n' +
        '  - user: b\n    role: r\n    scope: x\n      # none\n',
    );
  });
});

describe('a new item goes to', () => {
  const role = { policies: [] };
  const files = {
    'p.yaml': 'include: [one.yaml, two.yaml]\nmanage: { users: [a], roles: [boss] }\n',
    'one.yaml': `roles: { one-a: { policies: [] } }\nbindings: [{ user: b, role: one-a, scope: { everything: true } }]
manage: { roles: ["one-*"] }\n`,
    'two.yaml': 'manage: { users: ["two-*"], policies: ["two-*"] }\n',
  };
  const added = async (name: string, user: string) => {
    const edited = await edit(files, ({ roles, bindings }) => ({
      roles: new Map([...roles, [name, role]]),
      bindings: [...bindings, { user, role: name, scope: all }],
    }));
    const findings = await lintPermissions('p.yaml', { ...reading(edited.files), rules: { 'empty-role': 'off' } });
    expect(findings.filter(({ rule }) => rule !== 'unused-role')).toEqual([]);
    const lines = Object.entries(edited.files).flatMap(([file, text]) => {
      const before = files[file as keyof typeof files].split('\n');
      return text
        .split('\n')
        .flatMap((line) => (line === '' || before.includes(line) ? [] : `${file}: ${line.trim()}`));
    });
    return lines;
  };

  test('the file that owns it, not that of its users', async () => {
    expect(await added('one-b', 'two-z')).toEqual([
      'one.yaml: roles: { one-a: { policies: [] }, one-b: { policies: [] } }',
      'two.yaml: bindings:',
      expect.stringContaining('two.yaml: - { user: two-z, role: one-b,'),
    ]);
  });

  test('the file with its users, which owns its name from then on', async () => {
    expect(await added('other', 'b')).toEqual([
      'one.yaml: roles: { one-a: { policies: [] }, other: { policies: [] } }',
      expect.stringMatching(/one\.yaml: bindings: .*\{ user: b, role: other,/),
      'one.yaml: manage: { roles: ["one-*", other] }',
    ]);
  });

  test('the first file, if no file has its user', async () => {
    expect(await added('other', 'z')).toEqual([
      'p.yaml: manage: { users: [a, z], roles: [boss, other] }',
      'p.yaml: roles:',
      'p.yaml: other: { policies: [] }',
      'p.yaml: bindings:',
      expect.stringContaining('p.yaml: - { user: z, role: other,'),
    ]);
  });

  test('the file that owns the bindings of its role, and not that of its user', async () => {
    const shared = {
      ...files,
      'two.yaml': 'manage: { roles: ["two-*"], bindings: { roles: ["two-*"] } }\n',
      'p.yaml': 'include: [one.yaml, two.yaml]\nmanage: { users: ["*"] }\n',
      'one.yaml': 'roles: { one-a: { policies: [] } }\nmanage: { roles: ["one-*"], bindings: { roles: [boss] } }\n',
    };
    const change = (role: string): Change => {
      return ({ bindings }) => ({ bindings: [...bindings, { user: 'a', role, scope: all }] });
    };
    expect([...(await edit(shared, change('two-b'))).texts.keys()]).toEqual(['two.yaml']);
    expect([...(await edit(shared, change('other'))).texts.keys()]).toEqual(['p.yaml']);
    const alone = { 'p.yaml': 'roles: { other: { policies: [] } }\nmanage: { bindings: { roles: [boss] } }\n' };
    const { text } = await edit(alone, change('other'));
    expect(text).toContain('manage: { bindings: { roles: [boss, other] } }\n');
  });
});

describe('refused with the place', () => {
  const shared = '{ statements: [{ effect: Allow, actions: ["a:b"], resources: ["*"] }] }';
  const narrow = { statements: [allow(['a:b'], ['x'])] };
  const change: Change = ({ policies }) => ({ policies: new Map([...policies, ['p', narrow]]) });

  test('an item that an alias repeats, and not one that is an alias itself', async () => {
    const text = `policies:\n  p: &p ${shared}\n  q: *p\n`;
    const error: unknown = await edit(text, change).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PermissionsError);
    expect(String(error)).toContain(
      'p.yaml:3:3: cannot be edited: an alias or a block text would change the policy "q"; name a new file, or write it out',
    );
    const own = await edit(text.replace('p: &p', 'o: &p').replace('q: *p', 'p: *p # c'), change);
    expect(own.text).toContain('\n  p: { statements: [{ effect: Allow, actions: ["a:b"], resources: [x] }] } # c\n');
  });

  test('an anchor that goes although something names it', async () => {
    const text = `policies:\n  p: &p ${shared}\n  q: *p\n`;
    const removed = edit(text, ({ policies }) => ({
      policies: new Map([...policies].filter(([name]) => name !== 'p')),
    }));
    await expect(removed).rejects.toThrow('p.yaml:2:6: cannot be edited: the result names an anchor that is not');
  });

  test('a first file of custom resources, and in an include of them what the operator makes', async () => {
    const resource = `apiVersion: permission.arangodb.com/v1alpha1
kind: ArangoPermissionRole
metadata: { name: viewer }
spec: { deployment: { name: main } }
`;
    await expect(edit(resource, () => ({}))).rejects.toThrow('p.yaml:1:1: cannot be edited: it holds custom resources');
    const files = { 'p.yaml': 'include: [r.yaml]\n', 'r.yaml': resource };
    const { texts, omitted } = await edit(files, () => ({ roles: new Map() }));
    expect(texts.size).toBe(0);
    expect(omitted).toMatchObject([{ kind: 'role', reason: 'a custom resource makes it: edit that' }]);
  });
});

describe('whatever the names and the format', () => {
  const jsonOf = (state: PermissionsState) => exportPermissions(state, { as: 'json' }).text;
  const quoted = {
    ...({ indent: 3, indentSeq: false, lineWidth: 0 } as const),
    ...({ defaultKeyType: 'QUOTE_DOUBLE', defaultStringType: 'QUOTE_DOUBLE' } as const),
  };
  // The library writes long keys in a form that it does not read.
  const stringified = (text: string) => (/.{1000}/.test(text) ? text : stringify(JSON.parse(text), quoted));
  const formats = [
    (state: PermissionsState) => exportPermissions(state).text,
    jsonOf,
    (state: PermissionsState) => JSON.stringify(JSON.parse(jsonOf(state))),
    (state: PermissionsState) => stringified(jsonOf(state)),
  ];

  /** A state with some of the items of one, some of them with the content of another. */
  function mixed(owned: PermissionsState, other: PermissionsState, picks: readonly number[]): PermissionsState {
    let at = 0;
    const pick = () => picks[at++ % picks.length] ?? 0;
    const [first] = other.policies.values();
    const statementsOf = (policy: Policy): Policy => ({
      statements: [...policy.statements.filter(() => pick() > 1), ...(pick() > 2 && first ? first.statements : [])],
    });
    const policies = new Map([...owned.policies].map(([name, policy]) => [name, statementsOf(policy)]));
    const names = new Set([...policies.keys()]);
    const roles = [...owned.roles].filter(() => pick() > 0);
    const ofRoles = roles.map(([name, role]) => {
      const policiesOfRole = role.policies.filter((policy) => names.has(policy) && pick() > 0);
      return [name, { ...role, policies: policiesOfRole }] as const;
    });
    const bindings = [...owned.bindings, ...other.bindings].filter(() => pick() > 0);
    return { ...owned, policies, roles: new Map(ofRoles), bindings };
  }

  test('the files hold what they shall, and editing them again changes nothing', async () => {
    const stateArb = fc.tuple(namedStateArb, namedStateArb, fc.array(fc.nat(3), { minLength: 5, maxLength: 30 }));
    await fc.assert(
      fc.asyncProperty(
        stateArb,
        fc.constantFrom(...formats),
        fc.boolean(),
        async ([owned, other, picks], format, mix) => {
          const text = format(owned);
          const desired = mix ? mixed(owned, other, picks) : other;
          const { texts } = await editPermissions('p.yaml', desired, reading({ 'p.yaml': text }));
          const after = texts.get('p.yaml') ?? text;
          const again = await editPermissions('p.yaml', desired, reading({ 'p.yaml': after }));
          expect([again.items, again.texts.size]).toEqual([[], 0]);
          if (text.startsWith('{')) expect(() => JSON.parse(after)).not.toThrow();
        },
      ),
      runsOf(150),
    );
  });

  test('each line of an item that stays is there, with its comment', async () => {
    await fc.assert(
      fc.asyncProperty(namedStateArb, fc.nat(), async (state, at) => {
        const text = exportPermissions(state).text.replaceAll(/(?<=\S)$/gm, ' # own');
        const { bindings } = await readPermissions('p.yaml', reading({ 'p.yaml': text }));
        const gone = bindings[at % Math.max(bindings.length, 1)];
        const edited = await edit(text, () => ({ bindings: bindings.filter((one) => one !== gone) }));
        const left = text.split('\n');
        for (const line of edited.text?.split('\n') ?? []) {
          const index = left.indexOf(line.replace(/^bindings: \[\]/, 'bindings:'));
          expect(index).toBeGreaterThanOrEqual(0);
          left.splice(index, 1);
        }
        expect(left.every((line) => line.startsWith('  '))).toBe(true);
      }),
      runsOf(60),
    );
  });
});
