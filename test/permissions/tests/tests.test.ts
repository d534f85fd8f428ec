import { describe, expect, test } from 'vitest';
import {
  formatTests,
  type Permissions,
  PermissionsError,
  readPermissions,
  readTests,
  runTests,
} from '../../../src/permissions/index.ts';

const shop = `
scopes:
  europe: { statements: [{ effect: Allow, actions: ["*"], resources: ["order:eu:*"] }] }
policies:
  reader:
    statements:
      - { effect: Allow, actions: ["orders:read"], resources: ["order:*"] }
      - { effect: Deny, actions: ["*"], resources: ["order:*:secret"] }
  owner: { statements: [{ effect: Allow, actions: ["orders:*"], resources: ["order:*"] }] }
roles:
  viewer: { policies: [reader] }
  admin: { policies: [owner] }
bindings:
  - { user: alice, role: viewer, scope: europe }
  - { user: bob, role: admin, scope: europe }
`;

const permissions = (text = shop): Promise<Permissions> => readPermissions('shop.yaml', { read: () => text });
const tests = (text: string) => readTests('shop.test.yaml', { read: () => text });
const run = async (text: string, state = permissions()) => runTests(await state, [await tests(text)]);

/** The issues of reading or running tests, as `line:column message`. */
async function issuesOf(text: string): Promise<string[]> {
  const error: unknown = await run(text).catch((thrown) => thrown);
  if (!(error instanceof PermissionsError)) throw new Error('it was accepted', { cause: error });
  return error.issues.map(({ file, line, column, message }) => {
    expect(file).toBe('shop.test.yaml');
    return `${line}:${column} ${message}`;
  });
}

const failures = (report: Awaited<ReturnType<typeof run>>) =>
  report.results.flatMap(({ passed, line, column }) => (passed ? [] : `${line}:${column}`));

const ask = (user: string, action: string, resource: string, effect: string) =>
  `- { user: ${user}, action: "${action}", resource: "${resource}", effect: ${effect} }`;

describe('expectations', () => {
  test('pass and fail by the decision, each at its place', async () => {
    const report = await run(`expect:
  ${ask('alice', 'orders:read', 'order:eu:7', 'Allow')}
  ${ask('alice', 'orders:read', 'order:us:7', 'Allow')}
  ${ask('alice', 'orders:read', 'order:us:7', 'Deny')}
  ${ask('bob', 'orders:write', 'order:eu:7', 'Deny')}
  ${ask('eve', 'orders:read', '', 'Deny')}
`);
    expect(failures(report)).toEqual(['3:5', '5:5']);
    expect(report).toMatchObject({ passed: false, users: ['alice', 'bob'] });
  });

  test('of a table are one for each cell', async () => {
    const report = await run(`tables:
  - resource: order:eu:7
    actions: ["orders:read", "orders:write"]
    users:
      alice: [Allow, Deny]
      bob: [Allow, Deny]
      eve: [Deny, Deny]
`);
    expect(report.results).toHaveLength(6);
    expect(failures(report)).toEqual(['6:20']);
  });

  test('print the explanation, the reason, and the places of tests, statements and bindings', async () => {
    const report = await run(`expect:
  - user: alice
    action: orders:read
    resource: order:eu:secret
    effect: Allow
    because: |-
      auditors
      \u001b[31mread all
`);
    expect(formatTests(report)).toBe(`FAILED shop.test.yaml:2:5: Allow: user "alice", "orders:read" on "order:eu:secret"
    because auditors
    \ufffd[31mread all
    Deny: user "alice", "orders:read" on "order:eu:secret": nothing allows it, and an explicit Deny matched
    - bound to role "viewer": an explicit Deny
        policy "reader" statement 2: Deny * on order:*:secret
        scope statement 1: Allow * on order:eu:*
      at shop.yaml:14:5 (binding to role "viewer")
      at shop.yaml:8:9 (policy "reader" statement 2)

0 passed, 1 failed.`);
  });

  test('count the given bindings of their own file only', async () => {
    const expectation = (effect: string) => `expect:\n  ${ask('eve', 'orders:read', 'order:eu:7', effect)}`;
    const inline = '{ statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }';
    const report = runTests(await permissions(), [
      await tests(`given: [{ user: eve, role: viewer, scope: europe }]\n${expectation('Allow')}`),
      await tests(expectation('Deny')),
      await tests(`given: [{ user: eve, role: viewer, scope: ${inline} }]\n${expectation('Allow')}`),
    ]);
    expect(report.results.map(({ passed }) => passed)).toEqual([true, true, true]);
  });

  test('follow the fidelity', async () => {
    const files = [await tests(`expect:\n  ${ask('a', 'orders:read', 'order:eu:7', 'Allow')}`)];
    const { policies, roles, scopes } = await permissions();
    const bindings = [{ user: 'a:b', role: 'viewer', scope: scopes.get('europe') }];
    const state = { policies, roles, bindings, users: 'all' } as const;
    expect(runTests(state, files).passed).toBe(false);
    expect(runTests(state, files, { fidelity: 'sidecar' }).passed).toBe(true);
  });
});

