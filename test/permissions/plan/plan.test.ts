import { describe, expect, test } from 'vitest';
import {
  formatPlan,
  type PermissionsState,
  type Plan,
  type PlanOptions,
  plan,
} from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { cpuOf } from '../../support/cpu-of.ts';
import { manageAll } from '../support/states.ts';

const allow = (action: string, resource = '*'): Policy => ({
  statements: [{ effect: 'Allow', actions: [action], resources: [resource] }],
});
const everywhere = allow('*');

/** A state in short: policies, the policies of each role, and bindings as `user role`, everywhere. */
function state(
  policies: Readonly<Record<string, Policy>>,
  roles: Readonly<Record<string, readonly string[]>> = {},
  bindings: readonly string[] = [],
): PermissionsState {
  return {
    policies: new Map(Object.entries(policies)),
    roles: new Map(Object.entries(roles).map(([name, its]) => [name, { policies: its }])),
    bindings: bindings.map((one) => {
      const [user = '', role = ''] = one.split(' ');
      return { user, role, scope: everywhere };
    }),
    users: 'all',
  };
}

const pruned = (from: PermissionsState, to: PermissionsState, options: PlanOptions = {}) =>
  plan(from, to, { prune: true, manage: manageAll, ...options });

/** The calls of a plan by stage: `+` creates, `~` updates, `-` deletes. */
function callsOf({ changes, stages }: Plan): string[] {
  const there = new Set(changes.flatMap(({ before }, at) => (before ? at : [])));
  return stages.map((stage) =>
    stage
      .map(({ change, content }) => {
        const { name, user, role } = changes[change] ?? {};
        const sign = content ? (there.has(change) ? '~' : '+') : '-';
        there.add(change);
        return `${sign}${name ?? `${user}/${role}`}`;
      })
      .join(' '),
  );
}

const none = state({});
const shop = state({ p: allow('orders:read') }, { r: ['p'] }, ['ann r']);

describe('the order of calls', () => {
  test('creates items before those that name them, and deletes them after those', () => {
    expect(callsOf(pruned(none, shop))).toEqual(['+p', '+r', '+ann/r']);
    expect(callsOf(pruned(shop, none))).toEqual(['-ann/r', '-r', '-p']);
  });

  test('changes that share no user and no role run in parallel', () => {
    const two = state({ p: allow('orders:read'), q: allow('orders:*') }, { r: ['p'], s: ['q'] }, ['ann r', 'bob s']);
    expect(callsOf(pruned(none, two))).toEqual(['+p +q', '+r +s', '+ann/r +bob/s']);
  });

  test('changes a single item in one step, and two dependent ones through an intermediate content', () => {
    const reader = (...resources: string[]): Policy => ({
      statements: [{ effect: 'Allow', actions: ['a:x'], resources }],
    });
    const from = state({ p: reader('d:1', 'd:2') }, { r: ['p'] }, ['ann r']);
    const to = state({ p: reader('d:2', 'd:3') }, { r: ['p'] }, ['ann r']);
    expect(callsOf(pruned(from, to))).toEqual(['~p']);
    const scoped = { ...to, bindings: [{ user: 'ann', role: 'r', scope: reader('d:2', 'd:3', 'd:4') }] };
    const made = pruned({ ...from, bindings: [{ user: 'ann', role: 'r', scope: reader('d:1', 'd:2') }] }, scoped);
    expect(callsOf(made)).toEqual(['~ann/r', '~p', '~p', '~ann/r']);
    expect(made.stages[1]?.[0]?.content).toMatchObject({ statements: [{ resources: ['d:2'] }] });
    expect(made.meanwhile).toEqual({ gained: [], lost: [] });
  });

  test('a user who changes roles keeps what both roles give', () => {
    const policies = { p: allow('orders:*'), q: allow('orders:read') };
    const roles = { r: ['p'], s: ['q'] };
    const made = pruned(state(policies, roles, ['ann r']), state(policies, roles, ['ann s']));
    expect(callsOf(made)).toEqual(['+ann/s', '-ann/r']);
    expect(made.meanwhile).toEqual({ gained: [], lost: [] });
  });

  test('a policy that replaces another one of the role', () => {
    const from = state({ p: allow('orders:read') }, { r: ['p'] }, ['ann r']);
    const to = state({ q: allow('orders:*') }, { r: ['q'] }, ['ann r']);
    const made = pruned(from, to);
    expect(made.meanwhile).toEqual({ gained: [], lost: [] });
    expect(callsOf(made)).toEqual(['+q', '~r', '~r', '-p']);
  });

  test('if no order is without effect, reports the access lost or, with grant-first, granted meanwhile', () => {
    const list = (...pairs: readonly (readonly [string, string])[]): Policy => ({
      statements: pairs.map(([action, resource]) => ({ effect: 'Allow', actions: [action], resources: [resource] })),
    });
    const side = (policy: Policy, scope: Policy): PermissionsState => ({
      ...state({ p: policy }, { r: ['p'] }),
      bindings: [{ user: 'ann', role: 'r', scope }],
    });
    // The new policy in the old scope gives a:y, the old policy in the new scope a:z; and no pattern covers the other.
    const from = side(list(['a:x', 'd:a*'], ['a:z', '*']), list(['a:x', '*'], ['a:y', '*']));
    const to = side(list(['a:x', 'd:*b'], ['a:y', '*']), list(['a:x', '*'], ['a:z', '*']));
    const shown = (regions: Plan['meanwhile']['lost']) =>
      regions.map(({ users, roles, action, resource }) => ({ users, roles, action, resource }));
    const careful = pruned(from, to).meanwhile;
    expect(careful.gained).toEqual([]);
    expect(shown(careful.lost)).toContainEqual({
      users: ['ann'],
      roles: ['r'],
      action: 'a:x',
      resource: { all: ['d:a*', 'd:*b'] },
    });
    const granting = pruned(from, to, { order: 'grant-first' }).meanwhile;
    expect(granting.lost).toEqual([]);
    expect(shown(granting.gained)).toEqual([
      { users: ['ann'], roles: [], action: 'a:y', resource: '*' },
      { users: ['ann'], roles: [], action: 'a:z', resource: '*' },
    ]);
  });
});

