import { aql } from 'arangojs/aql';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resourceFilter, toAql } from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type PolicyState } from '../../../src/policy/index.ts';
import { faultyStateArb, requestFor, stateArb } from '../support/arbitrary.ts';
import { allow, deny, everywhere, policy } from '../support/fixtures.ts';
import { evaluateAql } from './support/aql-interpreter.ts';

/** A state in which `u` has a role for each of these policies. */
function stateOf(...policies: ReturnType<typeof policy>[]): PolicyState {
  return {
    policies: Object.fromEntries(policies.map((one, i) => [`p${i}`, one])),
    roles: Object.fromEntries(policies.map((_, i) => [`r${i}`, { policies: [`p${i}`] }])),
    bindings: policies.map((_, i) => ({ user: 'u', role: `r${i}`, scope: everywhere })),
  };
}

const filterOf = (...policies: ReturnType<typeof policy>[]) =>
  resourceFilter(stateOf(...policies), { user: 'u', action: 'a:b' });

describe('resourceFilter', () => {
  test.each([
    ['all', [policy(allow('*'))], [{ resource: '*', except: [] }], []],
    ['none', [], [], []],
    ['none', [policy(allow('a'), deny('*'))], [], []],
    [
      'patterns',
      [policy(allow('a:*', 'b'))],
      [
        { resource: 'a:*', except: [] },
        { resource: 'b', except: [] },
      ],
      [],
    ],
    ['patterns', [policy(allow('*'), deny('s:*'))], [{ resource: '*', except: [] }], ['s:*']],
    ['all', [policy(allow('*'), deny('s:*')), policy(allow('*'))], [{ resource: '*', except: [] }], []],
  ])('%s: a Deny that holds for all is an exception from all', (kind, policies, allowed, except) => {
    expect(filterOf(...policies)).toMatchObject({ kind, allow: allowed, except });
  });

  test('a Deny in one role is an exception from that role alone', () => {
    const filter = filterOf(policy(allow('a:*'), deny('a:s:*')), policy(allow('a:s:1')));
    expect(filter.allow).toEqual([
      { resource: 'a:*', except: ['a:s:*'] },
      { resource: 'a:s:1', except: [] },
    ]);
    expect(['a:b', 'a:s:1', 'a:s:2', 7, undefined].map(filter.matches)).toEqual([true, true, false, false, false]);
  });

  test('the superuser may list everything, even for the empty action', () => {
    for (const action of ['a:b', '']) expect(resourceFilter({}, { superuser: true, action }).kind).toBe('all');
    expect(resourceFilter(stateOf(everywhere), { user: 'u', action: '' }).kind).toBe('none');
  });

  test.each([
    [{ user: 'u', action: 'a:*' }, 'question.action: expected an action, not a pattern'],
    [{ user: 'u', action: '*x*' }, 'question.action: '],
    [{ user: 7, action: 'a:b' }, 'question: expected { user }'],
    [{ user: 'u' }, 'question.action: expected a string, got undefined'],
  ])('refuses %j', (question, message) => {
    expect(() => resourceFilter({}, question as never)).toThrow(message);
  });
});

test('the kind is "all" if several regions cover all resources together', () => {
  const role = (name: string) => policy(allow('*'), { effect: 'Deny', actions: ['*'], resources: [name] });
  const state = {
    policies: { p: role('a:*'), q: role('b'), b: policy(allow('b')) },
    roles: { r: { policies: ['p'] }, s: { policies: ['q'] }, t: { policies: ['b'] } },
  };
  const kindFor = (...roles: string[]) => resourceFilter(state, { roles, action: 'x:y' });
  expect(kindFor('r', 's')).toMatchObject({ kind: 'all', allow: [{ resource: '*', except: [] }], except: [] });
  expect(kindFor('s', 't').kind).toBe('all');
  expect(kindFor('r', 't').kind).toBe('patterns');
});

