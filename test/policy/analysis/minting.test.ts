import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.ts';
import { whoCan } from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type Fidelity, type Policy, type PolicyState } from '../../../src/policy/index.ts';
import { es256 } from '../../support/calls.ts';
import { runsOf } from '../../support/thorough.ts';
import { everything, stateArb, userNames } from '../support/arbitrary.ts';
import { groupNames, withGroups } from '../support/group-states.ts';
import { naiveMatch } from '../support/naive.ts';
import { type GroupState, naiveWithGroups } from '../support/naive-groups.ts';

const createToken = 'authentication:CreateToken';
const fidelities = ['documented', 'sidecar'] as const;
const allow = (action: string, resource = '*'): Policy => ({
  statements: [{ effect: 'Allow', actions: [action], resources: [resource] }],
});
const read = { action: 'orders:read', resource: 'order:7' };

/** A service that may create tokens for itself, an admin who may for every user, and roles that read orders. */
const state = {
  policies: {
    reader: allow('orders:read'),
    creator: allow(createToken),
    forService: allow(createToken, 'svc'),
    forGhost: allow(createToken, 'ghost'),
  },
  roles: {
    viewer: { policies: ['reader'] },
    minter: { policies: ['creator'] },
    own: { policies: ['forService'] },
    ghost: { policies: ['forGhost'] },
  },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everything },
    { user: 'admin', role: 'minter', scope: everything },
    { user: 'svc', role: 'own', scope: everything },
    { user: 'bob', role: 'ghost', scope: everything },
  ],
} satisfies PolicyState;
const developers = [{ group: 'developers', role: 'viewer', scope: everything }];
const named = (...args: Parameters<typeof whoCan>) =>
  whoCan(...args).map(({ user, group, role }) => user ?? (group === undefined ? `role ${role}` : `group ${group}`));

describe('byMinting', () => {
  test('lists those who may create a token with a group that has it', () => {
    const options = { fidelity: 'sidecar', byMinting: true } as const;
    const bound = { ...state, groupBindings: developers };
    expect(named(bound, read, options)).toEqual(['admin', 'svc']);
    // Without groups, only tokens of users who have it themselves.
    expect(named(state, read, options)).toEqual([]);
    const own = { ...state, bindings: [...state.bindings, { user: 'svc', role: 'viewer', scope: everything }] };
    expect(named(own, read, options)).toEqual(['svc']);
    expect(whoCan(bound, read, options)[1]?.because).toEqual([
      { via: 'binding', role: 'own', policy: 'forService', statement: 0 },
      { via: 'group', role: 'viewer', policy: 'reader', statement: 0 },
    ]);
  });

  test('in sidecar fidelity a group that may create tokens lets every user pass', () => {
    const groupBindings = [...developers, { group: 'ops', role: 'own', scope: everything }];
    const options = { fidelity: 'sidecar', byMinting: true } as const;
    expect(named({ ...state, groupBindings }, read, options)).toEqual(['admin', 'svc', 'group ops']);
    const all = [...developers, { group: 'ops', role: 'minter', scope: everything }];
    expect(named({ ...state, groupBindings: all }, read, options)).toEqual([
      'admin',
      'alice',
      'bob',
      'svc',
      'group ops',
    ]);
  });

  test('in sidecar fidelity a role of the only user that a token can be for may hide the binding of a group', () => {
    const options = { fidelity: 'sidecar', byMinting: true } as const;
    const hiding = { ...state.roles, 'developers:viewer': { policies: [] } };
    const groupBindings = [...developers, { group: 'ops', role: 'ghost', scope: everything }];
    const bound = (user: string) => {
      const bindings = [{ user, role: 'developers:viewer', scope: everything }];
      return { ...state, roles: hiding, bindings, groupBindings };
    };
    expect(named(bound('ghost'), read, options)).toEqual([]);
    expect(named(bound('other'), read, options)).toEqual(['group ops']);
    // Of several users, one will do.
    const open = bound('ghost');
    const all = {
      ...open,
      groupBindings: [...open.groupBindings, { group: 'sre', role: 'minter', scope: everything }],
    };
    expect(named(all, read, options)).toEqual(['group sre']);
  });

  test('in documented fidelity the caller is asked, and a token may create the next', () => {
    const options = { byMinting: true };
    const minters = ['admin', 'bob', 'svc', 'role ghost', 'role minter', 'role own'];
    expect(named({ ...state, groupBindings: developers }, read, options)).toEqual(minters);
    // A name in a token counts as a role.
    expect(named(state, read, options)).toEqual(minters);
    // No role has what the user has by a role that is missing a name: only a token for the user itself.
    const chain: PolicyState = {
      policies: { reader: allow('orders:read'), forB: allow(createToken, 'b'), forC: allow(createToken, 'c') },
      roles: {
        viewer: { policies: ['reader'], scope: allow('none:none') },
        toB: { policies: ['forB'], scope: allow('none:none') },
        toC: { policies: ['forC'], scope: allow('none:none') },
      },
      bindings: [
        { user: 'a', role: 'toB', scope: everything },
        { user: 'b', role: 'toC', scope: everything },
        { user: 'c', role: 'viewer', scope: everything },
      ],
    };
    expect(named(chain, read, options)).toEqual(['a', 'b']);
  });

  test('patterns ask for all or any of it, over the tokens together', () => {
    const orders = { action: 'orders:*', resource: '*' };
    const bound = { ...state, groupBindings: developers };
    const options = { fidelity: 'sidecar', byMinting: true } as const;
    expect(named(bound, orders, options)).toEqual([]);
    expect(named(bound, orders, { ...options, match: 'any' })).toEqual(['admin', 'svc']);
  });

  test('is true or false, and its work counts for maxWork', () => {
    expect(() => whoCan(state, read, { byMinting: 1 as unknown as boolean })).toThrow(/byMinting/);
    expect(named(state, read, { byMinting: false })).toEqual(named(state, read));
    const bindings = Array.from({ length: 400 }, (_, i) => ({ user: `u${i}`, role: 'minter', scope: everything }));
    expect(() => whoCan({ ...state, bindings }, read, { byMinting: true, maxWork: 100_000 })).toThrow(
      expect.objectContaining({ code: 'ANALYSIS' }),
    );
  });
});