test('questions about users whose bindings a state does not know are refused', async () => {
  const { policies, roles, bindings } = await permissions();
  const state = { policies, roles, bindings, users: ['alice'] };
  const ask = (user: string) =>
    tests(`expect: [{ user: ${user}, action: "orders:read", resource: "order:us:7", effect: Deny }]`);
  expect(runTests(state, [await ask('alice')]).passed).toBe(true);
  const asked = await ask('eve');
  expect(() => runTests(state, [asked])).toThrow(
    'shop.test.yaml:1:10: the bindings of user "eve" are not known: name the user to readState',
  );
});

describe('an entry of `nobody`', () => {
  const nobody = (fields: string) => run(`nobody:\n  - { action: "orders:write", resource: "order:*", ${fields} }`);

  test('finds access that no question asked for, with a witness and its explanation', async () => {
    const report = await nobody('because: orders are history');
    expect(failures(report)).toEqual(['2:5']);
    const text = formatTests(report);
    expect(text).toContain(
      'FAILED shop.test.yaml:2:5: nobody: orders:write on order:*\n    because orders are history\n',
    );
    expect(text).toContain('user "bob" of role "admin" has orders:write on order:eu:*');
    expect(text).toContain('Allow: user "bob", "orders:write" on "order:eu:x": granted');
    expect(text).toContain('at shop.yaml:9:25 (policy "owner" statement 1)');
    expect(text).not.toContain('role "admin":\n');
    expect(text.endsWith('nobody: checked for the bindings of 2 known users.')).toBe(true);
  });

  test.each([
    ['exceptUsers: [bob]', true],
    ['exceptUsers: [alice]', false],
    ['exceptUsers: []', false],
    ['exceptRoles: [admin]', true],
    ['exceptRoles: [viewer]', false],
    ['exceptUsers: [alice], exceptRoles: [admin]', true],
  ])('with %s: %s', async (fields, passed) => {
    expect((await nobody(fields)).passed).toBe(passed);
  });

  test('names its exceptions', async () => {
    const { results } = await nobody('exceptUsers: [alice, eve], exceptRoles: [viewer]');
    expect(results[0]?.name).toBe('nobody: orders:write on order:*, except users "alice", "eve" and roles "viewer"');
  });

  test('excepts what a role gives, not all that its members have', async () => {
    const given =
      'given: [{ user: bob, role: viewer, scope: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }]';
    const report = await run(`${given}\nnobody: [{ action: "*", resource: "order:us:*", exceptRoles: [admin] }]`);
    expect(failures(report)).toEqual(['2:10']);
    expect(formatTests(report)).toContain('user "bob" of role "viewer" has orders:read on order:us:*');
  });

  test('is exact: a Deny that covers the region leaves nothing', async () => {
    const region = (resource: string) => `nobody: [{ action: "*", resource: "${resource}", exceptUsers: [bob] }]`;
    expect((await run(region('order:eu:secret'))).passed).toBe(true);
    expect((await run(region('order:eu:public'))).passed).toBe(false);
  });

  test('of a state with all bindings names no limit', async () => {
    const report = runTests({ ...(await permissions()), users: 'all' }, [
      await tests('nobody: [{ action: "orders:read", resource: "x:*" }]'),
    ]);
    expect(formatTests(report)).toBe('1 passed, 0 failed.');
  });
});

