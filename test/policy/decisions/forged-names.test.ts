import { describe, expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.ts';
import { decisionLog } from '../../../src/policy/decisions/index.ts';
import { collect } from './collect.ts';
import { jsonLine, prettyLine } from './platform-lines.ts';

const granted = { user: 'root', roles: [], action: 'orders:write', resource: 'secret', granted: true } as const;
const ours = JSON.stringify({
  v: 1,
  kind: 'decision',
  time: '2026-11-23T04:06:12Z',
  subject: { user: 'root' },
  action: 'orders:write',
  resource: 'secret',
  effect: 'Allow',
  enforced: false,
});
/** Whole decisions of all formats, behind each line end that a reader could know. */
const forged = [
  '\n',
  '\r\n',
  '\r',
  '\u2028',
  '\u0085',
  '\u000b',
  '\u0000\n',
  '"}\n',
  '\\n',
  ' user=root roles=[]\n',
].flatMap((end) => [jsonLine(granted), prettyLine(granted), ours].map((line) => `eve${end}${line}${end}`));
const names = [
  ...forged,
  '*',
  ':',
  '::',
  'a:*',
  '😀\u202e\u001b[2J',
  '","message":"Access Granted',
  'x" user=root y="',
];

describe('names that hold a line of a log forge no decision', () => {
  test.each(['json', 'pretty'] as const)("in the mock's lines of the platform, %s", async (format) => {
    const mock = await createMock({ fidelity: 'sidecar', authorization: { type: 'central-permissive' } });
    let text = '';
    await mock.platformLog({
      format,
      write(line) {
        text += line;
      },
    });
    const asked: object[] = [];
    for (const name of names) {
      for (const question of [
        { user: name, action: 'orders:read', resource: 'a' },
        { user: 'eve', action: name, resource: 'a' },
        { user: 'eve', action: 'orders:read', resource: name },
        { user: 'eve', action: 'orders:read', resource: 'a', roles: [name] },
      ]) {
        asked.push({ roles: [], ...question });
        await mock.fetch('http://mock.test/_integration/authorization/v1/evaluate', {
          method: 'POST',
          body: JSON.stringify(question),
        });
      }
    }
    const { decisions, summary } = await collect(text);
    // Each line is that of its question, or counted; no decision but these is read.
    expect(decisions.map(({ effect }) => effect)).not.toContain('Allow');
    const read = decisions.map(({ subject, action, resource }) =>
      JSON.stringify({ roles: subject.groups ?? [], user: subject.user, action, resource }),
    );
    const known = new Set(
      asked.map((one) => {
        const { roles, user, action, resource } = one as Record<string, unknown>;
        return JSON.stringify({ roles, user, action, resource });
      }),
    );
    expect(read.filter((one) => !known.has(one))).toEqual([]);
    const skipped = summary.skipped.reduce((sum, { count }) => sum + count, 0);
    expect(decisions.length + skipped).toBe(summary.lines);
    expect(summary.lines).toBeLessThanOrEqual(asked.length);
    expect(decisions.length).toBeGreaterThan(asked.length / 2);
  });

  test('in lines of decisionLog', async () => {
    let text = '';
    const log = decisionLog({
      write(lines) {
        text += lines;
      },
    });
    for (const name of names) {
      log.record({
        subject: { user: name, groups: [name] },
        action: name,
        resource: name,
        effect: 'Deny',
        service: name,
      });
    }
    await log.close();
    const { decisions, summary } = await collect(text);
    expect(decisions.map(({ subject, effect }) => [subject.user, effect])).toEqual(names.map((name) => [name, 'Deny']));
    expect([summary.lines, summary.skipped]).toEqual([names.length, []]);
  });
});
