import { expect, test } from 'vitest';
import { createClient, credentials } from '../../src/index.ts';
import { createMock, type MockConfig } from '../../src/mock/index.ts';
import { exportPermissions, plan, readPermissions, readState } from '../../src/permissions/index.ts';
import { scopeOf } from '../../src/policy/analysis/index.ts';

const ids = ['super-admin', 'tenant-admin', 'coredb-reader', 'coredb-developer', 'coredb-admin', 'ai-user'];
const names = [...ids, 'ai-developer', 'platform-operator', 'secret-admin'].map((id) => `managed:predefined:${id}`);
const [superAdmin = '', , reader = ''] = names;
const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function open(config: MockConfig) {
  const mock = await createMock({ fresh: true, ...config });
  const asked = credentials.bearer(await mock.tokens.issue({ user: null }));
  return { mock, client: createClient({ ...mock.connection, credentials: asked }) };
}

test.each(['recorded', '1.4.5', 'next'] as const)(
  'a fresh %s holds the predefined roles in order',
  async (platform) => {
    const { mock, client } = await open({ platform });
    const { policies, roles } = client.authorization;
    expect(await allOf(policies.list())).toEqual([superAdmin]);
    expect(await policies.get(superAdmin)).toMatchObject({ index: 1, item: everything });
    const found = await Promise.all(names.map((name) => roles.get(name)));
    expect(found.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(found.map(({ item }) => item.policies)).toEqual([[superAdmin], [], [], [], [], [], [], [], []]);
    expect(await client.authorization.bindings.list('root')).toMatchObject([{ role: superAdmin, scope: everything }]);
    const ask = (user: string) =>
      mock.explain({ user, action: 'db:Drop', resource: 'db:database:shop' }).decision.effect;
    expect([ask('root'), ask('ada')]).toEqual(['Allow', 'Deny']);
  },
);

test('a mock of 1.4.4 holds no items, nor does a mock that is not fresh', async () => {
  for (const config of [{ platform: '1.4.4' }, { fresh: false }, { fresh: undefined }] as const) {
    const { client } = await open(config);
    const { policies, roles } = client.authorization;
    expect([await allOf(policies.list()), await allOf(roles.list())]).toEqual([[], []]);
  }
});

test('items of the configuration come after those of a fresh deployment, survive a reset, and grant as usual', async () => {
  const { mock, client } = await open({
    policies: { reading: { statements: [{ effect: 'Allow', actions: ['db:Read'], resources: ['*'] }] } },
    roles: { mine: { policies: ['reading'] } },
    bindings: [
      { user: 'ada', role: 'mine', scope: scopeOf({ database: 'shop' }) },
      { user: 'ada', role: reader, scope: scopeOf({ everything: true }) },
    ],
  });
  expect((await client.authorization.roles.get('mine')).index).toBe(10);
  mock.reset();
  const ask = (resource: string) => mock.explain({ user: 'ada', action: 'db:Read', resource }).decision.effect;
  expect([ask('db:database:shop'), ask('db:database:bank')]).toEqual(['Allow', 'Deny']);
});

test('an item named like one of a fresh deployment is an error with its path', async () => {
  const config: MockConfig = {
    fresh: true,
    policies: { [superAdmin]: everything },
    roles: { [reader]: { policies: [] }, other: { policies: [] } },
    bindings: [
      { user: 'ada', role: superAdmin, scope: everything },
      { user: 'root', role: superAdmin, scope: everything },
    ],
  };
  await expect(createMock(config)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    issues: [
      { path: ['policies', superAdmin], message: 'is there already in a fresh deployment' },
      { path: ['roles', reader] },
      { path: ['bindings', 1] },
    ],
  });
  await expect(createMock({ ...config, platform: '1.4.4' })).resolves.toBeDefined();
  await expect(createMock({ fresh: 'yes' as never })).rejects.toMatchObject({ field: 'fresh' });
});

test('the settings hold `fresh`, so that the printed configuration is a seed again', async () => {
  const { mock } = await open({});
  const again = await createMock(JSON.parse(JSON.stringify(mock.settings)));
  expect([...again.settings.roles.keys()]).toEqual(names);
});

test('an export leaves the binding of root out and counts it, and no plan deletes what the platform keeps', async () => {
  const { client } = await open({
    policies: { 'managed:operator:p': everything },
    roles: { 'managed:operator:r': { policies: ['managed:operator:p'] } },
    bindings: [
      { user: 'ada', role: 'managed:operator:r', scope: everything },
      { user: 'ada', role: reader, scope: scopeOf({ database: 'shop' }) },
    ],
  });
  const current = await readState(client, { users: ['ada', 'root'] });
  const { text, omitted } = exportPermissions(current);
  expect(omitted).toContainEqual(expect.objectContaining({ user: 'root', role: superAdmin }));
  expect(text).toContain('# Left out: 14 items of the platform and its operator.\n');
  expect(text).toContain(`- { user: ada, role: "${reader}", scope: { database: shop } }\n`);
  expect(text).not.toContain(superAdmin);
  const owned = `${text}manage: { policies: ["*"], roles: ["*"], users: ["*"] }\n`;
  const desired = await readPermissions('p.yaml', { read: () => owned });
  const { changes, kept } = plan(current, desired, { prune: true });
  expect(changes).toEqual([]);
  expect(kept).toHaveLength(14);
});
