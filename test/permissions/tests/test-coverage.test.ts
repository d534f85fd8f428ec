// @ts-expect-error jsdom has no types; the test reads standard DOM from it
import { JSDOM } from 'jsdom';
import { describe, expect, test } from 'vitest';
import { formatCoverage, formatTests, readPermissions, readTests, runTests } from '../../../src/permissions/index.ts';

const shop = `
scopes:
  europe:
    statements:
      - { effect: Allow, actions: ["*"], resources: ["order:eu:*"] }
      - { effect: Deny, actions: ["*"], resources: ["order:eu:old:*"] }
  unused: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
policies:
  reader:
    statements:
      - { effect: Allow, actions: ["orders:read"], resources: ["order:*"] }
      - { effect: Allow, actions: ["orders:*"], resources: ["order:eu:draft"] }
      - { effect: Deny, actions: ["*"], resources: ["order:*:secret"] }
roles:
  viewer: { policies: [reader] }
bindings:
  - { user: alice, role: viewer, scope: europe }
  - { user: bob, role: viewer, scope: europe }
`;

/** Runs questions of `user action resource effect`. */
async function run(questions: readonly string[], { name = 'shop.test.yaml', given = '[]', because = '' } = {}) {
  const state = await readPermissions('shop.yaml', { read: () => shop });
  const entries = questions.map((line) => {
    const [user, action, resource, effect] = line.split(' ');
    return { user, action, resource, effect, because };
  });
  const text = `given: ${given}\nexpect: ${JSON.stringify(entries)}`;
  return runTests(state, [await readTests(name, { read: () => text })]);
}

/** The lines of statements and bindings that decided nothing. */
const idle = ({ coverage }: Awaited<ReturnType<typeof run>>) =>
  coverage.items.flatMap(({ decided, place }) => (decided === 0 ? (place?.line ?? 0) : []));

/** Scope: 5, 6; the unused one: 7; policy: 11, 12, 13; alice: 17, bob: 18. */
const all = [5, 6, 7, 11, 12, 13, 17, 18];
const without = (...lines: number[]) => all.filter((line) => !lines.includes(line));

describe('coverage', () => {
  test.each<[string, string, number[]]>([
    [
      'an Allow: the binding, and all statements that allow it',
      'alice orders:read order:eu:draft Allow',
      [5, 11, 12, 17],
    ],
    ['a Deny: the statement and its binding', 'bob orders:read order:eu:secret Deny', [13, 18]],
    ['a Deny of a scope', 'alice orders:read order:eu:old:7 Deny', [6, 17]],
    ['the binding, if its scope prevents what its role allows', 'alice orders:read order:us:7 Deny', [17]],
    ['nothing, if neither role nor scope matches', 'alice x:y z Deny', []],
    ['nothing, if only the scope matches', 'alice orders:write order:eu:7 Deny', []],
    ['nothing for a user without a binding', 'eve orders:read order:eu:7 Deny', []],
    ['what decided, even if another decision was expected', 'bob orders:read order:eu:7 Deny', [5, 11, 18]],
  ])('counts %s', async (_, question, decided) => {
    expect(idle(await run([question]))).toEqual(without(...decided));
  });

  test('counts no Deny where another binding allows', async () => {
    const everything = '{ statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }';
    const text = `
policies:
  a: ${everything}
  d: { statements: [{ effect: Deny, actions: ["*"], resources: ["*"] }] }
roles:
  a: { policies: [a] }
  d: { policies: [d] }
bindings:
  - { user: u, role: d, scope: ${everything} }
  - { user: u, role: a, scope: ${everything} }
`;
    const state = await readPermissions('p.yaml', { read: () => text });
    const ask = 'expect: [{ user: u, action: "a:b", resource: r, effect: Allow }]';
    const report = runTests(state, [await readTests('p.test.yaml', { read: () => ask })]);
    expect(report.passed).toBe(true);
    expect(report.coverage.items.flatMap(({ decided, name }) => (decided > 0 ? [] : name))).toEqual([
      'policy "d" statement 1',
      'binding of user "u" to role "d"',
      'scope of the binding of user "u" to role "d" statement 1',
    ]);
  });

  test('counts decisions by given bindings, and does not list these bindings', async () => {
    const given = '[{ user: eve, role: viewer, scope: unused }]';
    const report = await run(['eve orders:read order:us:7 Allow'], { given });
    expect(idle(report)).toEqual(without(7, 11));
  });

  test('as lines names what decided nothing, with its place', async () => {
    const text = formatCoverage((await run(['alice orders:read order:eu:draft Allow'])).coverage);
    expect(text.split('\n')).toEqual([
      'shop.yaml:6:9: scope "europe" statement 2 decided nothing',
      'shop.yaml:7:26: scope "unused" statement 1 decided nothing',
      'shop.yaml:13:9: policy "reader" statement 3 decided nothing',
      'shop.yaml:18:5: binding of user "bob" to role "viewer" decided nothing',
      '3 of 6 statements and 1 of 2 bindings decided something.',
    ]);
  });

  test('as JSON has every item with its count', async () => {
    const question = 'alice orders:read order:eu:7 Allow';
    const { items } = JSON.parse(formatCoverage((await run([question, question])).coverage, 'json'));
    expect(items).toHaveLength(all.length);
    expect(items[6]).toEqual({
      kind: 'binding',
      name: 'binding of user "alice" to role "viewer"',
      decided: 2,
      place: { file: 'shop.yaml', line: 17, column: 5 },
    });
  });

  test('as lcov has the least count of each line', async () => {
    const { coverage } = await run(['alice orders:read order:eu:7 Allow', 'alice orders:read order:eu:draft Allow']);
    const twice = { ...coverage, items: [...coverage.items, { ...coverage.items[3], decided: 1 } as never] };
    expect(formatCoverage(twice, 'lcov')).toBe(
      `TN:\nSF:shop.yaml\nDA:5,2\nDA:6,0\nDA:7,0\nDA:11,1\nDA:12,1\nDA:13,0\nDA:17,2\nDA:18,0\nLF:8\nLH:4\nend_of_record\n`,
    );
  });

  test('of a state without files and lines has names only in text, and nothing in lcov', async () => {
    const { policies, roles, bindings } = await readPermissions('shop.yaml', { read: () => shop });
    const ask = 'expect: [{ user: eve, action: "a:b", resource: r, effect: Deny }]';
    const tests = [await readTests('t', { read: () => ask })];
    const { coverage } = runTests({ policies, roles, bindings, users: 'all' }, tests);
    expect(formatCoverage(coverage, 'lcov')).toBe('');
    expect(formatCoverage(coverage)).toContain('\nbinding of user "bob" to role "viewer" decided nothing\n');
  });
});

