import { describe, expect, test } from 'vitest';
import { flagRows, type MockFlag } from '../../../src/mock/config/mock-flags.ts';
import { form as conformanceForm } from '../../../src/tools/command/conformance/index.ts';
import { form as consoleForm } from '../../../src/tools/command/console/index.ts';
import { readArguments as readMockArguments } from '../../../src/tools/command/mock/mock-arguments.ts';
import { run } from '../../../src/tools/command/mock/start-mock.ts';
import { subcommands } from '../../../src/tools/command/permissions/subcommands.ts';
import { form as recordForm } from '../../../src/tools/command/record/index.ts';
import { readArguments } from '../../../src/tools/command/shared/arguments.ts';
import { type Flag, type FlagName, flags } from '../../../src/tools/command/shared/flags.ts';
import type { Subcommand } from '../../../src/tools/command/shared/subcommand.ts';
import { inProcess } from './support/in-process.ts';

// Derived from the tables of flags, so that a new flag is walked, too.

type Form = Omit<Subcommand, 'load'>;
const forms: readonly (readonly [name: string, words: readonly string[], form: Form])[] = [
  ...[...subcommands].map(([name, form]) => [name, ['permissions', name], form] as const),
  ['console', ['console'], consoleForm],
  ['record', ['record'], recordForm],
  ['conformance', ['conformance'], conformanceForm],
];

/** Two values that a flag takes. */
function valuesOf({ takes }: Flag): readonly [first: string, second: string] {
  if (takes === 'nothing') return ['', ''];
  if (typeof takes === 'string') return ['a,b', 'c'];
  const [least, most] = takes;
  return [String(least), String(most)];
}

const isList = ({ takes }: Flag): boolean => takes === 'texts' || takes === 'files';
const listOf = ({ takes }: Flag): readonly string[] => (takes === 'texts' ? ['a', 'b', 'c'] : ['a,b', 'c']);

describe.each(forms)('%s', (name, words, form) => {
  const walked = form.flags.map((flag): readonly [FlagName, Flag] => [flag, flags[flag]]);

  test('has each flag once', () => {
    expect(new Set<string>(form.flags).size).toBe(form.flags.length);
  });

  test.each(walked)('--%s given twice is a list, and documented as one, or exit code 64', async (flag, row) => {
    const [first, second] = valuesOf(row);
    const again = `--${flag}`;
    const given = row.takes === 'nothing' ? [again, again] : [again, first, `${again}=${second}`];
    const { out: help } = await inProcess([...words, '--help']);
    const line = help.split('\n').find((one) => new RegExp(`^  (-\\w, )?--${flag}( |$)`).test(one));
    expect(line).toMatch(isList(row) ? /; repeat it or use commas$|; may be repeated$/ : /(?<!repeated|commas)$/);
    if (isList(row)) {
      const operands = form.operands.filter((one) => one.startsWith('<'));
      expect(readArguments([...operands, ...given], name, form).flags[flag]).toEqual(listOf(row));
      return;
    }
    for (const args of [given, ...(row.short === undefined ? [] : [[`-${row.short}`, ...given.slice(1)]])]) {
      const { code, out, err } = await inProcess([...words, ...args]);
      expect([code, flag === 'json' ? JSON.parse(out).error.code : out]).toEqual([64, flag === 'json' ? 'USAGE' : '']);
      expect(err).toContain(`arango-services: ${again}: is given twice\n`);
      // Once is fine.
      expect(
        (await inProcess([...words, ...args.slice(0, row.takes === 'nothing' ? 1 : 2), '--zzzz'])).err,
      ).not.toContain(again);
    }
  });
});

const mockRows = flagRows.filter(([name]) => name !== 'help');

/** Two values that a flag of the mock takes. */
function mockValues({ takes, among }: MockFlag): readonly [first: string, second: string] {
  if (takes === 'port') return ['0', '1'];
  if (takes === 'choice') return [among?.[0] ?? '', among?.[1] ?? ''];
  return takes === 'switch' ? ['true', 'false'] : ['a,b', 'c'];
}

async function mock(args: readonly string[]) {
  const err: string[] = [];
  const code = await run(['mock', ...args], {
    env: {},
    print: () => {},
    warn: (line) => err.push(line),
    serving: () => {
      throw new Error('it serves');
    },
  });
  return { code, err };
}

test.each(mockRows)('mock --%s given twice is a list, and documented as one, or exit code 64', async (name, row) => {
  const { takes, alias = name, alone, help = '' } = row;
  const [first, second] = mockValues(row);
  const given = takes === 'nothing' ? [`--${name}`, `--${alias}`] : [`--${name}=${first}`, `--${alias}=${second}`];
  const isOfList = row.path === undefined && (takes === 'texts' || takes === 'files');
  expect(/repeat it, or separate by commas|may be repeated/.test(help)).toBe(isOfList);
  if (isOfList) {
    const { options, problems } = readMockArguments(['mock', ...given]);
    expect([problems, Object.entries(options).find(([key]) => key === name)?.[1]]).toEqual([
      [],
      takes === 'texts' ? ['a', 'b', 'c'] : ['a,b', 'c'],
    ]);
    return;
  }
  const { code, err } = await mock(given);
  expect([code, err]).toEqual([64, expect.arrayContaining([`arango-services: --${alias}: is given twice`])]);
  if (alone !== undefined) expect((await mock([`--${name}`, `--${name}`])).code).toBe(64);
});

test('mock with a program takes a port of its own, once', async () => {
  const { options, problems } = readMockArguments(['--port=0', 'mock', '--port', '1']);
  expect([options.port, problems]).toEqual([0, [{ where: '--port', message: 'is given twice' }]]);
});
