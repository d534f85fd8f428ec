import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { DecisionLine } from '../../../src/policy/decision-line/line.ts';
import { runsOf } from '../../support/thorough.ts';
import { collect } from './collect.ts';
import { jsonLine, prettyLine } from './platform-lines.ts';

const ours: DecisionLine = {
  v: 1,
  kind: 'decision',
  time: '2026-11-23T03:40:00.123Z',
  subject: { user: 'alice', groups: ['g1'] },
  action: 'orders:read',
  resource: 'orders:eu:7',
  effect: 'Allow',
  reason: 'allowed',
  enforced: true,
};
const question = { user: 'alice', roles: ['viewer'], action: 'orders:read', resource: 'order:7', granted: true };
const read = { subject: { user: 'alice', groups: ['viewer'] }, action: 'orders:read', resource: 'order:7' };
const reasonsOf = async (text: string): Promise<readonly [string, number][]> => {
  const { summary } = await collect(text);
  return summary.skipped.map(({ reason, firstLine }) => [reason, firstLine]);
};

describe('lines of this package', () => {
  test('are read with fields that a newer version added', async () => {
    const line = { ...ours, region: 'eu', subject: { ...ours.subject, tenant: 't1' } };
    const { decisions, summary } = await collect(`${JSON.stringify(line)}\n`);
    expect(decisions).toEqual([line]);
    expect(summary).toMatchObject({ lines: 1, decisions: 1, from: ours.time, to: ours.time, skipped: [] });
  });

  test('gaps add to the number of dropped decisions', async () => {
    const gap = { v: 1, kind: 'gap', time: ours.time, dropped: 17 };
    const { summary } = await collect([gap, ours, gap].map((line) => JSON.stringify(line)).join('\r\n'));
    expect(summary).toMatchObject({ dropped: 34, decisions: 1, skipped: [] });
  });

  test.each([
    ['a missing action', { ...ours, action: undefined }],
    ['a number for the user', { ...ours, subject: { user: 7 } }],
    ['another effect', { ...ours, effect: 'allow' }],
    ['a time without a zone', { ...ours, time: '2026-11-23T03:40:00' }],
    ['text for enforced', { ...ours, enforced: 'false' }],
  ])('%s makes a line invalid', async (_, line) => {
    expect(await reasonsOf(`\n${JSON.stringify(line)}\n`)).toEqual([['invalid', 2]]);
  });

  test('another version and another kind are counted', async () => {
    const lines = [
      { ...ours, v: 2 },
      { ...ours, kind: 'change' },
      { ...ours, v: '1' },
    ];
    expect(await reasonsOf(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
      ['other-version', 1],
      ['foreign', 3],
    ]);
  });
});

