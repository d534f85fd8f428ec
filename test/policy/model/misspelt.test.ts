import { describe, expect, test } from 'vitest';
import {
  createEvaluator,
  lint,
  type Role,
  validateBinding,
  validatePolicy,
  validateRole,
} from '../../../src/policy/index.ts';

const nothing = { statements: [] };
const misspeltRole = { policies: [], scopes: nothing };
const reader = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

describe('a key of an item that is similar to a known one is refused: without its scope a role allows everything', () => {
  // The cast: a caller without types.
  const misspelt = (scope: string) => ({ policies: ['reader'], [scope]: nothing }) as Role;

  test.each(['scop', 'scopes', 'Scope', 'sscope'])('%s of a role', (key) => {
    const evaluator = createEvaluator({ policies: { reader }, roles: { viewer: { policies: [], scope: nothing } } });
    const message = `roles.viewer.${key}: unknown (did you mean "scope"?)`;
    expect(() => evaluator.setRole('viewer', misspelt(key))).toThrow(message);
    expect(() => createEvaluator({ roles: { viewer: misspelt(key) } })).toThrow(message);
    // Nothing has changed.
    expect(evaluator.role('viewer')).toEqual({ policies: [], scope: nothing });
  });

  test('of policies, statements and bindings, too, each with its path', () => {
    expect(validatePolicy({ ...nothing, descripton: '' })).toMatchObject([{ path: ['descripton'] }]);
    const [statement] = reader.statements;
    expect(validatePolicy({ statements: [{ ...statement, resource: [] }] })).toMatchObject([
      { path: ['statements', 0, 'resource'] },
    ]);
    expect(validateRole({ policies: [], scope: { ...nothing, statement: [] } })).toMatchObject([
      { path: ['scope', 'statement'] },
    ]);
    expect(validateBinding({ user: 'a', role: 'r', scope: nothing, scopes: nothing })).toMatchObject([
      { path: ['scopes'], message: expect.stringContaining('did you mean "scope"?') },
    ]);
  });

  test('other keys are ignored, as newer services may add some', () => {
    expect(validateRole({ policies: [], index: 7, owner: 'x' })).toEqual([]);
    expect(validateBinding({ user: 'a', role: 'r', since: 7 })).toEqual([]);
  });

  test('in sidecar fidelity the items of the services stay as they are', () => {
    const evaluator = createEvaluator({ policies: { reader } }, { fidelity: 'sidecar' });
    evaluator.setRole('viewer', misspelt('scopes'));
    expect(evaluator.role('viewer')).toEqual({ policies: ['reader'] });
  });
});

test('lint refuses a misspelt part of a state, in which it would find nothing', () => {
  // The cast: a caller without types.
  expect(() => lint({ polices: {} } as never)).toThrow('polices: unknown (did you mean "policies"?)');
  expect(lint({ roles: { r: misspeltRole } } as never)).toContainEqual(
    expect.objectContaining({ rule: 'invalid', path: ['roles', 'r', 'scopes'] }),
  );
});
