import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDecisions } from '../../../src/policy/decisions/index.ts';
import { collect } from './collect.ts';

interface RecordedLog {
  readonly type: string;
  readonly format: string;
  readonly level: string;
  readonly began: readonly string[];
  readonly steps: readonly {
    readonly request: { readonly path: string; readonly body?: RecordedQuestion };
    readonly status: number;
    readonly response: { readonly effect?: string; readonly message?: string; readonly items?: readonly unknown[] };
    readonly log: readonly string[];
  }[];
}
interface RecordedQuestion {
  readonly user?: string;
  readonly roles?: readonly string[];
  readonly action?: string;
  readonly resource?: string;
}

const folder = new URL('../../vectors/logs/', import.meta.url);
const recordings = new Map(
  readdirSync(folder).map((file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as RecordedLog]),
);
const recording = (file: string): RecordedLog => {
  const found = recordings.get(file);
  if (!found) throw new Error(`no recording ${file}`);
  return found;
};
const linesOf = ({ began, steps }: RecordedLog): string[] => [...began, ...steps.flatMap(({ log }) => log)];

const permissive = [
  'central-permissive-json-info.json',
  'central-permissive-json-debug.json',
  'central-permissive-pretty-info.json',
];

test.each(permissive)('the decisions of %s are those of the questions', async (file) => {
  let compared = 0;
  for (const { request, status, log } of recording(file).steps) {
    if (!request.path.endsWith('/evaluate') || status !== 200) continue;
    const { user, roles = [], action, resource } = request.body ?? {};
    const { decisions } = await collect(log.join('\n').concat('\n'));
    if (user === undefined) {
      expect(decisions).toEqual([]);
      continue;
    }
    compared += 1;
    expect(decisions).toHaveLength(1);
    expect(decisions[0]).toMatchObject({ subject: { user, groups: roles }, action, resource, enforced: false });
  }
  expect(compared).toBeGreaterThan(35);
});

test.each(permissive)('the effects of %s are the answers of the type central', async (file) => {
  const central = recording('central-json-info.json').steps;
  const effects: string[] = [];
  for (const [index, { request, log }] of recording(file).steps.entries()) {
    if (!request.path.endsWith('/evaluate') || log.length === 0) continue;
    const { decisions } = await collect(log.join('\n').concat('\n'));
    expect(decisions.map(({ effect }) => effect)).toEqual([central[index]?.response.effect]);
    effects.push(decisions[0]?.effect ?? '');
  }
  expect(effects.filter((effect) => effect === 'Allow').length).toBeGreaterThan(3);
  expect(effects.filter((effect) => effect === 'Deny').length).toBeGreaterThan(30);
});

test('JSON and pretty lines of the same questions hold the same decisions', async () => {
  const [json, pretty] = await Promise.all(
    ['central-permissive-json-info.json', 'central-permissive-pretty-info.json'].map(async (file) => {
      const { decisions } = await collect(
        linesOf({ ...recording(file), began: [] })
          .join('\n')
          .concat('\n'),
      );
      return decisions.map(({ time: _, reason: __, ...rest }) => rest);
    }),
  );
  expect(pretty).toEqual(json);
});

test('the first of two `message` fields of a line gives the reason', async () => {
  const { decisions } = await collect(linesOf(recording('central-permissive-json-info.json')).join('\n'));
  const reasons = new Set(decisions.map(({ reason }) => reason));
  expect(reasons).toEqual(new Set(['superuser', 'allowed', undefined]));
});

test.each([
  ['central-json-info.json', 'central, always and never'],
  ['central-json-debug.json', 'level debug'],
  ['always-json-info.json', 'type always'],
  ['never-json-info.json', 'central, always and never'],
])('%s holds no decisions, and the summary names the log type or level to set', async (file, words) => {
  const { decisions, summary } = await collect(linesOf(recording(file)).join('\n'));
  expect(decisions).toEqual([]);
  expect(summary.problem).toContain(words);
  expect(summary.skipped.reduce((sum, { count }) => sum + count, 0)).toBe(summary.lines);
});

test('every line of a recording is a decision or counted', async () => {
  for (const recorded of recordings.values()) {
    const text = linesOf(recorded).join('\n').concat('\n');
    const { summary } = await collect(text);
    const counted = summary.skipped.reduce((sum, { count }) => sum + count, summary.decisions);
    expect(counted).toBe(linesOf(recorded).length);
    expect(summary.skipped.map(({ reason }) => reason)).not.toContain('foreign');
    expect(summary.skipped.map(({ reason }) => reason)).not.toContain('invalid');
  }
});

test('the option `from` decides whose lines are read', async () => {
  const text = linesOf(recording('central-permissive-json-info.json')).join('\n');
  const { decisions, summary } = await collect(text, { from: 'arango-services' });
  expect(decisions).toEqual([]);
  expect(summary.skipped).toMatchObject([{ reason: 'foreign', firstLine: 1 }]);
  // @ts-expect-error: not an origin
  expect(() => readDecisions(undefined, { from: 'kubectl' })).toThrow('from');
});
