import { describe, expect, test } from 'vitest';
import { replay } from '../../../src/policy/analysis/index.ts';
import { readDecisions } from '../../../src/policy/decisions/index.ts';
import { collect } from './collect.ts';
import { jsonLine, prettyLine } from './platform-lines.ts';

const time = '2026-11-23T03:40:00Z';
const ours = JSON.stringify({
  v: 1,
  kind: 'decision',
  time,
  subject: { user: 'alice' },
  action: 'orders:read',
  resource: 'orders:eu:7',
  effect: 'Deny',
  enforced: true,
  because: [{ role: 'r', policy: 'p', statement: 0 }],
});
const question = { user: 'alice', roles: ['viewer'], action: 'orders:read', resource: 'order:7', granted: true };
const asked = jsonLine(question);
const reasonsOf = async (text: string) => (await collect(text)).summary.skipped.map(({ reason }) => reason);

describe('a key that stands twice in a line', () => {
  test.each([
    ['the effect', ours.replace('"Deny"', '"Deny","effect":"Allow"')],
    ['the same value', ours.replace('"Deny"', '"Deny","effect":"Deny"')],
    ['the user', ours.replace('"alice"', '"alice","user":"bob"')],
    ['a field that decides nothing', ours.replace('"v":1', '"x":1,"x":2,"v":1')],
    ['in another spelling', ours.replace('"Deny"', '"Deny","\\u0065ffect":"Allow"')],
    ['with a space', ours.replace('"Deny"', '"Deny","effect" : "Allow"')],
    ['in a statement', ours.replace('"role":"r"', '"role":"r","role":"s"')],
    ['in a context', ours.replace('"v":1', '"v":1,"context":{"a":{"b":1,"b":2}}')],
    ['the message of a line of this package', ours.replace('"v":1', '"v":1,"message":"a","message":"b"')],
    ['the user of a line of the platform', asked.replace('"user"', '"user":"bob","user"')],
    ['the level of a line of the platform', asked.replace('"level"', '"level":"debug","level"')],
  ])('%s: the line is not valid, and its question is not known', async (_, line) => {
    expect(line).not.toBe(ours);
    expect(await reasonsOf(`${line}\n`)).toEqual(['invalid']);
    const { undecided } = await replay(readDecisions(new Blob([`${line}\n`]).stream()), {});
    expect(undecided).toMatchObject({ count: 1, firstSeen: undefined, groups: [{ reason: 'invalid' }] });
  });

  test.each([
    ['the two messages of the platform', asked],
    ['one key in two objects', ours.replace('"v":1', '"v":1,"context":{"effect":1,"user":2}')],
    ['a value like a key', ours.replace('eu:7', '\\",\\"effect\\":')],
    ['spaces', ours.replaceAll(':', ': ').replaceAll(',', ' , ')],
    ['spaces before colons', ours.replaceAll('":', '" :')],
  ])('%s is fine', async (_, line) => {
    // The times of lines with more spaces have some, too.
    expect(await reasonsOf(`${line.replaceAll('03: 40: 00', '03:40:00')}\n`)).toEqual([]);
  });

  test('lines of other programs count as foreign', async () => {
    expect(await reasonsOf('{"a":1,"a":2}\n')).toEqual(['foreign']);
  });
});

test('a byte order mark is not read as a part of a line, at the start of a log or of a file appended to it', async () => {
  const { decisions, summary } = await collect(`\ufeff${ours}\r\n\ufeff${ours}\n\ufeff${prettyLine(question)}\n`);
  expect([decisions.length, summary.skipped]).toEqual([3, []]);
});

describe('a line that cannot be read', () => {
  test.each([
    ['invalid', 'without an effect', ours.replace('"effect":"Deny",', '')],
    ['invalid', 'with another type', ours.replace('"enforced":true', '"enforced":"true"')],
    ['invalid', 'of the platform, with an object of a collector', asked.replace('{', '{"kubernetes":{"pod":"a"},')],
    ['invalid', 'of the platform, with roles of another type', asked.replace('["viewer"]', '"viewer"')],
    ['invalid', 'of the platform, with messages that differ', asked.replace('"Access Granted"', '"Explicit deny"')],
    ['invalid', 'in the pretty format, with another key', `${prettyLine(question)} zone=eu`],
    ['other-version', 'of a newer version', ours.replace('"v":1', '"v":2')],
    ['other-version', 'of a newer kind', ours.replace('"decision"', '"verdict"')],
  ])('is undecided if its question can be read: %s, %s', async (reason, _, line) => {
    const log = readDecisions(new Blob([`${line}\n`]).stream());
    const { undecided, log: extent } = await replay(log, {});
    expect(undecided.groups).toMatchObject([{ reason, count: 1, lines: [{ line: 1 }] }]);
    expect([extent.count, log.summary.skipped]).toEqual([0, [{ reason, count: 1, firstLine: 1 }]]);
  });

  test('is undecided without a time if its question cannot be read either', async () => {
    const lines = [ours.replace('"action"', '"axtion"'), ours.replace(time, 'noon'), ours.replace('"user"', '"x"')];
    const text = lines.map((line) => `${line.replace('"effect":"Deny",', '')}\n`).join('');
    const { undecided } = await replay(readDecisions(new Blob([text]).stream()), {});
    expect(undecided).toMatchObject({ count: 3, firstSeen: undefined, groups: [{ reason: 'invalid' }] });
  });
});