describe('a plan deletes', () => {
  test('nothing without manage, nothing without prune, and owned items are listed as kept', () => {
    expect(plan(shop, none, { prune: true }).changes).toEqual([]);
    expect(plan(shop, none, { prune: true }).kept).toEqual([]);
    const { changes, kept } = plan(shop, none, { manage: manageAll });
    expect(changes).toEqual([]);
    expect(kept.map(({ kind, reason }) => [kind, reason])).toEqual([
      ['policy', 'prune is off'],
      ['role', 'prune is off'],
      ['binding', 'prune is off'],
    ]);
  });

  test('only names that match the patterns; a binding belongs to its user', () => {
    const from = state({ 'shop-p': everywhere, p: everywhere }, { 'shop-r': [], r: [] }, ['ann r', 'bob r']);
    const some = { policies: ['shop-*'], users: ['a*'] };
    expect(callsOf(pruned(from, none, { manage: some }))).toEqual(['-shop-p -ann/r']);
  });

  test('no item with a name that begins with managed:, and no binding to such a role', () => {
    const from = state({ 'managed:operator:p': everywhere }, { 'managed:predefined:x': [] }, [
      'ann managed:predefined:x',
    ]);
    const { changes, kept } = pruned(from, none);
    expect(changes).toEqual([]);
    expect(kept.map(({ kind }) => kind)).toEqual(['policy', 'role', 'binding']);
  });

  test('by the patterns of the desired state if it has some', () => {
    expect(callsOf(plan(shop, { ...none, manage: manageAll, users: [], files: [] }, { prune: true }))).toHaveLength(3);
  });
});

describe('is refused', () => {
  const binding = (user: string, role = 'r') => ({ ...none, bindings: [{ user, role, scope: everywhere }] });
  test.each<[string, PermissionsState, string]>([
    ['a predefined role', state({}, { 'managed:predefined:x': [] }), 'belongs to the platform and is never changed'],
    ['a policy with a slash', state({ 'a/b': everywhere }), 'The policy "a/b" must not hold a "/"'],
    ['a user with a colon', binding('a:b'), 'The user "a:b" holds a ":"'],
    ['a role with a slash', binding('a', 'b/c'), 'The role "b/c" must not hold a "/"'],
    ['a binding without a scope', { ...none, bindings: [{ user: 'a', role: 'r' }] }, 'has no scope'],
  ])('%s', (_, to, message) => {
    expect(() => plan(none, to)).toThrow(message);
  });

  test('a user whose bindings are not known', () => {
    expect(() => plan({ ...none, users: ['bob'] }, shop)).toThrow(
      'The bindings of user "ann" are not known: name the user to readState',
    );
  });

  test('an order that does not exist', () => {
    // @ts-expect-error -- not an order
    expect(() => plan(none, none, { order: 'fast' })).toThrow(
      'order: expected one of revoke-first, grant-first, got a string',
    );
  });
});

