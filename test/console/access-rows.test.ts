import { expect, test } from 'vitest';
import { compareStates } from '../../src/console/answers/policy-views.ts';

test('rows of gained and lost access have neither a sign nor the name of a flag', () => {
  const names = Array.from({ length: 22 }, (_, index) => `n${index}`);
  const policyOf = (name: string) => ({
    statements: [{ effect: 'Allow' as const, actions: [`${name}:read`], resources: [`${name}:*`] }],
  });
  const full = {
    policies: Object.fromEntries(names.map((name) => [name, policyOf(name)])),
    roles: Object.fromEntries(names.map((name) => [name, { policies: [name] }])),
    bindings: names.map((name) => ({
      user: name,
      role: name,
      scope: { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] },
    })),
  };
  for (const { gained, lost } of [compareStates({}, full), compareStates(full, {})]) {
    const texts = [...gained, ...lost].map(({ text }) => text);
    expect(texts).toHaveLength(21);
    expect(texts[0]).toMatch(/^user "n0" of role "n0" /);
    expect(texts.at(-1)).toBe('and 2 more groups of 2 users');
  }
});
