import { expect, test, vi } from 'vitest';
import type { Edit } from '../../../src/console/api.js';
import { createMockConsole } from '../../../src/console/mock/mock-api.js';
import { createMock, type MockConfig } from '../../../src/mock/index.js';
import { evaluatePath, shop } from '../support/shop.js';

async function open(config: MockConfig = shop) {
  const mock = await createMock(config);
  return { mock, api: createMockConsole(mock) };
}

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const writer = { statements: [{ effect: 'Allow', actions: ['orders:write'], resources: ['*'] }] } as const;

/** A user of 24 roles, each denying in a segment of its own, so that their exceptions multiply; and a simple one. */
const doubling: MockConfig = (() => {
  const names = Array.from({ length: 24 }, (_, i) => `p${i}`);
  const denies = (i: number) => ['a', 'b'].map((text) => `${'*:'.repeat(i)}${text}:*`);
  const policies = names.map((name, i) => {
    const deny = { effect: 'Deny' as const, actions: ['*'], resources: denies(i) };
    return [name, { statements: [...everywhere.statements, deny] }] as const;
  });
  const bound = (user: string, role: string) => ({ user, role, scope: everywhere });
  return {
    fidelity: 'sidecar',
    policies: { ...Object.fromEntries(policies), plain: everywhere },
    roles: Object.fromEntries([...names, 'plain'].map((name) => [name, { policies: [name] }])),
    bindings: [...[...names, 'plain'].map((name) => bound('complex', name)), bound('simple', 'plain')],
  };
})();

/** One edit of each kind, in an order in which each can be made. */
const edits: readonly Edit[] = [
  { kind: 'create-policy', name: 'writer ?#%', policy: writer },
  { kind: 'update-policy', name: 'reader', policy: writer },
  { kind: 'create-role', name: 'editor', role: { policies: ['writer ?#%'] } },
  { kind: 'update-role', name: 'viewer', role: { policies: [], description: 'sees nothing' } },
  { kind: 'assign-role', user: 'carol', role: 'editor', scope: everywhere },
  { kind: 'replace-scope', user: 'bob', role: 'clerk', scope: everywhere },
  { kind: 'remove-role', user: 'alice', role: 'viewer' },
  { kind: 'delete-role', name: 'viewer' },
  { kind: 'delete-policy', name: 'careful' },
];

test('shows who gains and who loses before an edit, and changes nothing', async () => {
  const { mock, api } = await open();
  const { gained, lost, call, findings } = await api.preview({
    edit: { kind: 'update-policy', name: 'reader', policy: writer },
  });
  expect(call).toEqual({ method: 'PUT', path: '/_management/permissions/policy/reader' });
  expect(gained.find(({ users }) => users.includes('alice'))?.text).toContain('gain orders:write on *');
  expect(lost.flatMap(({ users, text }) => (users.includes('bob') ? text : []))).toEqual([
    expect.stringContaining('loses orders:read on order:1'),
  ]);
  expect(findings).toEqual([]);
  expect(mock.requests).toHaveLength(0);
  const deleted = await api.preview({ edit: { kind: 'delete-policy', name: 'reader' } });
  expect(deleted.findings).toContainEqual(
    expect.objectContaining({ rule: 'missing-policy', about: { kind: 'role', name: 'viewer' } }),
  );
});

test('previews an edit of a state that is too much to compare, and makes it', async () => {
  const { api } = await open(doubling);
  const edit: Edit = { kind: 'update-policy', name: 'plain', policy: writer };
  const { revision, gained, lost, notCompared } = await api.preview({ edit });
  expect(notCompared).toBe('1 user');
  expect([...gained, ...lost].map(({ users }) => users)).toContainEqual(['simple']);
  expect(await api.edit({ edit, revision })).toMatchObject({ undone: false });
});