/** A text for each set of patterns that a part of a name can match. A star inside a part is a character. */
const parts = ['a', 'b', 'ab', 'a*b', '', '😀', '😀b', 'ax', 'xb', 'xx'];
const pairs = parts.flatMap((first) => parts.map((second) => `${first}:${second}`));
const triples = pairs.flatMap((first) => parts.map((last) => `${first}:${last}`));
// The targets of the test below have `u*`, which may meet a pattern that a part ends with.
const beginning = parts.map((part) => `u${part}`);
const everyName = ['stranger', 'ux', ...beginning, ...parts.filter((part) => part !== ''), ...pairs, ...triples];

/** The users that bindings count for, as sidecar fidelity reads their names, and one name for each set of patterns. */
function namesOfTokens({ policies, roles, bindings, groupBindings }: GroupState): string[] {
  const scopes = [...roles.values(), ...bindings, ...groupBindings].flatMap(({ scope }) => scope ?? []);
  const patterns = [...policies.values(), ...scopes]
    .flatMap(({ statements }) => statements)
    .filter(({ actions }) => actions.some((pattern) => naiveMatch(pattern, createToken)))
    .flatMap(({ resources }) => resources);
  const matched = (name: string) => patterns.map((pattern) => Number(naiveMatch(pattern, name))).join('');
  const invented = new Map(everyName.map((name) => [matched(name), name]));
  const bound = bindings.flatMap(({ user, role }) => {
    const texts = `${user}:${role}`.split(':');
    return texts.map((_, at) => texts.slice(0, at).join(':')).filter((name) => name !== '');
  });
  return [...new Set([...userNames, ...bound, ...invented.values()])];
}

/** The users of tokens that a subject may create, asked one by one as the services do. */
function reaches(
  random: GroupState,
  users: readonly string[],
  fidelity: Fidelity,
  kind: 'user' | 'name',
  name: string,
  question: { readonly action: string; readonly resource: string },
): boolean {
  const all = [...groupNames, ...(fidelity === 'documented' ? random.roles.keys() : [])];
  const is = (subject: object, asked: { readonly action: string; readonly resource: string }) =>
    naiveWithGroups(random, fidelity, { ...(subject as { user: string }), ...asked }).allowed;
  const gate = (resource: string) => ({ action: createToken, resource });
  const token = (user: string) => ({ user, roles: all });
  if (fidelity === 'sidecar') {
    // The user and the groups of the request are asked, whoever calls.
    if (kind === 'user') return is(token(name), gate(name)) && is(token(name), question);
    return users.some((user) => is({ user: 'stranger', roles: [name] }, gate(user)) && is(token(user), question));
  }
  const found = new Set<string>();
  const todo: object[] = [kind === 'user' ? { user: name } : { user: 'stranger', roles: [name] }];
  for (let caller = todo.pop(); caller; caller = todo.pop()) {
    for (const user of users) {
      if (found.has(user) || !is(caller, gate(user))) continue;
      found.add(user);
      todo.push(token(user));
    }
  }
  return [...found].some((user) => is(token(user), question));
}