describe('JUnit', () => {
  const parse = (xml: string): Document =>
    new new JSDOM('').window.DOMParser().parseFromString(xml.replace(/^<\?.*\?>\n/, ''), 'text/xml');

  test('has a case for each expectation, with its place, and the explanation of failures', async () => {
    const report = await run(['alice orders:read order:eu:7 Allow', 'alice orders:read order:eu:secret Allow']);
    const document = parse(formatTests(report, 'junit'));
    const attributes = (element: Element | null) =>
      Object.fromEntries([...(element?.attributes ?? [])].map(({ name, value }) => [name, value]));
    expect(attributes(document.documentElement)).toEqual({ tests: '2', failures: '1', errors: '0' });
    const cases = [...document.querySelectorAll('testsuite[name="shop.test.yaml"] > testcase')];
    expect(cases.map((one) => one.querySelectorAll('failure').length)).toEqual([0, 1]);
    expect(attributes(cases[1] ?? null)).toEqual({
      name: 'Allow: user "alice", "orders:read" on "order:eu:secret"',
      classname: 'shop.test.yaml',
      file: 'shop.test.yaml',
      line: '2',
    });
    expect(cases[1]?.querySelector('failure')?.textContent).toContain('\n- bound to role "viewer": an explicit Deny\n');
  });

  test('escapes what names and reasons hold', async () => {
    const because = `</failure> & "quotes" 'too' ]]> \u0000\u001b\ufffe \n\ttabbed`;
    const name = `a<b>&"c'\n\t.test.yaml`;
    const report = await run(['<eve>&" orders:read </testcase> Allow'], { name, because });
    const document = parse(formatTests(report, 'junit'));
    expect(document.querySelectorAll('testcase')).toHaveLength(1);
    expect(document.querySelector('testcase')?.getAttribute('classname')).toBe(name);
    expect(document.querySelector('testcase')?.getAttribute('name')).toContain('</testcase>');
    const text = document.querySelector('failure')?.textContent;
    expect(text).toContain(`because </failure> & "quotes" 'too' ]]> \ufffd\ufffd\ufffd \n\ttabbed`);
  });
});
