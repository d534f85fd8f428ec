import { expect, test } from 'vitest';
import { formatPath } from '../../../../src/base/lib/text/paths.js';
import { printable } from '../../../../src/base/lib/text/printable.js';
import { createEvaluator, explain, formatExplanation, lint, PolicyError } from '../../../../src/policy/index.js';

/** Characters that reverse text, move the cursor, or hide something. */
const unprintable = [
  '\u001b[2J',
  '\r\n',
  '\u0007',
  '\u007f',
  '\u009b31m',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\u2028',
  '\u{e0041}',
];
const all = unprintable.join('x');
const found = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test.each(unprintable)('escapes %j', (text) => {
  expect(printable(`a${text}b`)).not.toMatch(found);
  expect(printable(`a${text}b`)).toMatch(/^a\ufffd.*b$/u);
});

test('keeps readable text as it is', () => {
  const text = 'plain, "quoted", Zoë, 価格, عربى, ✓ 👍🏽';
  expect(printable(text)).toBe(text);
});

test('leaves names and patterns of policies unescaped', () => {
  expect(formatPath(['policies', all])).not.toMatch(found);
  const allow = { effect: 'Allow', actions: ['*'], resources: [all] } as const;
  const state = {
    policies: { [all]: { statements: [allow] } },
    roles: { [all]: { policies: [all, `${all}-missing`] } },
    bindings: [{ user: all, role: all, scope: { statements: [allow] } }],
  };
  const asked = { user: all, action: 'a:b', resource: all };
  const lines = formatExplanation(explain(createEvaluator(state), asked)).split('\n');
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) expect(line).not.toMatch(found);
  const findings = lint({ ...state, bindings: [{ user: all, role: `${all}-missing` }] });
  expect(findings.length).toBeGreaterThan(1);
  for (const { message } of findings) expect(message).not.toMatch(found);
  const broken = { policies: { [all]: { statements: [{ ...allow, resources: [`*${all}*`] }] } } };
  expect(() => createEvaluator(broken)).toThrow(PolicyError);
  try {
    createEvaluator(broken);
  } catch (error) {
    expect((error as PolicyError).message).not.toMatch(found);
    expect((error as PolicyError).issues[0]?.message).not.toMatch(found);
  }
});