describe('formatPlan', () => {
  test('shows each change with its lines, then the access', () => {
    const to = state({ p: allow('orders:*') }, { r: ['p'] }, ['ann r', 'bob r']);
    const made = plan({ ...shop, users: ['ann', 'bob'] }, to, { manage: manageAll });
    const items = [
      'Items:',
      '  ~ policy "p": differs',
      '      - Allow orders:read on *',
      '      + Allow orders:* on *',
      '  + binding of user "bob" to role "r": is missing',
      '      + Allow * on *',
      '',
      'Users whose bindings are known: 2. Access is compared for these only.',
      '',
      'Changes: 2, calls: 2, stages: 2.',
    ];
    const who = 'users "ann", "bob" of role "r" and requests that name role "r"';
    expect(formatPlan(made).split('\n')).toEqual([
      '1 to create, 1 to change; 2 users gain access.',
      '',
      'Access:',
      `  + ${who} gain orders:* on * – policy "p" statement 1; 1 of them had orders:read on * before`,
      '',
      ...items,
    ]);
    expect(formatPlan(made, 'details').split('\n')).toEqual([
      '1 to create, 1 to change; 2 users gain access.',
      '',
      'Access:',
      '  + user "ann", role "r": orders:* on *',
      '      except orders:read on *',
      '      for example "orders:x" on "x"',
      '      by role "r", policy "p" statement 1',
      '  + user "bob": orders:* on *',
      '      for example "orders:x" on "x"',
      '      by role "r", policy "p" statement 1',
      '',
      ...items,
    ]);
  });

  test('is a comment of less than 60 000 characters in Markdown, whatever the plan', () => {
    expect(formatPlan(pruned(none, shop), 'markdown').split('\n').slice(0, 6)).toEqual([
      '**3 to create; 1 user gains access.**',
      '',
      '````diff',
      'Access:',
      '+   user "ann" of role "r" and requests that name role "r" gain orders:read on * – policy "p" statement 1',
      '',
    ]);
    const long = (i: number) => `${'x'.repeat(200)}-${i}-\`\`\`\`-${'y'.repeat(20_000)}`;
    const names = Array.from({ length: 40 }, (_, i) => i);
    const wide = state(
      Object.fromEntries(names.map((i) => [`p${i}`, allow(`a:${long(i)}`, long(i))])),
      Object.fromEntries(names.map((i) => [`r${i}`, [`p${i}`]])),
      names.map((i) => `u${i} r${i}`),
    );
    const text = formatPlan(pruned(none, wide), 'markdown');
    expect(text.length).toBeGreaterThan(1_000);
    expect(text.length).toBeLessThan(60_000);
    // Nothing in the block ends it.
    expect(text.split('\n').filter((line) => line.startsWith('````'))).toEqual(['````diff', '````']);
    expect(formatPlan(plan(none, none), 'markdown')).toBe('No changes.');
  });

  test('prints an empty plan, and as JSON a plan that can be applied again', () => {
    expect(formatPlan(plan(shop, shop))).toBe('No changes.');
    const made = pruned(none, shop);
    expect(JSON.parse(formatPlan(made, 'json'))).toEqual(JSON.parse(JSON.stringify(made)));
  });

  test('shows kept items, and replaces characters that move the cursor', () => {
    const from = state({ 'a\u001b[2J': everywhere, '\u009b2J\u202e': everywhere });
    expect(formatPlan(plan(from, none, { manage: manageAll }))).toBe(
      'No changes.\n\nKept:\n  policy "a\\u001b[2J": prune is off\n  policy "\ufffd2J\ufffd": prune is off',
    );
  });

  test('shows a change of a description of a statement', () => {
    const [before, after] = ['old', 'new'].map((description) => {
      const statements = everywhere.statements.map((one) => ({ ...one, description }));
      return state({ p: { statements } });
    }) as [PermissionsState, PermissionsState];
    expect(formatPlan(plan(before, after))).toMatch(
      /^ {6}- Allow \* on \* \("old"\)\n {6}\+ Allow \* on \* \("new"\)$/m,
    );
  });
});

test('1000 policies, 1000 roles and 10 000 bindings are planned within seconds', async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => i);
  const large: PermissionsState = {
    policies: new Map(names.map((i) => [`p${i}`, allow(`s${i % 50}:read`, `d:${i}:*`)])),
    roles: new Map(names.map((i) => [`r${i}`, { policies: [`p${i}`, `p${(i * 7) % 1_000}`] }])),
    bindings: Array.from({ length: 10_000 }, (_, i) => ({
      user: `u${i % 5_000}`,
      role: `r${i % 997}`,
      scope: everywhere,
    })),
    users: 'all',
  };
  let made = plan(none, none);
  const took = await cpuOf(() => {
    made = plan(none, large);
  });
  expect(made.changes).toHaveLength(12_000);
  expect(made.stages.map(({ length }) => length)).toEqual([1_000, 1_000, 10_000]);
  // The benchmark measures it; this only notices something quadratic.
  expect(took).toBeLessThan(15_000);
});
