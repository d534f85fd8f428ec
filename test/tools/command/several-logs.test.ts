import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDecisions } from '../../../src/policy/decisions/index.ts';
import { mergeLogs } from '../../../src/policy/decisions/merge-logs.ts';
import { runsOf } from '../../support/thorough.ts';
import { folderOf, shopFile } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const second = (at: number): string => new Date(Date.UTC(2026, 10, 23, 12, 0, at)).toISOString();
const ours = (user: string, at: number, fields: object = {}): string =>
  `${JSON.stringify({ v: 1, kind: 'decision', time: second(at), subject: { user }, action: 'orders:read', resource: 'orders:7', effect: 'Allow', enforced: false, ...fields })}\n`;
const pretty = (at: number, user = 'alice'): string =>
  `${second(at).slice(0, 19)}Z INF Access Granted action=rbac:GetRole context=null method=Permissive.Evaluate resource=x roles=[] user=${user}\n`;

/** Runs a subcommand over logs of a folder, which is left out of its output. */
async function over(name: string, content: Readonly<Record<string, string | Uint8Array>>, ...more: readonly string[]) {
  const folder = folderOf({ 'permissions.yaml': shopFile() });
  for (const [file, text] of Object.entries(content)) writeFileSync(join(folder, file), text);
  const logs = Object.keys(content).flatMap((file) => ['--log', join(folder, file)]);
  const flags = ['--file', join(folder, 'permissions.yaml'), '--fidelity', 'sidecar', ...more];
  const { code, out, err } = await permissions([name, ...flags, ...logs]);
  return { code, out: out.replaceAll(`${folder}/`, ''), err: err.replaceAll(`${folder}/`, '') };
}

