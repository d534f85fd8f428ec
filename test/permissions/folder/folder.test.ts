import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  exportCustomResources,
  exportPermissions,
  formatResourcePlan,
  type Permissions,
  PermissionsError,
  type PermissionsState,
  planResources,
  readPermissions,
  writeResources,
} from '../../../src/permissions/index.ts';
import { bareContent } from '../../../src/permissions/model/operator-items.ts';
import { runsOf } from '../../support/thorough.ts';
import { reading, readText } from '../support/files.ts';
import { namedStateArb } from '../support/names.ts';
import { answersOf, stateArb } from '../support/states.ts';

const target = { deployment: 'main', namespace: 'shop' };
const prefix = 'managed:operator:';
const renamed = (name: string) => (name.startsWith(prefix) ? name : prefix + name);

const fileOf = (state: PermissionsState): Promise<Permissions> => readText(exportPermissions(state).text);

/** Reads what a folder makes, as kubectl and the operator do. */
const readFolder = (files: ReadonlyMap<string, string>): Promise<Permissions> =>
  readPermissions('top.yaml', {
    read: reading({ ...Object.fromEntries(files), 'top.yaml': JSON.stringify({ include: [...files.keys()] }) }),
  });

/** What the operator makes of a file: names with its prefix, no descriptions. */
const expectedOf = ({ policies, roles, bindings }: PermissionsState) => ({
  policies: new Map([...policies].map(([name, policy]) => [renamed(name), bareContent(policy)])),
  roles: new Map(
    [...roles].map(([name, role]) => [name, bareContent({ ...role, policies: role.policies.map(renamed) })]),
  ),
  bindings: new Map(bindings.map(({ user, role, scope }) => [`${user} ${role}`, bareContent(scope ?? null)])),
});

const foundOf = ({ policies, roles, bindings }: PermissionsState) => ({
  policies: new Map(policies),
  roles: new Map(roles),
  bindings: new Map(bindings.map(({ user, role, scope }) => [`${user} ${role}`, scope])),
});

/** Written, or the issues of the refusal. */
function tryToWrite(desired: Permissions) {
  try {
    return writeResources(desired, target);
  } catch (error) {
    if (error instanceof PermissionsError) return error.issues;
    throw error;
  }
}

/** States whose roles have names of resources and no scope, so that most can be written. */
const writableArb = stateArb.map(({ roles, bindings, ...rest }) => ({
  ...rest,
  roles: new Map([...roles].flatMap(([name, role]) => (name === 'r1:x' ? [] : [[name, { ...role, scope: null }]]))),
  bindings,
}));

describe('a file written as a folder of custom resources', () => {
  test.each([
    ['with names of resources', stateArb, 100],
    ['without scopes of roles', writableArb, 100],
    // One of twenty can be written.
    ['with any names', namedStateArb, 300],
  ])('reads back as the same, but for descriptions, or is refused by item (%s)', async (_, states, runs) => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(states, async (state) => {
        const desired = await fileOf(state);
        const result = tryToWrite(desired);
        const { omitted } = exportCustomResources(desired, target);
        expect(Array.isArray(result)).toBe(omitted.length > 0);
        if (!('files' in result)) {
          for (const { line, message } of result) {
            expect(line).toBeGreaterThan(1);
            expect(message).toMatch(/^the (policy|role|binding) /);
          }
          return;
        }
        written++;
        const { files } = result;
        expect(foundOf(await readFolder(files))).toEqual(expectedOf(desired));
        const same = await planResources(desired, { ...target, files });
        expect([same.resources, same.plan.changes, same.plan.operator.changes]).toEqual([[], [], []]);
      }),
      runsOf(runs),
    );
    expect(written).toBeGreaterThan(0);
  });

  test('is planned: each difference of access is in a group of the plan, and none is left after it', async () => {
    await fc.assert(
      fc.asyncProperty(writableArb, writableArb, async (one, two) => {
        const [before, after] = [await fileOf(one), await fileOf(two)];
        const [old, now] = [tryToWrite(before), tryToWrite(after)];
        fc.pre('files' in old && 'files' in now);
        if (!('files' in old && 'files' in now)) return;
        const { plan, resources } = await planResources(after, { ...target, files: old.files });
        const { gained, lost } = plan.operator.access;
        const [had, has] = [answersOf(before), answersOf(after)];
        if (had.some((was, i) => was && !has[i])) expect(lost).not.toEqual([]);
        if (has.some((is, i) => is && !had[i])) expect(gained).not.toEqual([]);
        const texts = (files: ReadonlyMap<string, string>) => [...files.values()].join('');
        expect(resources.length > 0).toBe(texts(old.files) !== texts(now.files));
        const done = await planResources(after, { ...target, files: now.files });
        expect(formatResourcePlan(done)).toBe('No changes.');
      }),
      runsOf(60),
    );
  });
});