describe('toAql', () => {
  const condition = (...resources: string[]) => toAql(filterOf(policy(allow(...resources))), ['doc', 'resource']);

  test('writes conditions with bind variables', () => {
    expect(condition('a:*')).toEqual({
      query: '(IS_STRING(`doc`.`resource`) && STARTS_WITH(`doc`.`resource`, @resource_0))',
      bindVars: { resource_0: 'a:' },
    });
    expect(condition('a', 'b*')).toEqual({
      query:
        '(IS_STRING(`doc`.`resource`) && (`doc`.`resource` == @resource_0 || ' +
        '(LENGTH(SPLIT(`doc`.`resource`, @resource_1)) == 1 && ' +
        'STARTS_WITH(SPLIT(`doc`.`resource`, @resource_1)[0], @resource_2))))',
      bindVars: { resource_0: 'a', resource_1: ':', resource_2: 'b' },
    });
    expect(condition('*')).toEqual({ query: 'IS_STRING(`doc`.`resource`)', bindVars: {} });
    expect(condition()).toEqual({ query: 'false', bindVars: {} });
  });

  test("fits into arangojs's template, which binds the texts of both", () => {
    const filter = toAql(filterOf(policy(allow('a:*'))), ['doc', 'where', 'resource'], { prefix: 'may' });
    const { query, bindVars } = aql`FOR doc IN orders FILTER doc.tenant == ${'t'} && ${filter} RETURN doc`;
    expect(query).toContain(`doc.tenant == @value0 && ${filter.query.replace('@may_0', '@value1')} RETURN doc`);
    expect(bindVars).toEqual({ value0: 't', value1: 'a:' });
    for (const kind of ['all', 'none'] as const) {
      const all = toAql({ kind, allow: [], except: [] }, ['doc']);
      expect(aql`FILTER ${all} RETURN doc`).toMatchObject({ query: `FILTER ${all.query} RETURN doc`, bindVars: {} });
    }
  });

  test.each([
    [['doc', 'a.b'], undefined, 'path[1]: expected a plain identifier'],
    [['doc`', 'a'], undefined, 'path[0]: expected a plain identifier'],
    [['doc', ''], undefined, 'path[1]: expected a plain identifier'],
    [['1', 'a'], undefined, 'path[0]: expected a plain identifier'],
    [[], undefined, 'path: expected a variable'],
    ['doc', undefined, 'path: expected a list, got a string'],
    [['doc', 'a\n'], undefined, 'path[1]: expected a plain identifier'],
    [['doc'], 'a b', 'prefix: expected a plain identifier'],
    [['doc'], '@x', 'prefix: expected a plain identifier'],
  ])('refuses the path %j with prefix %j', (path, prefix, message) => {
    expect(() => toAql(filterOf(everywhere), path as never, { prefix })).toThrow(message);
  });

  test.each([undefined, {}, 'all', { kind: 'patterns' }])('refuses the filter %j', (filter) => {
    expect(() => toAql(filter as never, ['doc'])).toThrow('filter: expected a ResourceFilter');
  });

  test('conditions with prefixes of their own share no bind variable', () => {
    const filter = filterOf(policy(allow(...Array.from({ length: 12 }, (_, i) => `r${i}`))));
    const [one, other] = ['a', 'a1'].map((prefix) => toAql(filter, ['doc'], { prefix }).bindVars);
    expect(Object.keys({ ...one, ...other })).toHaveLength(24);
  });

  test('no text of a policy gets into the query', () => {
    const { query, bindVars } = condition('`") || true //', "'*", 'x:*:"', '*\\');
    expect(query).toMatch(/^[\w\s()[\]`.@,&|=!-]+$/);
    expect(Object.values(bindVars)).toContain('`") || true //');
  });

  test.each([
    ['A', 'a', false],
    ['ü', 'u\u0308', false],
    ['*😀', 'x😀', true],
    ['*😀', '\ude00', false],
    ['😀*', '😀x', true],
    ['*abc', 'bc', false],
    ['%', 'x', false],
    ['_*', 'ab', false],
    ['a:*', 'a:', true],
    ['a:*', 'a', false],
    ['*:', 'a:', true],
    ['*:x', ':x', true],
  ])('compares by code point and case: %s takes %s: %s', (pattern, resource, expected) => {
    const { query, bindVars } = condition(pattern);
    expect(evaluateAql(query, bindVars, { doc: { resource } })).toBe(expected);
  });

  test('documents without the attribute, or with one that is not text, are not listed', () => {
    for (const pattern of ['*', 'a:*', '*:x', 'a']) {
      const { query, bindVars } = condition(pattern);
      for (const doc of [
        {},
        { resource: null },
        { resource: 7 },
        { resource: ['a'] },
        { resource: { a: 'a' } },
        null,
      ]) {
        expect(evaluateAql(query, bindVars, { doc })).toBe(false);
      }
    }
  });

  test.each(['documented', 'sidecar'] as const)('selects the resources that the filter matches: %s', (fidelity) => {
    const seeds = fc.array(fc.nat(), { minLength: 25, maxLength: 25 });
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(fidelity === 'sidecar' ? faultyStateArb : stateArb, seeds, (state, numbers) => {
        const evaluator = createEvaluator(state, { fidelity });
        const asked = numbers.map((number) => requestFor(state, number));
        for (const { user, action } of asked.slice(0, 5)) {
          const filter = resourceFilter(evaluator, { user, action });
          const { query, bindVars } = toAql(filter, ['doc', 'resource']);
          for (const { resource } of asked) {
            const found = evaluateAql(query, bindVars, { doc: { resource } });
            const expected = evaluator.isAllowed({ user, action, resource });
            if (found !== expected) expect({ query, bindVars, resource, found }).toBe(expected);
            seen[`${expected}`]++;
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(500);
  });
});
