import { describe, expect, test } from 'vitest';
import { isDenied, permissions, question, toggleDenial, user } from '../../site/.vitepress/theme/first/example.ts';
import { readPermissions } from '../../src/permissions/index.js';
import { createEvaluator } from '../../src/policy/index.js';

const decide = async (text: string) => {
  const { policies, roles, bindings } = await readPermissions('permissions.yaml', { read: () => text });
  return createEvaluator({ policies, roles, bindings }).evaluate({ user, ...question }).effect;
};

describe('the permissions of the first screen', () => {
  test('are a file that the command reads, and allow the request until the Deny is added', async () => {
    expect(await decide(permissions)).toBe('Allow');
    const denied = toggleDenial(permissions);
    expect([isDenied(permissions), isDenied(denied)]).toEqual([false, true]);
    expect(await decide(denied)).toBe('Deny');
    expect(toggleDenial(denied)).toBe(permissions);
  });

  test('have no line that is wider than a phone', () => {
    const lines = toggleDenial(permissions).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test('stay as they are typed if the Deny has no place', () => {
    expect(toggleDenial('policies: {}')).toBe('policies: {}');
    expect(toggleDenial('')).toBe('');
  });
});
