import { describe, expect, test } from 'vitest';
import { formatPath, lint } from '../../../src/policy/index.ts';
import { deceptionOf } from '../../../src/policy/lint/deceptive-names.ts';
import { everywhere } from '../support/fixtures.ts';

describe('a name deceives', () => {
  test.each([
    ['\u0430dmin', 'mixes letters of Cyrillic and Latin'],
    ['paypa\u03b9', 'mixes letters of Greek and Latin'],
    ['\u0437\u0430\u043a\u0430\u0437-a', 'mixes letters of Cyrillic and Latin'],
    ['\u65e5\u0430', 'mixes letters of Cyrillic and East Asian'],
    ['a\u0995', 'mixes letters of Latin and another script'],
    ['cafe\u0301', 'is not in the Unicode form NFC: the services compare bytes'],
    ['\u212b', 'is not in the Unicode form NFC: the services compare bytes'],
    ['ad\u200bmin', 'holds U+200B, which is not visible or changes the direction'],
    ['ad\u200dmin', 'holds U+200D, which is not visible or changes the direction'],
    ['\ufeffadmin', 'holds U+FEFF, which is not visible or changes the direction'],
    ['ad\u00admin', 'holds U+00AD, which is not visible or changes the direction'],
    ['a\u202enimd', 'holds U+202E, which is not visible or changes the direction'],
    ['a\u2066b', 'holds U+2066, which is not visible or changes the direction'],
    ['\u3164', 'holds U+3164, which is not visible or changes the direction'],
    ['a\u{e0041}', 'holds U+E0041, which is not visible or changes the direction'],
    ['a\nb', 'holds U+000A, which is not visible or changes the direction'],
  ])('%j', (name, problem) => {
    expect(deceptionOf(name)).toBe(problem);
  });
});

test.each([
  'admin-7_x.y@z',
  'caf\u00e9',
  'Stra\u00dfe',
  '\u0437\u0430\u043a\u0430\u0437\u044b-7',
  '\u03b1\u03b2\u03b3',
  '\u6771\u4eacTokyo\u30bf\u30ef\u30fc',
  '\ud55c\uad6d',
  '\u05e9\u05dc\u05d5\u05dd',
  'a\u{1f600}',
])('%j does not', (name) => {
  expect(deceptionOf(name)).toBeUndefined();
});

test('lint names policies, roles, users and patterns, each once, and can leave the rule out', () => {
  const bad = '\u0430b';
  const state = {
    policies: {
      [bad]: { statements: [{ effect: 'Allow' as const, actions: [`x:${bad}`], resources: [`${bad}:*`, 'ok'] }] },
    },
    roles: { [`r${bad}`]: { policies: [bad, bad] } },
    bindings: [1, 2].map((i) => ({ user: `u${bad}`, role: i === 1 ? `r${bad}` : 'r', scope: everywhere })),
  };
  const places = (rules: object) =>
    lint(state, { rules }).flatMap(({ rule, path }) => (rule === 'deceptive-name' ? formatPath(path) : []));
  expect(places({})).toEqual([
    `policies.${bad}`,
    `roles.r${bad}`,
    `policies.${bad}.statements[0].actions[0]`,
    `policies.${bad}.statements[0].resources[0]`,
    'bindings[0].user',
  ]);
  expect(places({ 'deceptive-name': 'off' })).toEqual([]);
});
