import { describe, expect, test } from 'vitest';
import {
  createEvaluator,
  formatPath,
  type Issue,
  PolicyError,
  type PolicyState,
  validateBinding,
  validatePolicy,
  validateRole,
} from '../../../src/policy/index.ts';

const statement = { effect: 'Allow', actions: ['a:b'], resources: ['c'] };
const lines = (issues: readonly Issue[]) => issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
const policyWith = (field: object) => ({ statements: [statement, { ...statement, ...field }] });

describe('validatePolicy', () => {
  test.each([
    [{ statements: [] }],
    [{ statements: [{ ...statement, description: 'text' }], description: '', more: 1 }],
    [policyWith({ effect: 'Deny', actions: [], resources: [] })],
    [policyWith({ actions: ['*', '*:*', 'a*:*b', 'a*b:c'], resources: ['*', ':', 'a::b', '*:*:*', 'a*b'] })],
  ])('accepts %j', (policy) => {
    expect(validatePolicy(policy)).toEqual([]);
  });

  const action = 'statements[1].actions[0]: ';
  const resource = 'statements[1].resources[0]: ';
  const unparsable = (segment: string) => `has the segment "${segment}" with "*" at both ends`;
  test.each([
    [policyWith({ effect: 'allow' }), ['statements[1].effect: expected one of Allow, Deny, got a string']],
    [policyWith({ effect: undefined }), ['statements[1].effect: expected one of Allow, Deny, got undefined']],
    [policyWith({ actions: ['a'] }), [`${action}must be "*" or "<namespace>:<name>"`]],
    [policyWith({ actions: [''] }), [`${action}must be "*" or "<namespace>:<name>"`]],
    [policyWith({ actions: ['a:b:c'] }), [`${action}must be "*" or "<namespace>:<name>"`]],
    [policyWith({ actions: [':b'] }), [`${action}must be "*" or "<namespace>:<name>"`]],
    [policyWith({ actions: ['a:'] }), [`${action}must be "*" or "<namespace>:<name>"`]],
    [policyWith({ actions: ['*x*:b'] }), [`${action}${unparsable('*x*')}`]],
    [policyWith({ actions: ['a:**'] }), [`${action}${unparsable('**')}`]],
    [policyWith({ actions: [5] }), [`${action}expected a string, got a number`]],
    [policyWith({ resources: [''] }), [`${resource}must not be empty`]],
    [policyWith({ resources: ['a:*x*:b'] }), [`${resource}${unparsable('*x*')}`]],
    [policyWith({ resources: ['**'] }), [`${resource}${unparsable('**')}`]],
    [policyWith({ resources: ['a\ud83d'] }), [`${resource}holds a lone surrogate`]],
    [policyWith({ resources: [null] }), [`${resource}expected a string, got null`]],
    [policyWith({ resources: 'c' }), ['statements[1].resources: expected a list, got a string']],
    [policyWith({ actions: undefined }), ['statements[1].actions: expected a list, got undefined']],
    [policyWith({ description: 1 }), ['statements[1].description: expected a string, got a number']],
    [
      { statements: [null, []] },
      ['statements[0]: expected an object, got null', 'statements[1]: expected an object, got a list'],
    ],
    [{ statements: new Array(1) }, ['statements[0]: expected an object, got undefined']],
    [{ statements: {} }, ['statements: expected a list, got an object']],
    [{}, ['statements: expected a list, got undefined']],
    [{ statements: [], description: 0 }, ['description: expected a string, got a number']],
    [{ statements: [], description: null }, []],
    [
      policyWith({ effect: 1, actions: ['a', ''], resources: ['', 'x'] }),
      [
        'statements[1].effect: expected one of Allow, Deny, got a number',
        `${action}must be "*" or "<namespace>:<name>"`,
        'statements[1].actions[1]: must be "*" or "<namespace>:<name>"',
        `${resource}must not be empty`,
      ],
    ],
  ])('lists the issues of %j', (policy, expected) => {
    expect(lines(validatePolicy(policy))).toEqual(expected);
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [1, 'a number'],
    ['x', 'a string'],
    [[], 'a list'],
    [true, 'a boolean'],
    [Symbol('x'), 'a symbol'],
    [() => 1, 'a function'],
  ])('never throws: %o', (value, kind) => {
    for (const validate of [validatePolicy, validateRole, validateBinding]) {
      expect(validate(value)).toEqual([{ path: [], message: `expected an object, got ${kind}` }]);
    }
  });

  test('names the segment that cannot be parsed', () => {
    expect(validatePolicy(policyWith({ resources: ['a:*x*'] }))[0]?.segment).toBe('*x*');
    expect(validatePolicy(policyWith({ resources: [''] }))[0]).not.toHaveProperty('segment');
  });
});