test('makes each kind of edit by the management API and undoes them all by the opposite calls', async () => {
  const { mock, api } = await open();
  const before = await api.exportAs({ kind: 'seed' });
  for (const edit of edits) {
    const { revision } = await api.preview({ edit });
    const record = await api.edit({ edit, revision });
    expect(record).toMatchObject({ undone: false, request: expect.any(Number) });
  }
  expect(mock.requests.map(({ method, status }) => `${method} ${status}`)).toEqual([
    'POST 200',
    'PUT 200',
    'POST 200',
    'PUT 200',
    'POST 200',
    'PUT 200',
    'DELETE 200',
    'DELETE 200',
    'DELETE 200',
  ]);
  expect((await api.exportAs({ kind: 'seed' })).text).not.toBe(before.text);
  for (const { id } of await api.edits()) expect(await api.undo({ id })).toMatchObject({ undone: true });
  expect((await api.exportAs({ kind: 'seed' })).text).toBe(before.text);
  const { rows } = await api.requests({});
  expect(rows).toHaveLength(2 * edits.length);
  expect(rows.every((row) => row.console)).toBe(true);
});

test('an edit names its own requests only, and shows no token of theirs', async () => {
  const { mock, api } = await open();
  await api.edit({ edit: { kind: 'delete-policy', name: 'careful' } });
  await mock.fetch(`${mock.connection.url}/_api/version`, {
    headers: { 'x-arango-services-console': crypto.randomUUID(), 'user-agent': 'arango-services console' },
  });
  expect((await api.requests({})).rows.map((row) => row.console)).toEqual([true, false]);
  const { headers, decisions } = await api.request({ id: 1 });
  expect(headers).toContainEqual(['authorization', '<redacted>']);
  expect(decisions).toMatchObject([{ action: 'rbac:DeletePolicy', effect: 'Allow', tree: { reason: 'superuser' } }]);
});