describe('bad input names the line and the column', () => {
  test.each([
    ['nothing to test', 'given: []', '1:1 tests nothing: expected entries of `expect`, `tables` or `nobody`'],
    [
      'an unknown field',
      'expects: []',
      /^1:1 unknown field "expects" \(did you mean "expect"\?\); accepted are \$schema, fresh, given, /,
    ],
    [
      'an unknown field of an expectation',
      'expect: [{ user: a, acton: "a:b", action: "a:b", resource: r, effect: Deny }]',
      /^1:21 unknown field "acton" \(did you mean "action"\?\)/,
    ],
    ['a missing field', 'expect: [{ user: a, action: "a:b", resource: r }]', '1:10 the field "effect" is missing'],
    ['an effect', `expect:\n  ${ask('a', 'a:b', 'r', 'allow')}`, '2:54 expected Allow or Deny, got "allow"'],
    [
      'a wildcard in an action',
      `expect:\n  ${ask('a', 'a:*', 'r', 'Deny')}`,
      /^2:24 must name one action, without "\*"/,
    ],
    ['a wildcard in a resource', `expect:\n  ${ask('a', 'a:b', 'r:*', 'Deny')}`, /^2:41 must name one resource/],
    ['an action of one part', `expect:\n  ${ask('a', 'a', 'r', 'Deny')}`, '2:24 must be "<namespace>:<name>"'],
    ['a pattern', 'nobody: [{ action: "a:b", resource: "*x*" }]', /^1:37 has the segment/],
    [
      'a row that is too short',
      'tables: [{ resource: r, actions: ["a:b", "a:c"], users: { eve: [Deny] } }]',
      '1:64 has 1 decision for 2 actions',
    ],
    [
      'an unknown scope',
      `given: [{ user: eve, role: viewer, scope: eurpe }]\nexpect:\n  ${ask('a', 'a:b', 'r', 'Deny')}`,
      '1:9 no scope has the name "eurpe" (did you mean "europe"?)',
    ],
    [
      'an unknown role',
      `given: [{ user: eve, role: vewer, scope: europe }]\nexpect:\n  ${ask('a', 'a:b', 'r', 'Deny')}`,
      '1:9 no role has the name "vewer" (did you mean "viewer"?)',
    ],
    [
      'a binding that is there already',
      `given: [{ user: bob, role: admin, scope: europe }]\nexpect:\n  ${ask('a', 'a:b', 'r', 'Deny')}`,
      '1:9 the binding of user "bob" to role "admin" is there already: shop.yaml:15',
    ],
    [
      'a binding that is given twice',
      `given: [&eve { user: eve, role: viewer, scope: europe }, *eve]\nexpect:\n  ${ask('a', 'a:b', 'r', 'Deny')}`,
      '1:58 the binding of user "eve" to role "viewer" is given twice',
    ],
    [
      'a binding without a scope',
      `given: [{ user: bob, role: viewer, scope: null }]\nexpect:\n  ${ask('a', 'a:b', 'r', 'Deny')}`,
      '1:43 a binding needs a scope',
    ],
    ['wrong YAML', 'expect: [', /^1:10 /],
  ])('%s', async (_, text, message) => {
    const issues = await issuesOf(text);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test('arguments that are not valid', async () => {
    // @ts-expect-error not a function
    await expect(readTests('a', { read: 7 })).rejects.toThrow('read: expected a function that reads a file');
    await expect(readTests('', { read: () => '' })).rejects.toThrow('file: expected the name of a file');
  });
});

describe('names that exist nowhere', () => {
  test('are reported once, at the first place, and fail no test', async () => {
    const report = await run(`
expect:
  ${ask('alcie', 'orders:read', 'order:eu:1', 'Deny')}
  ${ask('alcie', 'odrers:read', 'order:eu:1', 'Deny')}
  ${ask('bob', 'orders:write', 'order:eu:1', 'Allow')}
nobody:
  - { action: "*", resource: "order:eu:*", exceptUsers: [alice, bob, carl], exceptRoles: [viewr, "managed:any"] }
`);
    expect(report.passed).toBe(true);
    expect(formatTests(report).split('\n').slice(2)).toEqual([
      'shop.test.yaml:3:5: no binding has the user "alcie" (did you mean "alice"?)',
      'shop.test.yaml:4:5: no policy names the action "odrers:read" (did you mean "orders:read"?)',
      'shop.test.yaml:7:5: no binding has the user "carl"',
      'shop.test.yaml:7:5: there is no role "viewr" (did you mean "viewer"?)',
    ]);
    expect(report.unknown[0]).toMatchObject({ kind: 'user', name: 'alcie', file: 'shop.test.yaml', line: 3 });
  });

  test('do not include those of given bindings, of users that were read, or of a state that names no action', async () => {
    const given = 'given: [{ user: eve, role: viewer, scope: europe }]\n';
    const known = await run(`${given}expect:\n  ${ask('eve', 'orders:read', 'order:eu:1', 'Allow')}`);
    expect(known.unknown).toEqual([]);
    const policies = new Map([
      ['all', { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] }],
    ] as const);
    const state = { policies, roles: new Map(), bindings: [], users: ['ann'] };
    const report = runTests(state, [await tests(`expect:\n  ${ask('ann', 'any:thing', 'x', 'Deny')}`)]);
    expect(report.unknown).toEqual([]);
  });
});
