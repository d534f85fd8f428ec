import { describe, expect, test } from 'vitest';
import {
  AnalysisError,
  type AnalysisState,
  compare,
  excessAccess,
  formatComparison,
  grants,
  missingAccess,
  resourceFilter,
  whoCan,
} from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type PolicyState, type Statement } from '../../../src/policy/index.ts';
import { partOf } from '../../support/thorough.ts';
import { allow, deny, everywhere, policy } from '../support/fixtures.ts';

/** A fifth of the default or less, so that the test takes no longer than it must. */
const bound = { maxWork: partOf(20_000_000) };
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** A user with a role for each of these lists of statements. */
function stateOf(all: readonly (readonly Statement[])[], scope = everywhere): PolicyState {
  return {
    policies: Object.fromEntries(all.map((statements, i) => [`p${i}`, policy(...statements)])),
    roles: Object.fromEntries(all.map((_, i) => [`r${i}`, { policies: [`p${i}`] }])),
    bindings: all.map((_, i) => ({ user: 'u', role: `r${i}`, scope })),
  };
}

/** Each role denies two things in a segment of its own: what none allows are two texts to the power of the roles. */
const doubling = stateOf(
  numbers(30).map((i) => {
    const at = (text: string) => `${'*:'.repeat(i)}${text}:*`;
    return [allow('*'), deny(at('a'), at('b'))];
  }),
);
const everything = stateOf([[allow('*')]]);
const rest = Array(32).fill('*').join(':');
const prefixes = numbers(60).map((i) => [allow('*'), deny(`${'x'.repeat(i)}*`, `*${'y'.repeat(i)}`)]);
const products = policy({
  effect: 'Allow',
  actions: numbers(2_000).map((i) => `a:b${i}`),
  resources: numbers(2_000).map((i) => `r${i}*:*`),
});
const colons = { user: ':a'.repeat(1_000), role: 'r0', scope: everywhere };
const long = (i: number) => `${'*:'.repeat(10_000)}${i}`;
const longer = (i: number) => `${'a'.repeat(50_000)}${i}*`;

const worst: readonly [string, () => unknown][] = [
  ['exceptions that multiply', () => compare(everything, doubling, bound)],
  ['exceptions that multiply, the other way round', () => compare(doubling, everything, bound)],
  [
    'exceptions that multiply, for missing',
    () => missingAccess(doubling, [{ user: 'u', action: 'a:b', resource: rest }], bound),
  ],
  ['exceptions that multiply, for whoCan', () => whoCan(doubling, { action: '*', resource: '*' }, bound)],
  [
    'exceptions that multiply, for excess',
    () => excessAccess(everything, [], { within: { action: '*', resource: '*' }, ...bound }),
  ],
  ['prefixes and suffixes that overlap', () => compare(everything, stateOf(prefixes), bound)],
  ['a product of actions and resources', () => grants(stateOf([products.statements]), { user: 'u' }, bound)],
  ['the product of a role and its scope', () => grants(stateOf([[allow('*')]], products), { user: 'u' }, bound)],
  [
    'a name with thousands of colons',
    () =>
      compare(
        {},
        { ...everything, bindings: numbers(50).map((i) => ({ ...colons, role: `r${i}` })) },
        { fidelity: 'sidecar', ...bound },
      ),
  ],
  [
    'patterns of many segments',
    () =>
      grants(stateOf([[allow(...numbers(100).map(long)), deny(...numbers(100).map(long), 'x')]]), { user: 'u' }, bound),
  ],
  [
    'long texts that begin alike',
    () =>
      resourceFilter(stateOf([[allow(...numbers(300).map(longer)), deny(...numbers(300).map(longer), 'x')]]), {
        user: 'u',
        action: 'a:b',
      }),
  ],
  [
    'scopes of one role that all have to allow',
    () => {
      const parts = numbers(40).map((i) => policy(allow(...['a', 'b'].map((text) => `${'*:'.repeat(i)}${text}:*`))));
      const bindings = parts.map((scope, i) => ({ user: `u:${i}`, role: 'r0', scope }));
      return grants({ ...everything, bindings }, { user: 'u' }, { fidelity: 'sidecar', ...bound });
    },
  ],
];