test('undoing an edit cuts off no request in flight', async () => {
  const { mock, api } = await open();
  let answer: (() => void) | undefined;
  const waiting = new Promise<void>((resolve) => {
    answer = resolve;
  });
  mock.route('GET', '/_db/:db/slow', async () => {
    await waiting;
    return { body: 'whole' };
  });
  const authorization = `bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  const slow = mock.fetch(`${mock.connection.url}/_db/d/slow`, { headers: { authorization } });
  const { id } = await api.edit({ edit: { kind: 'delete-policy', name: 'careful' } });
  await api.undo({ id });
  answer?.();
  expect(await (await slow).text()).toBe('whole');
});

test('an edit uses up no fault of a test', async () => {
  const { mock, api } = await open();
  mock.fail({ status: 503, times: 2 });
  mock.fail({ evaluation: true });
  await api.edit({ edit: { kind: 'delete-policy', name: 'careful' } });
  expect((await api.faults()).map(({ left, used }) => [left, used])).toEqual([
    [2, false],
    [1, false],
  ]);
  const { status } = await mock.fetch(`${mock.connection.url}${evaluatePath}`, { method: 'POST', body: '{}' });
  expect(status).toBe(503);
});

test('refuses to undo what another call has changed since, and to undo twice', async () => {
  const { mock, api } = await open();
  const { id } = await api.edit({ edit: { kind: 'update-policy', name: 'reader', policy: writer } });
  const authorization = `bearer ${await mock.tokens.issue({ user: null })}`;
  const url = `${mock.connection.url}/_management/permissions/policy/reader`;
  const other = JSON.stringify({ name: 'reader', item: everywhere });
  expect((await mock.fetch(url, { method: 'PUT', headers: { authorization }, body: other })).status).toBe(200);
  await expect(api.undo({ id })).rejects.toMatchObject({ code: 'conflict' });
  const ours = JSON.stringify({ name: 'reader', item: writer });
  await mock.fetch(url, { method: 'PUT', headers: { authorization }, body: ours });
  await api.undo({ id });
  await expect(api.undo({ id })).rejects.toMatchObject({ code: 'conflict', message: /undone already/ });
  await expect(api.undo({ id: 77 })).rejects.toMatchObject({ code: 'not-found' });
});

test('an edit is undone once if two pages ask at the same time', async () => {
  const { mock, api } = await open();
  const { id } = await api.edit({ edit: { kind: 'update-policy', name: 'reader', policy: writer } });
  const [first, second] = await Promise.allSettled([api.undo({ id }), api.undo({ id })]);
  expect(first.status).toBe('fulfilled');
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'conflict', message: /undone already/ } });
  expect(mock.requests).toHaveLength(2);
});

test('an edit loses no change that a test makes while the console prepares its call', async () => {
  const { mock, api } = await open();
  const snapshot = mock.snapshot();
  const { id } = await api.edit({ edit: { kind: 'update-policy', name: 'reader', policy: writer } });
  const { revision } = await api.preview({ edit: { kind: 'delete-policy', name: 'reader' } });
  const undone = api.undo({ id });
  const deleted = api.edit({ edit: { kind: 'delete-policy', name: 'reader' }, revision });
  mock.restore(snapshot);
  await expect(undone).rejects.toMatchObject({ code: 'conflict', message: /another call/ });
  await expect(deleted).rejects.toMatchObject({ code: 'conflict', field: 'revision' });
  expect(mock.requests).toHaveLength(0);
});

test('undoing an edit restores no fault that a test has removed, and leaves faults to the requests of others', async () => {
  const { mock, api } = await open();
  const remove = mock.fail({ status: 503, times: Number.POSITIVE_INFINITY });
  const handle = mock.handle;
  const statuses: number[] = [];
  vi.spyOn(mock, 'handle').mockImplementation(async (request) => {
    const answer = handle(request);
    await Promise.resolve();
    statuses.push((await handle({ ...request, headers: new Map() })).status);
    remove();
    return answer;
  });
  await api.edit({ edit: { kind: 'delete-policy', name: 'careful' } });
  expect(statuses).toEqual([503]);
  expect(await api.faults()).toEqual([]);
});

test('refuses an edit if the permissions have changed since its preview', async () => {
  const { api } = await open();
  const edit = { kind: 'delete-policy', name: 'careful' } as const;
  const { revision } = await api.preview({ edit });
  await api.edit({ edit: { kind: 'delete-role', name: 'viewer' } });
  await expect(api.edit({ edit, revision })).rejects.toMatchObject({ code: 'conflict', field: 'revision' });
});

test.each([
  [{ kind: 'create-policy', name: 'reader', policy: writer }, 'conflict', 'edit'],
  [{ kind: 'update-policy', name: 'none', policy: writer }, 'not-found', 'edit'],
  [{ kind: 'delete-role', name: 'none' }, 'not-found', 'edit'],
  [{ kind: 'assign-role', user: 'alice', role: 'viewer', scope: writer }, 'conflict', 'edit'],
  [{ kind: 'remove-role', user: 'alice', role: 'none' }, 'not-found', 'edit'],
  [
    {
      kind: 'create-policy',
      name: 'x',
      policy: { statements: [{ effect: 'Allow', actions: ['*a*:b'], resources: [] }] },
    },
    'invalid',
    'edit.policy.statements[0].actions[0]',
  ],
  [{ kind: 'create-role', name: 'x', role: { policies: 'reader' } }, 'invalid', 'edit.role.policies'],
  [{ kind: 'assign-role', user: 'x', role: 'y', scope: null }, 'invalid', 'edit.scope'],
  [{ kind: 'assign-role', user: '', role: 'y', scope: writer }, 'invalid', 'edit.user'],
  [{ kind: 'delete-policy', name: 'reader', more: 1 }, 'invalid', 'edit.more'],
  [{ kind: 'drop-everything' }, 'invalid', 'edit.kind'],
  ['delete-policy', 'invalid', 'edit'],
])('refuses the edit %j as %s', async (edit, code, field) => {
  const { mock, api } = await open();
  // The cast: a page may send anything.
  const options = { edit: edit as Edit };
  await expect(api.preview(options)).rejects.toMatchObject({ name: 'ConsoleError', code, field });
  await expect(api.edit(options)).rejects.toMatchObject({ name: 'ConsoleError', code, field });
  expect(mock.requests).toHaveLength(0);
});

test.each([
  { authentication: { mode: 'None' } },
  { fidelity: 'sidecar' },
  { fidelity: 'sidecar', gateway: { integration: false } },
] as const)('edits a mock with %j', async (config) => {
  const { api } = await open({
    ...shop,
    ...config,
    authentication: { ...shop.authentication, ...('authentication' in config ? config.authentication : {}) },
  });
  const { id } = await api.edit({ edit: { kind: 'update-policy', name: 'reader', policy: writer } });
  await api.undo({ id });
  expect((await api.state()).policies.find(({ name }) => name === 'reader')?.policy.statements).toHaveLength(2);
});

test('an edit fails with the refusal of a mock that denies everything', async () => {
  const { api } = await open({ ...shop, authorization: { type: 'never' } });
  await expect(api.edit({ edit: { kind: 'delete-policy', name: 'reader' } })).rejects.toMatchObject({
    code: 'failed',
    message: /Denied by never plugin/,
  });
});