test.each(fidelities)('random states: the tokens of whoCan are those of a naive search: %s', (fidelity) => {
  const seen = { asked: 0, yes: 0, onlyMinted: 0 };
  const resources = fc.constantFrom('*', ...userNames, 'u*', 'stranger');
  fc.assert(
    fc.property(withGroups(stateArb), fc.array(resources, { maxLength: 3 }), fc.nat(), (random, targets, seed) => {
      const policies = new Map(random.policies);
      for (const [i, target] of targets.entries()) {
        const name = ['p', 'q', 'p:p'][i] ?? '';
        policies.set(name, {
          statements: [...(policies.get(name)?.statements ?? []), ...allow(createToken, target).statements],
        });
      }
      const given = { ...random, policies };
      const [action = '', resource = ''] =
        [
          ['a:b', 'a'],
          ['b:a', 'a:b'],
          ['a:ab', 'b'],
          ['a:a', '7'],
        ][seed % 4] ?? [];
      const question = { action, resource };
      const users = namesOfTokens(given);
      const evaluator = createEvaluator(given, { fidelity });
      const found = new Set(
        whoCan(evaluator, question, { byMinting: true }).map(({ because: _, ...one }) => JSON.stringify(one)),
      );
      const direct = new Set(whoCan(evaluator, question).map(({ because: _, ...one }) => JSON.stringify(one)));
      const roles = fidelity === 'documented' ? evaluator.roles() : [];
      const groups = evaluator.groups();
      const subjects = [
        ...userNames.map((name) => ['user', name, { user: name }] as const),
        ...groups.map((name) => ['name', name, { group: name }] as const),
        ...roles.filter((name) => !groups.includes(name)).map((name) => ['name', name, { role: name }] as const),
      ];
      for (const [kind, name, holder] of subjects) {
        const key = JSON.stringify(holder);
        const is = reaches(given, users, fidelity, kind, name, question);
        // Users without bindings are not listed.
        if (kind === 'user' && !evaluator.users().includes(name)) continue;
        seen.asked++;
        if (is) seen.yes++;
        if (is && !direct.has(key)) seen.onlyMinted++;
        if (found.has(key) !== is) expect({ key, question, is: found.has(key) }).toEqual({ key, question, is });
      }
    }),
    runsOf(250),
  );
  expect(seen.yes).toBeGreaterThan(seen.asked / 20);
  expect(seen.onlyMinted).toBeGreaterThan(seen.asked / 50);
});

test.each(fidelities)('createToken of the mock gives the tokens that are listed: %s', async (fidelity) => {
  const groupBindings = [...developers, { group: 'ops', role: 'ghost', scope: everything }];
  const { privatePem } = await es256();
  const seed = {
    ...state,
    groupBindings,
    platform: 'next',
    fidelity,
    central: true,
    authentication: { keys: { active: privatePem } },
  } as const;
  const mock = await createMock(seed);
  const listed = named({ ...state, groupBindings }, read, { fidelity, byMinting: true });
  const call = async (path: string, token: string, body: object) => {
    const response = await mock.fetch(`${mock.connection.url}/_integration/${path}`, {
      method: 'POST',
      headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status === 200 ? ((await response.json()) as { token?: string; effect?: string }) : undefined;
  };
  const minted = async (caller: string, user: string) => {
    const token = await mock.tokens.issue({ user: caller });
    const made = await call('authn/v1/createToken', token, { user, groups: ['developers', 'ops'] });
    if (made?.token === undefined) return false;
    const answer = await call('authorization/v1/evaluate-token', '', { token: made.token, ...read });
    return answer?.effect === 'Allow';
  };
  const callers = ['alice', 'admin', 'svc', 'bob'];
  const got: string[] = [];
  for (const caller of callers) {
    const targets = fidelity === 'sidecar' ? [caller] : [...callers, 'ghost'];
    const all = await Promise.all(targets.map((user) => minted(caller, user)));
    if (all.includes(true)) got.push(caller);
  }
  expect(got.sort()).toEqual(listed.filter((name) => callers.includes(name)));
  expect(got).not.toContain('alice');
});
