import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { editPermissions } from '../../../src/permissions/files/edit-permissions.ts';
import {
  exportPermissions,
  lintPermissions,
  PermissionsError,
  type PermissionsState,
  plan,
  readPermissions,
} from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import { namedStateArb } from '../support/names.ts';

type Files = Readonly<Record<string, string>>;

const allow = (actions: readonly string[], resources: readonly string[]) =>
  ({ effect: 'Allow', actions, resources }) as const;
const all: Policy = { statements: [allow(['*'], ['*'])] };

const reading = (files: Files) => ({ read: (file: string) => files[file] ?? Promise.reject(new Error(file)) });

/** Edits files so that they hold what a function makes of their state; returns all files. */
async function edit(given: string | Files, change: (state: PermissionsState) => Partial<PermissionsState>) {
  const files = typeof given === 'string' ? { 'p.yaml': given } : given;
  const state = await readPermissions('p.yaml', reading(files));
  const edited = await editPermissions('p.yaml', { ...state, ...change(state) }, reading(files));
  return { ...edited, files: { ...files, ...Object.fromEntries(edited.texts) } };
}

test('changes of all kinds', async () => {
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
  const { files } = await edit(text, () => ({
    policies: new Map<string, Policy>([
      ['reader', { statements: [allow(['a:l'], ['*']), allow(['a:x'], ['b'])] }],
      ['other', { statements: [allow(['a:w'], ['x'])] }],
      ['fresh', { statements: [allow(['a:w'], ['x'])] }],
    ]),
    roles: new Map([['viewer', { policies: ['other'] }], ['new', { policies: ['fresh'] }]]),
    bindings: [
      { user: 'alice', role: 'viewer', scope: { statements: [allow(['*'], ['y'])] } },
      { user: 'carol', role: 'viewer', scope: { statements: [allow(['*'], ['a']), allow(['a:b'], ['b'])] } },
      { user: 'dan', role: 'new', scope: all },
    ],
  }));
  console.log(files['p.yaml']);
});
test('property', async () => {
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
        const files = { 'p.yaml': text };
        const { texts } = await editPermissions('p.yaml', there, reading(files));
        const after = texts.get('p.yaml') ?? text;
        const again = await editPermissions('p.yaml', there, reading({ 'p.yaml': after }));
        expect(again.items).toEqual([]);
        }), runsOf(300));
});