describe('--log given several times', () => {
  test.each(['rehearse', 'replay', 'usage', 'tighten'])('%s reads all of them', async (name) => {
    // The second log alone has nothing to find.
    const [one, two] = [ours('eve', 5), ours('alice', 1)];
    const json = name === 'tighten' ? [] : ['--json'];
    const both = await over(name, { 'a.log': one, 'b.log': two }, ...json);
    expect(both).toEqual(await over(name, { 'a.log': two, 'b.log': one }, ...json));
    expect(both).toEqual(await over(name, { 'c.log': two + one }, ...json));
    expect(both).not.toEqual(await over(name, { 'b.log': two }, ...json));
  });

  test('their order makes no difference, nor how a log was split, nor gzip', async () => {
    const users = ['alice', 'eve', 'bob'];
    const lineArb = fc.record({
      user: fc.constantFrom(...users),
      effect: fc.constantFrom('Allow', 'Deny'),
      resource: fc.constantFrom('orders:1', 'orders:2', 'other'),
      file: fc.nat({ max: 2 }),
      isOdd: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(lineArb, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('replay', 'rehearse', 'usage'),
        async (lines, name) => {
          const texts = lines.map(({ user, effect, resource, isOdd }, i) =>
            isOdd ? pretty(i, user) : ours(user, i, { effect, resource }),
          );
          const part = (file: number) => texts.filter((_, i) => lines[i]?.file === file).join('');
          const parts = [0, 1, 2].map(part).filter((text) => text !== '');
          const withoutPlaces = (text: string) => {
            const { undecided, skipped, ...rest } = JSON.parse(text);
            return { ...rest, undecided: undecided.count };
          };
          const whole = await over(name, { 'a.log': texts.join('') }, '--json');
          const named = parts.map((text, i) => [`${parts.length - i}.log`, i === 1 ? gzipSync(text) : text]);
          const split = await over(name, Object.fromEntries(named), '--json');
          expect([split.code, withoutPlaces(split.out)]).toEqual([whole.code, withoutPlaces(whole.out)]);
        },
      ),
      runsOf(30),
    );
  });

  test('lines that do not tell a decision are named by file and line', async () => {
    const logs = { 'a.log': ours('alice', 1), 'b.log': `x\n${pretty(2)}`, 'c.log': pretty(0) };
    const { code, out, err } = await over('replay', logs);
    expect(code).toBe(2);
    expect(out).toContain(
      '2 lines do not tell what was decided (ambiguous), so they are not compared: b.log:2, c.log:1\n',
    );
    expect(err).toContain('1 line of b.log skipped (ambiguous), the first is line 2\n');
    const json = JSON.parse((await over('replay', logs, '--json')).out);
    expect(json.undecided.groups[0].lines).toEqual([
      { file: 'b.log', line: 2 },
      { file: 'c.log', line: 1 },
    ]);
    const { skipped } = JSON.parse((await over('rehearse', logs, '--json')).out);
    expect(skipped).toContainEqual({ reason: 'ambiguous', count: 1, firstLine: 1, file: 'c.log' });
  });

  test.each(['rehearse', 'replay', 'usage', 'tighten'])('%s fails if a log is missing or given twice', async (name) => {
    const folder = folderOf({ 'a.log': ours('alice', 1), 'permissions.yaml': shopFile() });
    const file = ['--file', join(folder, 'permissions.yaml')];
    const [log, none] = [join(folder, 'a.log'), join(folder, 'none.log')];
    for (const order of [
      [log, none],
      [none, log],
    ]) {
      const { code, out, err } = await permissions([name, ...file, ...order.flatMap((one) => ['--log', one])]);
      expect([code, out, err]).toEqual([64, '', `arango-services: --log ${none}: there is no such file\n`]);
    }
    const twice = await permissions([name, ...file, '--log', log, '--log', `${folder}/./a.log`]);
    expect([twice.code, twice.err]).toEqual([64, `arango-services: --log: ${folder}/./a.log is given twice\n`]);
    const stdin = () => ({ stdin: Readable.from([ours('alice', 1)]) });
    const dashes = await permissions([name, ...file, '--log', '-', '--log', '-'], stdin());
    expect([dashes.code, dashes.err]).toEqual([64, 'arango-services: --log: stdin is read already, for --log\n']);
    const fileToo = await permissions([name, '--file', '-', '--log', '-'], stdin());
    expect([fileToo.code, fileToo.out]).toEqual([64, '']);
    // One of them may be stdin.
    const mixed = await permissions([name, ...file, '--log', '-', '--log', log], stdin());
    expect([mixed.code === 64, mixed.err]).toEqual([false, '']);
  });

  test('a log without decisions is named beside others, and refused alone', async () => {
    const { code, err } = await over('replay', { 'a.log': ours('alice', 1), 'b.log': '' });
    expect([code, err]).toEqual([0, 'arango-services: --log b.log: the log is empty\n']);
    const none = await over('replay', { 'a.log': 'x\n', 'b.log': '' });
    expect([none.code, none.err.split('\n').at(-2)]).toEqual([
      64,
      'arango-services: --log a.log: the log holds no decisions: no line is one of this package or of the platform',
    ]);
  });
});

describe('lines that do not tell a decision', () => {
  test('replay exits with 2 for a log of such lines only', async () => {
    const { code, out } = await over('replay', { 'a.log': pretty(1) }, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([
      2,
      { undecided: { count: 1 }, gained: { count: 0 }, revoked: { count: 0 }, error: { count: 0 } },
    ]);
  });

  test('usage and tighten keep the role of administrators, and name the lines', async () => {
    const admins = `
policies: { keeper: { statements: [{ effect: Allow, actions: ["rbac:*"], resources: ["*"] }] } }
roles: { admin: { policies: [keeper] } }
bindings: [{ user: alice, role: admin, scope: all }]
scopes: { all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
`;
    const folder = folderOf({ 'permissions.yaml': admins, 'a.log': pretty(1) });
    const flags = ['--file', join(folder, 'permissions.yaml'), '--log', join(folder, 'a.log'), '--fidelity', 'sidecar'];
    const used = await permissions(['usage', ...flags]);
    expect([used.code, used.out]).toEqual([0, expect.stringContaining('Every part decided something, or may have.')]);
    expect(used.out).toContain('1 line does not tell what was decided (ambiguous), so nothing is listed');
    const out = join(folder, 'b.yaml');
    const { code, err } = await permissions(['tighten', ...flags, '--out', out]);
    expect([code, err]).toEqual([0, expect.stringContaining('so all is kept that may have allowed it: line 1\n')]);
    expect(readFileSync(out, 'utf8')).toMatch(/rbac:GetRole/);
    expect(readFileSync(out, 'utf8')).toMatch(/user: alice/);
  });
});

describe('the merged log', () => {
  const merged = async (...logs: readonly (string | Uint8Array)[]): Promise<string> => {
    const decoder = new TextDecoder();
    let text = '';
    // The cast: the bytes of gzip are in memory of their own.
    const chunks = mergeLogs(logs.map((log) => new Blob([log as string]).stream()));
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    return text;
  };

  test('has the lines of all in the order of their times; others stay behind the line before', async () => {
    const a = `${ours('a', 1)}stack\n trace\n${ours('a', 5)}`;
    const b = `${pretty(0)}pod | ${pretty(3)}${ours('b', 9)}`;
    expect(await merged(a, gzipSync(b))).toBe(
      `${pretty(0)}${ours('a', 1)}stack\n trace\npod | ${pretty(3)}${ours('a', 5)}${ours('b', 9)}`,
    );
    expect(await merged('', ours('a', 1), '')).toBe(ours('a', 1));
    expect(await merged('')).toBe('');
  });

  test('a line that is cut, too long or damaged stays one that is counted', async () => {
    const damaged = gzipSync(ours('a', 1).repeat(2_000)).subarray(0, 200);
    const text = await merged(
      `${pretty(1)}${pretty(2).slice(0, -4)}`,
      damaged,
      `${'y'.repeat(1_100_000)}\n${ours('c', 3)}`,
    );
    const log = readDecisions(new Blob([text]).stream());
    for await (const _ of log);
    const reasons = new Map(log.summary.skipped.map(({ reason, count }) => [reason, count]));
    // The cut lines of two logs, and the damage.
    expect([reasons.get('incomplete'), reasons.get('too-long')]).toEqual([3, 1]);
  });

  test('leaving it closes every log', async () => {
    let closed = 0;
    async function* log(at: number) {
      try {
        for (;;) yield new TextEncoder().encode(ours('a', at));
      } finally {
        closed += 1;
      }
    }
    for await (const _ of mergeLogs([log(1), log(2)])) break;
    expect(closed).toBe(2);
  });
});