describe('validateRole and validateBinding', () => {
  test.each([
    [{ policies: [] }, []],
    [{ policies: ['missing', 'x'], scope: null, description: '' }, []],
    [{ policies: ['p'], scope: { statements: [] } }, []],
    [{}, ['policies: expected a list, got undefined']],
    [{ policies: ['p', '', 1] }, ['policies[1]: must not be empty', 'policies[2]: expected a string, got a number']],
    [{ policies: [], description: 1 }, ['description: expected a string, got a number']],
    [{ policies: [], scope: {} }, ['scope.statements: expected a list, got undefined']],
    [
      { policies: [], scope: policyWith({ effect: '' }) },
      ['scope.statements[1].effect: expected one of Allow, Deny, got an empty string'],
    ],
  ])('role %j', (role, expected) => {
    expect(lines(validateRole(role))).toEqual(expected);
  });

  test.each([
    [{ user: 'u', role: 'r' }, []],
    [{ user: 'u', role: 'r', scope: null }, []],
    [{ user: 'u', role: 'r', scope: { statements: [statement] } }, []],
    [{}, ['user: expected a string, got undefined', 'role: expected a string, got undefined']],
    [{ user: '', role: '' }, ['user: must not be empty', 'role: must not be empty']],
    [{ user: 'u', role: 'r', scope: 1 }, ['scope: expected an object, got a number']],
    [
      { user: 'u', role: 'r', scope: policyWith({ actions: ['x'] }) },
      ['scope.statements[1].actions[0]: must be "*" or "<namespace>:<name>"'],
    ],
  ])('binding %j', (binding, expected) => {
    expect(lines(validateBinding(binding))).toEqual(expected);
  });
});

describe('an invalid state', () => {
  // The casts: JSON that is not of the expected type.
  const create = (state: unknown) => createEvaluator(state as PolicyState);
  const bad = { statements: [{ effect: 'Allow', actions: ['x'], resources: ['*x*'] }] };

  test('is rejected with every issue and its path', () => {
    const state = {
      policies: { ok: { statements: [] }, 'a b': bad, '': { statements: [] } },
      roles: new Map([['r', { policies: [''] }]]),
      bindings: [{ user: 'u', role: 'r' }, { user: '', role: 'r', scope: bad }, 5],
    };
    let error: unknown;
    try {
      create(state);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(PolicyError);
    const { issues, code, name, message } = error as PolicyError;
    expect([code, name]).toEqual(['POLICY', 'PolicyError']);
    expect(lines(issues).map((line) => line.split(': ')[0])).toEqual([
      'policies["a b"].statements[0].actions[0]',
      'policies["a b"].statements[0].resources[0]',
      'policies[""]',
      'roles.r.policies[0]',
      'bindings[1].user',
      'bindings[1].scope.statements[0].actions[0]',
      'bindings[1].scope.statements[0].resources[0]',
      'bindings[2]',
    ]);
    expect(message).toBe(
      'Invalid policy state: policies["a b"].statements[0].actions[0]: must be "*" or "<namespace>:<name>" (and 7 more)',
    );
  });

  test('rejects an unknown effect in a policy, a scope and a change', () => {
    const odd = policyWith({ effect: 'X' });
    expect(() => create({ policies: { p: odd } })).toThrow(
      'policies.p.statements[1].effect: expected one of Allow, Deny, got a string',
    );
    expect(() => create({ roles: { r: { policies: [], scope: odd } } })).toThrow(
      'roles.r.scope.statements[1].effect: expected one of Allow, Deny, got a string',
    );
    expect(() => create({}).setPolicy('p', odd as never)).toThrow(
      'policies.p.statements[1].effect: expected one of Allow, Deny, got a string',
    );
  });

  test('has one issue in its message', () => {
    expect(() => create({ bindings: [5] })).toThrow(
      /^Invalid policy state: bindings\[0\]: expected an object, got a number$/,
    );
  });

  test.each([
    [{ policies: [] }, 'policies: expected an object or a Map, got a list'],
    [{ policies: null }, 'policies: expected an object or a Map, got null'],
    [{ roles: 'x' }, 'roles: expected an object or a Map, got a string'],
    [{ bindings: {} }, 'bindings: expected a list, got an object'],
    [{ bindings: null }, 'bindings: expected a list, got null'],
    [{ bindings: 'x' }, 'bindings: expected a list, got a string'],
  ])('is rejected by the name of the part: %j', (state, message) => {
    expect(() => create(state)).toThrow(`Invalid policy state: ${message}`);
    expect(() => createEvaluator(state as unknown as PolicyState, { fidelity: 'sidecar' })).not.toThrow();
  });

  test('rejects an invalid change and changes nothing', () => {
    const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
    const evaluator = create({
      policies: { p: everything },
      roles: { r: { policies: ['p'] } },
      bindings: [{ user: 'u', role: 'r', scope: everything }],
    });
    const refuse = (change: () => void, start: string) => expect(change).toThrow(`Invalid policy state: ${start}`);
    refuse(() => evaluator.setPolicy('p', bad as never), 'policies.p.statements[0].actions[0]: must be');
    refuse(() => evaluator.setPolicy('', everything), 'policies[""]: must not be empty');
    refuse(() => evaluator.setRole('r', {} as never), 'roles.r.policies: expected a list, got undefined');
    refuse(() => evaluator.setRole('', { policies: [] }), 'roles[""]: must not be empty');
    refuse(() => evaluator.setBinding({ user: 'u', role: 'r', scope: bad as never }), 'binding.scope.statements[0]');
    expect(evaluator.evaluate({ user: 'u', action: 'a:b', resource: 'c' }).allowed).toBe(true);
  });
});

test('formatPath quotes names that need it', () => {
  expect(formatPath([])).toBe('');
  expect(formatPath(['policies', 'read-only', 'statements', 0, 'actions', 1])).toBe(
    'policies.read-only.statements[0].actions[1]',
  );
  expect(formatPath(['roles', 'a.b', 'ü_1', '', 'x"'])).toBe('roles["a.b"].ü_1[""]["x\\""]');
});
