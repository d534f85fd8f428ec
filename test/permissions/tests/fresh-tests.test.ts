import { expect, test } from 'vitest';
import { readTests, runTests, type TestReport } from '../../../src/permissions/index.ts';
import { reading, readText } from '../support/files.ts';

const reader = 'managed:predefined:coredb-reader';
const ask = (user: string, effect: string) =>
  `{ user: ${user}, action: "db:Read", resource: "db:database:shop", effect: ${effect} }`;
const permissions = `bindings: [{ user: ada, role: "${reader}", scope: { database: shop } }]`;

async function run(tests: string, file = permissions): Promise<TestReport> {
  const read = reading({ 't.yaml': tests, 'u.yaml': `expect: [${ask('root', 'Deny')}]` });
  return runTests(await readText(file), [await readTests('t.yaml', { read }), await readTests('u.yaml', { read })]);
}

test('fresh: true adds what a new deployment holds, to the tests of its file', async () => {
  const { passed, results, unknown } = await run(`
fresh: true
given: [{ user: bob, role: "managed:predefined:super-admin", scope: { database: shop } }]
expect: [${ask('root', 'Allow')}, ${ask('ada', 'Deny')}, ${ask('bob', 'Allow')}]
`);
  expect([passed, results.map((one) => one.passed)]).toEqual([true, [true, true, true, true]]);
  expect(results[0]?.explanation).toContain('policy "managed:predefined:super-admin" statement 1');
  expect(results[3]?.explanation).toContain('the user has no binding');
  expect(unknown).toEqual([]);
});

test('fresh: false adds nothing', async () => {
  expect((await run(`fresh: false\nexpect: [${ask('root', 'Deny')}]`)).passed).toBe(true);
});

test('an item that a new deployment and the file have is an error at its place', async () => {
  const binding = '{ user: root, role: "managed:predefined:super-admin", scope: { everything: true } }';
  await expect(run(`\nfresh: true\nexpect: [${ask('root', 'Allow')}]`, `bindings: [${binding}]`)).rejects.toMatchObject(
    {
      issues: [
        { line: 2, column: 8, message: expect.stringContaining('a new deployment has the binding of user "root"') },
      ],
    },
  );
  await expect(run(`fresh: true\ngiven: [${binding}]\nexpect: [${ask('root', 'Allow')}]`)).rejects.toMatchObject({
    issues: [{ line: 2, message: expect.stringContaining('is given twice') }],
  });
});

test('policies that custom resources attach to a predefined role stay attached', async () => {
  const of = (kind: string, name: string, spec: string) =>
    `{ apiVersion: permission.arangodb.com/v1alpha1, kind: ArangoPermission${kind}, metadata: { name: ${name} }, spec: { deployment: { name: d }, ${spec} } }`;
  const file = [
    of('Policy', 'p', 'policy: { statements: [{ effect: Allow, actions: ["db:Read"], resources: ["*"] }] }'),
    of('PolicyRoleBinding', 'b', `policy: { name: p }, role: { direct: "${reader}" }`),
    of(
      'RoleUserBinding',
      'u',
      `role: { direct: "${reader}" }, userName: ada, scope: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }`,
    ),
  ].join('\n---\n');
  expect((await run(`fresh: true\nexpect: [${ask('ada', 'Allow')}, ${ask('root', 'Allow')}]`, file)).passed).toBe(true);
});
