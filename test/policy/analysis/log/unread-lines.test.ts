import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compare, leastPrivilege, permissionUsage, rehearse, replay } from '../../../../src/policy/analysis/index.ts';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import type { PolicyState } from '../../../../src/policy/index.ts';
import { jsonLine, prettyLine } from '../../decisions/platform-lines.ts';
import { allow, decisionOf, deny, everywhere } from './support.ts';

const state: PolicyState = {
  policies: {
    reader: { statements: [allow(['orders:read'], ['order:*']), deny(['orders:*'], ['order:secret:*'])] },
    idle: { statements: [allow(['billing:pay'], ['*'])] },
    spare: { statements: [allow(['*'], ['*'])] },
  },
  roles: { viewer: { policies: ['reader'] }, payer: { policies: ['idle'] }, empty: { policies: [] } },
  bindings: [
    { user: 'bob', role: 'viewer', scope: everywhere },
    { user: 'carol', role: 'payer', scope: everywhere },
    { user: 'dan', role: 'empty', scope: everywhere },
  ],
};
const options = { fidelity: 'sidecar' } as const;
const known = JSON.stringify(decisionOf({ subject: { user: 'bob' } }));
const line = JSON.stringify(decisionOf({ subject: { user: 'carol' }, action: 'billing:pay' }));
const question = { user: 'carol', roles: [], action: 'billing:pay', resource: 'x', granted: true };
const read = (...lines: readonly (string | Uint8Array)[]) => readDecisions(new Blob(lines as BlobPart[]).stream());
const zipped = gzipSync(`${known}\n${`${line}\n`.repeat(2_000)}`);

describe.each<[string, () => ReturnType<typeof read>, number?]>([
  ['incomplete', () => read(`${known}\n${line.slice(0, -1)}\n`)],
  ['incomplete', () => read(`${known}\n${prettyLine({ ...question, user: 'u'.repeat(20_000) })}\n`)],
  ['too-long', () => read(`${known}\n`, `${line.slice(0, -1)},"x":"${'x'.repeat(1_048_576)}"}\n`)],
  ['not-utf8', () => read(`${known}\n`, Buffer.from(`${line.replace('order', '\xe9')}\n`, 'latin1'))],
  ['invalid', () => read(`${known}\n${line.replace('"action"', '"action":"a","action"')}\n`)],
  ['invalid', () => read(`${known}\n${line.replace('"action"', '"axtion"')}\n`)],
  ['other-version', () => read(`${known}\n{"v":2,"kind":"decision"}\n`)],
  ['dropped', () => read(`${known}\n{"v":1,"kind":"gap","time":"2026-11-23T12:00:00Z","dropped":1}\n`)],
  ['damaged', () => read(zipped.subarray(0, -9)), 2_001],
])('of a line nothing is known: %s', (reason, open, number = 2) => {
  const undecided = {
    count: 1,
    firstSeen: undefined,
    lastSeen: undefined,
    groups: [{ reason, count: 1, firstSeen: undefined, lastSeen: undefined, lines: [{ line: number }] }],
  };

  test('usage lists only parts that cannot have decided anything', async () => {
    const { log: _, ...found } = await permissionUsage(open(), state, options);
    expect(found).toEqual({
      statements: [{ policy: 'spare', statement: 0 }],
      policies: ['spare'],
      roles: ['empty'],
      bindings: [{ user: 'dan', role: 'empty' }],
      undecided,
    });
  });

  test('leastPrivilege keeps all that allows something', async () => {
    const { state: least, undecided: left } = await leastPrivilege(open(), state, options);
    expect(compare(state, least, options)).toMatchObject({ gained: [], lost: [] });
    expect([least.policies(), least.roles(), left]).toEqual([['idle', 'reader'], ['payer', 'viewer'], undecided]);
  });

  test('replay and rehearse count it as undecided', async () => {
    expect((await replay(open(), state, options)).undecided).toEqual(undecided);
    expect((await rehearse(open(), state, options)).undecided).toEqual(undecided);
  });
});

describe('a last line that breaks off', () => {
  // A shorter piece of a pretty line could be any number.
  const texts = [
    [line, 1],
    [jsonLine(question), 1],
    [prettyLine(question), '2026-11-23T'.length],
    [prettyLine(question).replace('Granted', 'Denied'), '2026-11-23T'.length],
    [prettyLine(question).replace('INF', 'WRN'), '2026-11-23T'.length],
  ] as const;
  test.each(texts)('may hide a decision, wherever it does: %s', async (text, least) => {
    for (let length = least; length < text.length; length++) {
      const { undecided } = await permissionUsage(read(`${known}\n${text.slice(0, length)}`), state, options);
      expect([length, undecided.groups.map(({ reason }) => reason)]).toEqual([length, ['incomplete']]);
    }
  });

  test.each([
    `${line}\n`,
    line,
    `${line}\n{"a`,
    `${line}\n2026-11-23 GET /`,
    `${line}\n2026-11-23T04:06:12Z GET /`,
    `${line}\n\n`,
  ])('hides none if it is whole, or of another program: %j', async (text) => {
    expect((await permissionUsage(read(text), state, options)).undecided.count).toBe(0);
  });
});