const shop = (more = '') => `policies:
  reader: { description: Reads, statements: [{ effect: Allow, actions: ["orders:read"], resources: ["orders:*"] }] }
roles:
  viewer: { policies: [reader]${more} }
bindings:
  - { user: alice, role: viewer, scope: all }
scopes:
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
`;

describe('the folder', () => {
  test('has a file for policies, roles and bindings, none of them empty', async () => {
    const { files, notes } = writeResources(await readText(shop()), target);
    expect([...files.keys()]).toEqual(['policies.yaml', 'roles.yaml', 'user-bindings.yaml']);
    expect(notes).toEqual([
      'The operator gives 1 name of policies the prefix managed:operator:.',
      'Descriptions of 1 item stay in the resources: the services do not get them.',
    ]);
    expect(writeResources(await readText('{}'), target).files.size).toBe(0);
  });

  test('is refused by item, with its place and what to do', async () => {
    const text = shop(', scope: all').replaceAll('reader', 'Orders_Reader');
    const error = await readText(text)
      .then((desired) => writeResources(desired, target))
      .catch((thrown) => thrown);
    expect(error.issues).toMatchObject([
      { line: 2, message: expect.stringMatching(/^the policy "Orders_Reader" must be lower-case letters/) },
      {
        line: 4,
        message:
          'the role "viewer" has a scope, which a custom resource cannot give to a role: ' +
          'narrow the bindings to the role instead',
      },
    ]);
  });

  test('is compared with the file: resources, what they change, and whose access', async () => {
    const { files } = writeResources(await readText(shop()), target);
    const after = shop()
      .replace('"orders:read"', '"orders:list"')
      .replace('user: alice', 'user: bob')
      .replace('description: Reads', 'description: Lists');
    const planned = await planResources(await readText(after), { ...target, files });
    expect(formatResourcePlan(planned)).toMatchSnapshot();
    expect(planned.plan.stages).toEqual([]);
    expect(JSON.parse(formatResourcePlan(planned, 'json')).resources).toHaveLength(3);
    expect(formatResourcePlan(planned, 'markdown')).toMatch(
      /\n! +ArangoPermissionPolicy shop\/reader \(policies\.yaml\)\n/,
    );
  });

  test('that differs in a description only is rewritten, and changes nothing in the services', async () => {
    const { files } = writeResources(await readText(shop()), target);
    const planned = await planResources(await readText(shop().replace('Reads', 'Lists')), { ...target, files });
    expect(formatResourcePlan(planned)).toMatch(/^1 custom resource to write; the services do not change\.\n/);
  });

  test('keeps resources of other files, and finds one that is in two', async () => {
    const { files } = writeResources(await readText(shop()), target);
    const own = [...files].map(([name, text]) => [name, text.split('\n').slice(1).join('\n')] as const);
    const mine = new Map([
      ['by-hand.yaml', own[0]?.[1] ?? ''],
      ['kustomization.yaml', 'resources: [policies.yaml]\n'],
    ]);
    const { resources } = await planResources(await readText('{}'), { ...target, files: mine });
    expect(resources).toEqual([]);
    const twice = planResources(await readText(shop()), { ...target, files: mine });
    await expect(twice).rejects.toThrow(/the ArangoPermissionPolicy "reader" is also in by-hand\.yaml/);
  });

  test('for another namespace has new resources for all items, and the same access', async () => {
    const { files } = writeResources(await readText(shop()), target);
    const { resources, plan } = await planResources(await readText(shop()), { deployment: 'main', files });
    const actions = resources.map(({ action, namespace }) => `${action} ${namespace}`);
    expect(new Set(actions)).toEqual(new Set(['create ', 'delete shop']));
    expect([actions.length, plan.operator.changes]).toEqual([8, []]);
  });

  test('shows traps that are left: a binding of another file to a role that goes', async () => {
    const { files } = writeResources(await readText(shop()), target);
    const mine = (files.get('user-bindings.yaml') ?? '').split('\n').slice(1).join('\n').replaceAll('alice', 'bob');
    const all = new Map([...files, ['mine.yaml', mine]]);
    const planned = await planResources(await readText('{}'), { ...target, files: all });
    expect(planned.resources.map(({ action, file }) => [action, file])).toEqual([
      ['delete', 'policies.yaml'],
      ['delete', 'roles.yaml'],
      ['delete', 'roles.yaml'],
      ['delete', 'user-bindings.yaml'],
    ]);
    expect(formatResourcePlan(planned)).toMatch(
      /\nFindings:\n {2}mine\.yaml:\d+: these files have no ArangoPermissionRole "viewer"$/,
    );
  });

  test('of another deployment is refused', async () => {
    const { files } = writeResources(await readText(shop()), target);
    const wrong = planResources(await readText(shop()), { deployment: 'other', files });
    await expect(wrong).rejects.toThrow(
      'no custom resource is for the deployment "other"; this one is for "shop/main"',
    );
  });
});