describe('lines behind the prefixes of log collectors', () => {
  test.each([
    ['kubectl logs --prefix', '[pod/arango-sidecar-0/server] '],
    ['kubectl logs --prefix --timestamps', '[pod/arango-sidecar-0/server] 2026-11-23T04:06:12.123456789Z '],
    ['kubectl logs --timestamps', '2026-11-23T04:06:12.123456789Z '],
    ['docker compose', 'sidecar-1  | '],
    ['docker compose --timestamps', 'sidecar-1  | 2026-11-23T04:06:12.1+01:00 '],
  ])('%s', async (_, prefix) => {
    const lines = [jsonLine(question), prettyLine(question), JSON.stringify(ours), 'GET /orders 200 {"a":1}'];
    const { decisions, numbers, summary } = await collect(lines.map((line) => `${prefix}${line}\n`).join(''));
    expect(decisions).toMatchObject([read, read, ours]);
    expect(numbers).toEqual([1, 2, 3]);
    expect(summary.skipped).toEqual([{ reason: 'foreign', count: 1, firstLine: 4 }]);
  });

  test('a collector that keeps one of the two messages loses the reason, not the decision', async () => {
    const whole = jsonLine({ ...question, granted: false });
    for (const one of [whole.replace(/"message":"[^"]*",/, ''), JSON.stringify(JSON.parse(whole))]) {
      const { decisions } = await collect(`${one}\n`);
      expect(decisions).toMatchObject([{ ...read, effect: 'Deny' }]);
      expect(decisions[0]).not.toHaveProperty('reason');
    }
  });
});

describe('compressed logs', () => {
  const text = `${jsonLine(question)}\n`.repeat(2_000);

  test('are decompressed, whatever the chunks', async () => {
    for (const chunk of [1, 7, 100_000]) {
      const { decisions } = await collect(gzipSync(text), {}, chunk);
      expect(decisions).toHaveLength(2_000);
    }
  });

  test('of several members, as after `cat a.gz b.gz`, are read; browsers read the first only', async () => {
    const joined = Buffer.concat([gzipSync(text), gzipSync(text), gzipSync('')]);
    const one = (await collect(text)).decisions.length;
    for (const chunk of [1, 7, joined.length]) {
      const { decisions, summary } = await collect(joined, {}, chunk);
      expect([decisions.length, summary.skipped.map(({ reason }) => reason)]).toEqual([
        2 * one,
        expect.not.arrayContaining(['damaged']),
      ]);
    }
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    onTestFinished(() => void vi.restoreAllMocks());
    const { decisions, summary } = await collect(joined);
    expect(decisions).toHaveLength(one);
    expect(summary.skipped).toMatchObject([{ reason: 'damaged', count: 1 }]);
  });

  test('that break off are counted, and give the lines before', async () => {
    const zipped = gzipSync(text);
    const { decisions, summary } = await collect(zipped.subarray(0, zipped.length - 9));
    expect(summary.skipped).toMatchObject([{ reason: 'damaged', count: 1 }]);
    expect(decisions.length).toBeLessThanOrEqual(2_000);
  });

  test('throw the error of their source', async () => {
    async function* source() {
      yield gzipSync(text).subarray(0, 60);
      throw new Error('the disk is gone');
    }
    await expect(collect(source())).rejects.toThrow('the disk is gone');
  });
});

describe('lines that could mislead', () => {
  test('a line of 64 MB is counted, its neighbours are read, and little of it is held', async () => {
    const lines = [`${jsonLine(question)}\n{"level":"info","user":"`, ...Array(64).fill('x'.repeat(1_048_576)), `"}\n`];
    const encoder = new TextEncoder();
    async function* source() {
      for (const part of [...lines, jsonLine(question)]) yield encoder.encode(part);
    }
    const { numbers, summary } = await collect(source());
    expect(numbers).toEqual([1, 3]);
    expect(summary.skipped).toEqual([{ reason: 'too-long', count: 1, firstLine: 2 }]);
  });

  test('half a line never gives a decision, wherever it is cut', async () => {
    const named = { ...question, user: 'alice.smith', roles: ['a', 'b c'], action: 'a=b c"d:e', resource: 'r \\ é' };
    for (const line of [jsonLine(named), prettyLine(named), prettyLine(question), JSON.stringify(ours)]) {
      for (let length = 1; length < line.length; length += 1) {
        const { decisions } = await collect(line.slice(0, length));
        expect(decisions).toEqual([]);
      }
    }
  });

  test('a pretty line that a collector may have cut is not read', async () => {
    const long = prettyLine({ ...question, user: 'u'.repeat(20_000) });
    expect(await reasonsOf(`${long}\n`)).toEqual([['incomplete', 1]]);
  });

  test('names cannot forge fields, messages or lines', async () => {
    const forged = [
      'x method=Permissive.Evaluate resource= roles=[] user=root',
      'x","message":"Access Granted","user":"root',
      `x\n${jsonLine({ ...question, user: 'root' })}`,
      '\u001b[2K\u001b[31mroot',
      'root\u202e',
      '"message":"Superuser access"',
      '[pod/a/b] root',
      '\\u0022message',
    ];
    for (const name of forged) {
      const odd = { user: name, roles: [name], action: name, resource: name, granted: false };
      for (const line of [jsonLine(odd), prettyLine(odd)]) {
        const { decisions, summary } = await collect(`${line}\n`);
        expect(summary.lines).toBe(1);
        expect(decisions).toMatchObject([
          { subject: { user: name, groups: [name] }, action: name, resource: name, effect: 'Deny' },
        ]);
      }
    }
  });

  test('an Allow that the type always could have written is ambiguous without its first message', async () => {
    const check = { ...question, action: 'rbac:GetPolicy' };
    expect(await reasonsOf(`${prettyLine(check)}\n`)).toEqual([['ambiguous', 1]]);
    expect(await reasonsOf(`${JSON.stringify(JSON.parse(jsonLine(check)))}\n`)).toEqual([['ambiguous', 1]]);
    const { decisions } = await collect(`${jsonLine(check)}\n${prettyLine({ ...check, granted: false })}\n`);
    expect(decisions.map(({ effect }) => effect)).toEqual(['Allow', 'Deny']);
  });

  test('bytes that are not UTF-8 are counted', async () => {
    const bytes = new TextEncoder().encode(`${prettyLine(question)}\n`);
    const at = bytes.indexOf('7'.charCodeAt(0), 100);
    bytes[at] = 0xff;
    const { decisions, summary } = await collect(bytes);
    expect(decisions).toEqual([]);
    expect(summary.skipped).toEqual([{ reason: 'not-utf8', count: 1, firstLine: 1 }]);
  });

  test.each([
    ['contradictory messages', jsonLine(question).replace('Access Granted', 'Permission denied')],
    ['a nested object', jsonLine(question).replace('"context":"null"', '"context":{"message":"Access Granted"}')],
    ['roles that are no list', jsonLine(question).replace('["viewer"]', '"viewer"')],
    ['a missing user', jsonLine(question).replace('"user":"alice",', '')],
    ['an escape that Go does not write', prettyLine({ ...question, user: 'a b' }).replace('a b', 'a\\q b')],
  ])('%s make a line invalid', async (_, line) => {
    expect(await reasonsOf(`${line}\n`)).toEqual([['invalid', 1]]);
  });

  test('a warning of a failed evaluation is counted, not read as a decision', async () => {
    const line = jsonLine(question)
      .replace('"info"', '"warn"')
      .replace(/"Access Granted"}$/, '"Failed to evaluate permission"}');
    expect(await reasonsOf(`${line}\n`)).toEqual([['failed', 1]]);
  });
});

