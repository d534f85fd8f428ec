import { describe, expect, test } from 'vitest';
import { format, isSame } from '../../site/.vitepress/theme/run/format.ts';
import { createQueue } from '../../site/.vitepress/theme/run/queue.ts';
import { alignLines, importedNames } from '../../site/lib/align-lines.ts';
import { findRuns } from '../../site/lib/run-blocks.ts';

const fence = '```';
const block = (code: string) => `${fence}ts\n${code}\n${fence}\n`;

describe('blocks of a page that run', () => {
  test('hold those above them in their section, and how many values they promise', () => {
    const page = `## One\n${block('// runs\nconst a = 1;')}${block('a;')}${block('// runs\na + 1; // → 2')}`;
    const [first, second, ...rest] = findRuns('docs/a.md', `${page}## Two\ntext\n`);
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ id: 'docs/a.md:3', values: 0 });
    expect(second).toMatchObject({ id: 'docs/a.md:10', values: 1 });
    expect(second?.code).toContain('const a = 1;');
    expect(second?.code).toContain('assertSame(a + 1, (2), "docs/a.md:10: a + 1");');
    expect(first?.code).not.toContain('assertSame(');
  });

  test('apply the file that the page shows where the page applies it by the command', () => {
    const yaml = `${fence}yaml\n# permissions.yaml\nroles: {}\n${fence}\n`;
    const apply = `${fence}sh\nnpx arango-services permissions apply --yes\n${fence}\n\n${fence}text\nApplied\n${fence}\n`;
    const runs = findRuns('README.md', `${yaml}${block('// runs\n1;')}${apply}${block('// runs\n2;')}`);
    expect(runs.map(({ code }) => code?.includes('applyPermissions("roles: {}\\n")'))).toEqual([false, true]);
    expect(runs.map(({ id }) => id)).toEqual(['README.md:6', 'README.md:17']);
  });

  test.each([
    ["import { readFile } from 'node:fs/promises';", 'it imports a module of Node'],
    ["import { fromEnv } from 'arango-services/node';", 'it imports a subpath for Node'],
    ["import { listen } from 'arango-services/mock/node';", 'it imports a subpath for Node'],
    ['response.headers.getSetCookie();', 'a page may not read Set-Cookie'],
  ])('need Node, with the reason, if they hold %s', (code, reason) => {
    const [run] = findRuns('docs/a.md', block(`// runs\n${code}`));
    expect(run).toEqual({ id: 'docs/a.md:2', values: 0, reason });
  });

  test('run in a page if they only test a value by node:assert', () => {
    const [run] = findRuns('docs/a.md', block("// runs\nimport assert from 'node:assert/strict';\nassert(true);"));
    expect(run?.reason).toBeUndefined();
  });
});

describe('values below a block', () => {
  test.each([
    [{ user: 'root' }, "{ user: 'root' }"],
    [[{ id: '1', total: 9.5 }], "[{ id: '1', total: 9.5 }]"],
    [{ 'x-tenant': undefined, a: null }, "{ 'x-tenant': undefined, a: null }"],
    ['it\'s "a"\n', "'it\\'s \"a\"\\n'"],
    [new Map([['a', new Set([1n])]]), "Map [['a', Set [1]]]"],
    [new Date(0), 'Date 1970-01-01T00:00:00.000Z'],
    [new TypeError('no'), 'TypeError: no'],
    [new Uint8Array(3), 'Uint8Array [0, 0, 0]'],
    [{}, '{}'],
  ])('are written as TypeScript: %o', (value, text) => {
    expect(format(value)).toBe(text);
  });

  test('end where they contain themselves', () => {
    const value: Record<string, unknown> = { name: 'a' };
    value.self = [value];
    expect(format(value)).toBe("{ name: 'a', self: [[circular]] }");
  });

  test('equal those of the page whatever the order of their fields', () => {
    expect(isSame({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
  });

  test.each([
    [1, '1'],
    [undefined, null],
    [{ a: undefined }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [true, false],
    [new Uint8Array([1]), new Uint8Array([2])],
  ])('differ: %o and %o', (a, b) => {
    expect(isSame(a, b)).toBe(false);
  });
});

test('runs of a page do not overlap, and a failure does not stop those behind it', async () => {
  const enqueue = createQueue();
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await Promise.resolve();
    events.push(`${name} ends`);
    if (name === 'first') throw new Error('on purpose');
    return name;
  };
  const [first, second] = await Promise.allSettled([enqueue(work('first')), enqueue(work('second'))]);
  expect(events).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  expect([first.status, second]).toEqual(['rejected', { status: 'fulfilled', value: 'second' }]);
});

describe('the names of a block', () => {
  const code = "import { a, type B } from 'x';\nconst c = a;\nexport const d: B = c;\n\nimport e from 'y';\nd;";
  const module = ["import { a } from 'x';", '{ // a.md:3', 'const c = a;', 'const d: B = c;', '', 'd;', '}'];

  test('stand in the lines of its module, without imports and export', () => {
    expect([...alignLines({ code }, module, 2)]).toEqual([
      [2, [1, 0]],
      [3, [2, 7]],
      [4, [3, 0]],
      [5, [5, 0]],
    ]);
  });

  test('that are imported have the type of their module', () => {
    const types = new Map([
      ['a', 'const a: 1'],
      ['B', 'type B = 1'],
      ['x', 'never'],
    ]);
    expect([...importedNames({ code }, new Set([1, 2, 3, 5]), types)]).toEqual([
      { line: 0, column: 9, length: 1, text: 'const a: 1' },
      { line: 0, column: 17, length: 1, text: 'type B = 1' },
    ]);
  });
});
