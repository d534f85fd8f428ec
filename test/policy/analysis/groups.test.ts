import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compare,
  excessAccess,
  formatComparison,
  grants,
  missingAccess,
  regionContains,
  resourceFilter,
  whoCan,
} from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type PolicyState } from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import { everything, requestFor, stateArb } from '../support/arbitrary.ts';
import { groupNames, withGroups } from '../support/group-states.ts';
import { naiveWithGroups } from '../support/naive-groups.ts';

const reader = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } as const;
const state: PolicyState = {
  policies: { reader },
  roles: { viewer: { policies: ['reader'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
  groupBindings: [{ group: 'developers', role: 'viewer', scope: everything }],
};
const without = { ...state, groupBindings: [] };
const read = { action: 'orders:read', resource: 'order:7' };
const fidelities = ['documented', 'sidecar'] as const;

describe.each(fidelities)('groups in %s fidelity', (fidelity) => {
  const options = { fidelity };

  test('whoCan lists users and groups', () => {
    const holders = whoCan(state, read, options).map(({ user, group, role }) => [user, group, role]);
    const roles = fidelity === 'documented' ? [[undefined, undefined, 'viewer']] : [];
    expect(holders).toEqual([['alice', undefined, undefined], [undefined, 'developers', undefined], ...roles]);
    expect(whoCan(state, read, options)[1]?.because).toMatchObject([
      { via: 'group', role: 'viewer', policy: 'reader' },
    ]);
  });

  test('grants, filters and requirements count the groups of a subject', () => {
    const subject = { user: 'bob', roles: ['developers'] };
    expect(grants(state, subject, options)).toMatchObject([{ action: 'orders:read', because: [{ via: 'group' }] }]);
    expect(grants(state, { user: 'bob' }, options)).toEqual([]);
    expect(resourceFilter(state, { ...subject, action: 'orders:read' }, options).kind).toBe('all');
    expect(missingAccess(state, [{ roles: ['developers'], ...read }], options)).toEqual([]);
    expect(missingAccess(without, [{ roles: ['developers'], ...read }], options)).toHaveLength(1);
  });

  test('compare reports a group, with a question that proves it', () => {
    const comparison = compare(without, state, options);
    expect(comparison.lost).toEqual([]);
    expect(comparison.gained).toMatchObject([{ users: [], roles: [], groups: ['developers'] }]);
    expect(comparison.gained[0]?.witness).toMatchObject({ roles: ['developers'], action: 'orders:read' });
    expect(formatComparison(comparison)).toContain('+ group "developers" of role "viewer" gains orders:read on *');
    expect(formatComparison(comparison, 'details')).toContain('+ group "developers": orders:read on *');
    expect(compare(without, state, { ...options, users: ['alice'] })).toEqual({ gained: [], lost: [] });
    expect(compare(without, state, { ...options, roles: ['developers'] }).gained).toHaveLength(1);
  });

  test('excess finds a group beyond the allowances, which may name groups', () => {
    const alice = {
      users: ['alice'],
      roles: ['viewer'].slice(fidelity === 'documented' ? 0 : 1),
      ...read,
      resource: '*',
    };
    const groups = { groups: ['developers'], ...read, resource: '*' };
    expect(excessAccess(state, [alice, groups], options)).toEqual([]);
    const other = { ...groups, groups: ['others'] };
    const named = excessAccess(without, [alice, other], options);
    expect(named).toEqual([]);
    const found = excessAccess(state, [{ ...alice, roles: [] }, other], options);
    expect(found.flatMap((region) => region.groups ?? [])).toEqual(['developers']);
  });
});

test('a name that is a role and a group is compared once: a role that became a group’s binding changes nothing', () => {
  const named: PolicyState = { policies: { reader }, roles: { viewer: { policies: ['reader'] } } };
  const bound: PolicyState = {
    policies: { reader },
    roles: { viewer: { policies: [] }, other: { policies: ['reader'] } },
    groupBindings: [{ group: 'viewer', role: 'other', scope: everything }],
  };
  const names = ({ gained, lost }: ReturnType<typeof compare>) => [...gained, ...lost].flatMap(({ roles }) => roles);
  expect(names(compare(named, bound))).toEqual(['other']);
});

test.each(fidelities)('random states with groups: the analyses agree with the naive evaluator: %s', (fidelity) => {
  const options = { fidelity };
  const seen = { decisions: 0, group: 0, collision: 0, differences: 0 };
  const numbers = fc.array(fc.nat(), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(withGroups(stateArb), fc.nat(), numbers, (random, nth, seeds) => {
      const evaluator = createEvaluator(random, options);
      const changed = evaluator.clone();
      const gone = random.groupBindings[nth % random.groupBindings.length];
      if (gone) changed.deleteGroupBinding(gone.group, gone.role);
      const { gained, lost } = compare(evaluator, changed);
      for (const { witness } of gained)
        expect([evaluator, changed].map((one) => one.isAllowed(witness))).toEqual([false, true]);
      for (const { witness } of lost)
        expect([evaluator, changed].map((one) => one.isAllowed(witness))).toEqual([true, false]);
      for (const seed of seeds) {
        const binding = random.groupBindings[seed % random.groupBindings.length];
        const fitting = { ...random, bindings: [{ user: 'x', role: binding?.role ?? '', scope: binding?.scope }] };
        const { action, resource } = requestFor(fitting, seed);
        const user = ['stranger', 'u', undefined, ''][(seed >> 3) % 4];
        const roles = [groupNames[seed % 6] ?? '', binding?.group ?? ''];
        const subject = user === undefined ? { roles } : { user, roles };
        const { allowed, part } = naiveWithGroups(random, fidelity, { ...subject, action, resource });
        seen.decisions++;
        if (part === 'group' || part === 'collision') seen[part]++;
        const question = { action, resource };
        const isGranted = grants(evaluator, subject).some((region) => regionContains(region, question));
        if (isGranted !== allowed)
          expect({ subject, question, isGranted }).toEqual({ subject, question, isGranted: allowed });
        if (/^[^*]*$/.test(action)) {
          expect(resourceFilter(evaluator, { ...subject, action }).matches(resource)).toBe(allowed);
        }
        if (!/[*]/.test(action + resource) && action !== '') {
          const holders = whoCan(evaluator, question);
          for (const group of evaluator.groups()) {
            const is = holders.some((one) => one.group === group);
            if (is !== evaluator.isAllowed({ roles: [group], ...question })) expect({ group, question, is }).toBe(!is);
          }
        }
        const [group = ''] = roles.slice(1);
        const [before, after] = [evaluator, changed].map((one) => one.isAllowed({ roles: [group], ...question }));
        if (before === after) continue;
        seen.differences++;
        const isIn = lost.some((one) => one.groups?.includes(group) && regionContains(one, question));
        if (!isIn) expect({ group, question, lost }).toBe('in the lost access');
      }
    }),
    runsOf(3_000, 20),
  );
  console.log(`${fidelity}: ${JSON.stringify(seen)}`);
  expect(seen.group).toBeGreaterThan(seen.decisions / 8);
  expect(seen.differences).toBeGreaterThan(seen.decisions / 50);
});