test('an empty log says so', async () => {
  expect((await collect('')).summary).toMatchObject({
    lines: 0,
    decisions: 0,
    from: undefined,
    problem: 'the log is empty',
  });
});

test('any names come back from JSON and pretty lines, in any chunks', async () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.stringMatching(/^[ "\\=[\],{}a-c\n\u00e9\u202e]{0,20}$/),
  );
  const questions = fc.record({
    user: name,
    roles: fc.array(name, { maxLength: 3 }),
    action: name,
    resource: name,
    granted: fc.boolean(),
  });
  const outcomes = { Allow: 0, Deny: 0, skipped: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(questions, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), async (asked, chunk) => {
      const lines = asked.flatMap((one) => [jsonLine(one), prettyLine(one)]);
      const { decisions, summary } = await collect(lines.map((line) => `${line}\n`).join(''), {}, chunk);
      const raw = (text: string) => text.includes('\ufffd');
      const skipped = asked.filter(({ user, roles, action, resource }) =>
        [user, action, resource, ...roles].some(raw),
      ).length;
      if (skipped > 0) outcomes.skipped += 1;
      else {
        expect(summary.skipped).toEqual([]);
        for (const [index, { user, roles, action, resource, granted }] of asked
          .flatMap((one) => [one, one])
          .entries()) {
          const isSuperuser = user === '' && roles.length === 0 && granted;
          const effect = granted ? 'Allow' : 'Deny';
          const subject = isSuperuser ? {} : { user, groups: roles };
          expect(decisions[index]).toMatchObject({ subject, action, resource, effect, enforced: false });
          outcomes[effect] += 1;
        }
      }
    }),
    runsOf(300),
  );
  console.log('outcomes', outcomes);
  expect(Math.min(outcomes.Allow, outcomes.Deny)).toBeGreaterThan((outcomes.Allow + outcomes.Deny) / 4);
});
