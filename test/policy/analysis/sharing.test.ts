import { describe, expect, test } from 'vitest';
import { compare, formatPattern, regionContains } from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type Policy } from '../../../src/policy/index.ts';
import { allow, everywhere, policy } from '../support/fixtures.ts';
import { checkSharing } from './support/sharing.ts';

test.each(['documented', 'sidecar'] as const)(
  'compare finds exactly what users with scopes of many names gain and lose, in %s fidelity',
  (fidelity) => checkSharing(fidelity, 120),
);

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Users of a role, each inside their own projects. */
function stateOf(statements: Policy['statements'], { users = 4, projects = 5 } = {}) {
  return {
    policies: { p: { statements } },
    roles: { member: { policies: ['p'] } },
    bindings: numbers(users).map((u) => ({
      user: `user${u}`,
      role: 'member',
      scope: policy(allow(...numbers(projects).map((i) => `team:project-${u}-${i}:*`))),
    })),
  };
}

describe('users whose scopes differ in names alone', () => {
  const fidelity = 'sidecar';
  const docs = allow('*:*:docs:*');

  test('share one region, with the names of each', () => {
    const { gained, lost } = compare(stateOf([docs]), stateOf([docs, allow('*:*:images:*')]), { fidelity });
    expect(lost).toEqual([]);
    expect(gained).toMatchObject([
      {
        resource: { own: [':images:*'] },
        users: ['user0', 'user1', 'user2', 'user3'],
        witness: { user: 'user0', resource: 'team:project-0-0:images:x' },
      },
    ]);
    const [region] = gained;
    expect(region?.own?.[2]).toEqual(numbers(5).map((i) => `team:project-2-${i}`));
    expect(region && formatPattern(region.resource)).toBe('<own>:images:*');
    const question = { action: 'a:b', resource: 'team:project-2-4:images:7' };
    expect(region && regionContains(region, { ...question, user: 'user2' })).toBe(true);
    expect(region && regionContains(region, { ...question, user: 'user1' })).toBe(false);
    expect(region && regionContains(region, question)).toBe(false);
  });

  test('have regions of their own if there are no more than ten names', () => {
    const [before, after] = [{}, stateOf([docs], { users: 2 })];
    const { gained } = compare(before, after, { fidelity });
    expect(gained.map(({ users, own, resource }) => [users, own, resource])).toEqual(
      numbers(2).flatMap((u) => numbers(5).map((i) => [[`user${u}`], undefined, `team:project-${u}-${i}:docs:*`])),
    );
  });

  test('keep what their names allow when they lose all', () => {
    const before = stateOf([docs]);
    const roles = { ...before.roles, reader: { policies: ['p'] } };
    const bindings = numbers(4).map((u) => ({ user: `user${u}`, role: 'reader', scope: everywhere }));
    const { gained, lost } = compare({ ...before, roles, bindings: [...before.bindings, ...bindings] }, before, {
      fidelity,
    });
    expect(gained).toEqual([]);
    expect(lost).toMatchObject([{ resource: '*:*:docs:*', except: [{ action: '*', resource: { own: [':docs:*'] } }] }]);
    const [region] = lost;
    const question = { action: 'a:b', resource: 'team:project-2-4:docs:7' };
    expect(region && regionContains(region, { ...question, user: 'user1' })).toBe(true);
    expect(region && regionContains(region, { ...question, user: 'user2' })).toBe(false);
  });

  test('are told apart where a policy names one of them', () => {
    const named = [docs, allow('team:project-3-0:*')];
    const { gained } = compare(stateOf([docs]), stateOf(named), { fidelity });
    expect(gained).toMatchObject([
      { resource: 'team:project-3-0:*', users: ['user3'], witness: { resource: 'team:project-3-0:x' } },
    ]);
  });

  test('take little work, however many they are', () => {
    const many = { users: 500, projects: 10 };
    const [before, after] = [[docs], [docs, allow('*:*:images:*')]].map((list) =>
      createEvaluator(stateOf(list, many), { fidelity }),
    );
    const compared = before && after && compare(before, after, { maxWork: 500_000 });
    expect(compared?.gained.map(({ users }) => users.length)).toEqual([500]);
  });
});