describe('worst cases end, with an answer or with an error', () => {
  test.each(worst)('%s', { timeout: 60_000 }, (_title, run) => {
    const started = process.cpuUsage();
    let error: unknown;
    try {
      run();
    } catch (thrown) {
      error = thrown;
    }
    const { user, system } = process.cpuUsage(started);
    if (error !== undefined) {
      expect(error).toBeInstanceOf(AnalysisError);
      expect((error as Error).message).toMatch(
        /^(?:compare|whoCan|grants|missingAccess|excessAccess|resourceFilter)\b.* takes more than /,
      );
    }
    expect((user + system) / 1_000).toBeLessThan(20_000);
  });

  test('the error names the user and the bound', () => {
    const exceeding = () => compare(doubling, everything, bound);
    expect(exceeding).toThrow(new RegExp(`^compare: user "u" takes more than ${bound.maxWork} comparisons`));
  });

  test('one question that is left is found without a list of all', () => {
    const required = { user: 'u', action: 'a:b', resource: rest };
    const [found] = missingAccess(doubling, [required], { maxWork: 1_000_000 });
    expect(found).toMatchObject(required);
    expect(createEvaluator(doubling).isAllowed(found?.witness as never)).toBe(false);
    expect(whoCan(doubling, { action: '*', resource: '*' }, { maxWork: 1_000_000 })).toEqual([]);
  });

  test('the bound can be set', () => {
    expect(() => compare({}, everything, { maxWork: 10 })).toThrow(
      'takes more than 10 comparisons of patterns (maxWork)',
    );
    expect(compare({}, everything, { maxWork: 10_000 }).gained).toHaveLength(1);
    for (const maxWork of [0, -1, Number.NaN, '9' as never]) {
      expect(() => compare({}, {}, { maxWork })).toThrow('maxWork: expected a number above 0');
    }
  });
});

describe('bad input is refused before anything is analysed', () => {
  const any = { action: '*', resource: '*' };
  const later = Promise.resolve({}) as never;
  const misspelt = { policy: {} } as never;
  const calls: readonly [string, () => unknown][] = [
    ['subject: expected { user }, { user, roles }, { roles } or { superuser: true }', () => grants({}, {} as never)],
    ['subject.roles: expected a list, got a string', () => grants({}, { user: 'u', roles: 'r' as never })],
    ['question.action: ', () => whoCan({}, { action: '*x*', resource: '*' })],
    ['question.resource: expected a string, got undefined', () => whoCan({}, { action: '*' } as never)],
    ['question: expected an object, got undefined', () => whoCan({}, undefined as never)],
    [
      'match: expected one of all, any, got a string',
      () => whoCan({}, { action: '*', resource: '*' }, { match: 'some' as never }),
    ],
    ['users: expected a list, got a string', () => compare({}, {}, { users: 'u' as never })],
    ['required: expected a list, got undefined', () => missingAccess({}, undefined as never)],
    [
      'required[1]: expected { user }',
      () =>
        missingAccess({}, [{ superuser: true, action: '*', resource: '*' }, { action: '*', resource: '*' } as never]),
    ],
    [
      'allowed[0].roles: expected a list',
      () => excessAccess({}, [{ roles: 'admin' as never, action: '*', resource: '*' }]),
    ],
    [
      'within.resource: holds a lone surrogate',
      () => excessAccess({}, [], { within: { action: '*', resource: '\ud83d' } }),
    ],
    [
      'fidelity: the evaluator decides in documented fidelity',
      () => grants(createEvaluator(), { user: 'u' }, { fidelity: 'sidecar' }),
    ],
    ['state: expected', () => grants(undefined as never, { user: 'u' })],
    ['state: expected policies, roles, bindings or an evaluator, got a Promise', () => excessAccess(later, [])],
    [
      'state: expected policies, roles, bindings or an evaluator, got a Map',
      () => excessAccess(new Map() as never, []),
    ],
    ['state: expected policies, roles, bindings or an evaluator, got an object', () => excessAccess(misspelt, [])],
    [
      'state: expected policies, roles, bindings or an evaluator, got undefined',
      () => excessAccess({ evaluator: () => undefined as never }, []),
    ],
    [
      'allowed[0].user: unknown (did you mean "users"?); accepted are action, resource, users, groups, roles',
      () => excessAccess({}, [{ user: 'admin', action: '*', resource: '*' } as never]),
    ],
    ['allowed[0].users: expected a list, got null', () => excessAccess({}, [{ ...any, users: null as never }])],
    ['required[0]: expected { user }', () => missingAccess({}, new Array(1))],
    ['within: expected an object, got null', () => excessAccess({}, [], { within: null as never })],
    ['options: expected an object', () => whoCan({}, any, null as never)],
    ['options: expected an object', () => compare({}, {}, ['u'] as never)],
    ['as: expected one of text, details, json', () => formatComparison({ gained: [], lost: [] }, 'yaml' as never)],
  ];
  test.each(calls)('%s', (message, call) => {
    expect(call).toThrow(AnalysisError);
    expect(call).toThrow(message);
    expect(call).toThrow(expect.objectContaining({ code: 'ANALYSIS', name: 'AnalysisError' }));
  });

  test('a state that does not validate is a PolicyError', () => {
    const broken: AnalysisState = { roles: { r: {} as never } };
    expect(() => compare({}, broken)).toThrow(expect.objectContaining({ code: 'POLICY' }));
  });
});
