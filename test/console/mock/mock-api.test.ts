import { expect, onTestFinished, test, vi } from 'vitest';
import type { ConsoleEvent } from '../../../src/console/api.js';
import { createMockConsole } from '../../../src/console/mock/mock-api.js';
import { createMock, type Mock } from '../../../src/mock/index.js';
import { readDecisions } from '../../../src/policy/decisions/index.js';
import { canaries, evaluatePath, shop } from '../support/shop.js';

async function openShop() {
  const mock = await createMock(shop);
  return { mock, api: createMockConsole(mock) };
}

const ask = (mock: Mock, body: object) =>
  mock.fetch(`${mock.connection.url}${evaluatePath}`, { method: 'POST', body: JSON.stringify(body) });

test('lists requests with who asked and what was decided, and pages through them', async () => {
  const { mock, api } = await openShop();
  await ask(mock, { user: 'alice', action: 'orders:read', resource: 'order:7' });
  await ask(mock, { user: 'carol', action: 'orders:read', resource: 'order:7' });
  const { rows, oldest, more } = await api.requests({});
  expect(rows.map(({ id, user, decision, items, console }) => [id, user, decision, items, console])).toEqual([
    [1, 'alice', 'Allow', [{ action: 'orders:read', resource: 'order:7', effect: 'Allow' }], false],
    [2, 'carol', 'Deny', [{ action: 'orders:read', resource: 'order:7', effect: 'Deny' }], false],
  ]);
  expect([oldest, more]).toEqual([1, false]);
  expect(await api.requests({ most: 1 })).toMatchObject({ rows: [{ id: 1 }], more: true });
  expect(await api.requests({ after: 1 })).toMatchObject({ rows: [{ id: 2 }], more: false });
  expect(await api.requests({ before: 2 })).toEqual({ rows: [rows[0]], older: 0, oldest: 1, more: false });
  expect(await api.requests({ before: 9, most: 1 })).toEqual({ rows: [rows[1]], older: 1, oldest: 1, more: false });
  expect(await api.requests({ before: 1 })).toMatchObject({ rows: [], older: 0 });
  await api.clearRequests();
  expect(await api.requests({})).toEqual({ rows: [], older: 0, oldest: null, more: false });
});

test('gives the decisions for its own requests as a decision log', async () => {
  const { mock, api } = await openShop();
  await ask(mock, { user: 'alice', action: 'orders:read', resource: 'order:7' });
  await mock.fetch(`${mock.connection.url}/_api/version`);
  await ask(mock, { user: 'carol', roles: ['viewer'], action: 'orders:write', resource: 'order:7' });
  const log = readDecisions(api.log(new AbortController().signal));
  const found: object[] = [];
  for await (const { decision } of log) {
    const { subject, action, effect, enforced } = decision;
    found.push({ subject, action, effect, enforced });
  }
  expect(found).toEqual([
    { subject: { user: 'alice' }, action: 'orders:read', effect: 'Allow', enforced: true },
    { subject: { user: 'carol', groups: ['viewer'] }, action: 'orders:write', effect: 'Deny', enforced: true },
  ]);
  expect(log.summary).toMatchObject({ lines: 2, decisions: 2 });
});

test('a comparison says each gain and loss once, without signs and hints for the command', async () => {
  const { api } = await openShop();
  const text =
    'policies: { reader: { statements: [{ effect: Allow, actions: ["orders:read", "a:b"], resources: ["*"] }] } }';
  const { plan, gained, lost } = await api.compareFile({ text });
  expect(gained.map((row) => row.text).join()).toContain('of role "clerk"');
  expect(plan).toMatch(/^1 to change; .* gain/);
  expect(plan).toContain('Items:');
  for (const row of [...gained, ...lost]) {
    expect(row.text).not.toMatch(/^[+-]|--details/);
    expect(plan).not.toContain(row.text.split('\n')[0]);
  }
  expect(plan).not.toContain('Access:');
});

test('keeps the ids of requests when old ones leave the log', async () => {
  const mock = await createMock({ limits: { log: 3 } });
  const api = createMockConsole(mock);
  for (const _ of Array(5)) await mock.fetch(`${mock.connection.url}/_api/version`);
  expect((await api.requests({})).rows.map(({ id }) => id)).toEqual([3, 4, 5]);
  expect(await api.request({ id: 4 })).toMatchObject({ id: 4, path: '/_api/version' });
  await expect(api.request({ id: 2 })).rejects.toMatchObject({ code: 'not-found' });
});

test('explains a decision as a tree: what matched, and why the others did not', async () => {
  const { mock, api } = await openShop();
  await ask(mock, { user: 'bob', action: 'orders:delete', resource: 'order:1' });
  const { decisions, body, headers } = await api.request({ id: 1 });
  expect(body.kind).toBe('json');
  expect(headers).toContainEqual(['content-type', 'text/plain;charset=UTF-8']);
  const [decision] = decisions;
  expect(decision).toMatchObject({ effect: 'Deny', agrees: 'same' });
  expect(decision?.tree).toMatchObject({
    subject: { user: 'bob' },
    effect: 'Deny',
    reason: 'explicit-deny',
    bindings: [
      {
        via: 'binding',
        role: 'clerk',
        roleExists: true,
        outcome: 'denied',
        because: 'an explicit Deny',
        granted: false,
        scope: { statements: [{ matched: true, decisive: true, because: 'Allow by "*" on "order:1"' }] },
        policies: [
          {
            name: 'careful',
            statements: [{ matched: true, decisive: true, because: 'Deny by "orders:delete" on "*"' }],
          },
          { name: 'lost', state: 'missing', statements: [] },
          {
            name: 'reader',
            state: 'evaluated',
            statements: [
              {
                matched: false,
                because: 'no action matches "orders:delete"',
                actions: [{ pattern: 'orders:read', matches: false }],
                resources: [{ pattern: 'order:*', matches: true }],
              },
              { because: 'no action matches "orders:delete", and no resource matches "order:1"' },
            ],
          },
        ],
      },
    ],
  });
});

test('explains by the policies of the time of the request, and tells if they decide otherwise now', async () => {
  const { mock, api } = await openShop();
  await ask(mock, { user: 'alice', action: 'orders:read', resource: 'order:7' });
  await api.edit({ edit: { kind: 'delete-policy', name: 'reader' } });
  const [decision] = (await api.request({ id: 1 })).decisions;
  expect(decision).toMatchObject({ agrees: 'changed', tree: { effect: 'Allow', bindings: [{ granted: true }] } });
});

test('says if something else than the policies decided', async () => {
  const mock = await createMock({ ...shop, authorization: { type: 'always' } });
  const api = createMockConsole(mock);
  await ask(mock, { user: 'carol', action: 'orders:read', resource: 'order:7' });
  expect((await api.request({ id: 1 })).decisions).toMatchObject([{ agrees: 'other', tree: { effect: 'Deny' } }]);
  const answer = await api.explain({ subject: { user: 'carol' }, action: 'orders:read', resource: 'order:7' });
  expect(answer.note).toMatch(/"always".*allows everything/);
});

test.each([
  [{ user: 'alice' }, 'Allow'],
  [{ user: 'carol' }, 'Deny'],
  [{ roles: ['viewer'] }, 'Allow'],
  [{ user: 'carol', roles: ['viewer'] }, 'Allow'],
  [{ superuser: true }, 'Allow'],
] as const)('explains the request of %j as its own subject', async (subject, effect) => {
  const { mock, api } = await openShop();
  const { superuser: _, ...fields } = { superuser: undefined, ...subject };
  await ask(mock, { ...fields, action: 'orders:read', resource: 'order:7' });
  const [decision] = (await api.request({ id: 1 })).decisions;
  expect(decision).toMatchObject({ effect, agrees: 'same', tree: { effect, subject } });
});

test('answers what-if questions about users and tokens', async () => {
  const { mock, api } = await openShop();
  const question = { action: 'orders:read', resource: 'order:7' };
  expect(await api.explain({ subject: { user: 'alice' }, ...question })).toMatchObject({
    token: null,
    tree: { effect: 'Allow' },
    note: null,
  });
  const token = await mock.tokens.issue({ user: 'carol', groups: ['viewer'] });
  expect(await api.explain({ subject: { token }, ...question })).toMatchObject({
    token: { valid: true, user: 'carol', groups: ['viewer'] },
    tree: { effect: 'Allow', subject: { user: 'carol', roles: ['viewer'] } },
  });
  const expired = await mock.tokens.forge({ user: 'carol', expired: true });
  expect(await api.explain({ subject: { token: expired }, ...question })).toMatchObject({
    token: { valid: false, why: 'token is expired' },
    tree: null,
  });
});

test('shows the state, with each finding beside its item', async () => {
  const { api } = await openShop();
  const state = await api.state();
  expect(state.policies.map(({ name }) => name)).toEqual(['careful', 'reader']);
  expect(state.bindings.map(({ user, role }) => [user, role])).toEqual([
    ['alice', 'viewer'],
    ['bob', 'clerk'],
  ]);
  expect(state.users).toEqual(['alice', 'bob', 'root']);
  expect(state.actions).toEqual(['orders:delete', 'orders:list', 'orders:read']);
  expect(state.platformActions).toContain('rbac:GetPolicy');
  expect(state.resources).toEqual(['order:1', 'orders']);
  expect(state.findings).toContainEqual({
    rule: 'missing-policy',
    message: 'there is no policy "lost"; it is skipped',
    about: { kind: 'role', name: 'clerk' },
    place: 'policies[1]',
  });
});

test('fills a matrix with Allow, Deny, explicit Deny and nothing', async () => {
  const { api } = await openShop();
  const users = ['alice', 'bob', 'carol'];
  const actions = ['orders:read', 'orders:delete'];
  const { cells } = await api.matrix({ of: 'users', names: users, actions, resource: 'order:1' });
  expect(cells).toEqual([
    ['allow', 'deny'],
    ['allow', 'explicit-deny'],
    ['nothing', 'nothing'],
  ]);
  const many = { of: 'users', names: Array(200).fill('a'), actions: Array(100).fill('b:c'), resource: '' } as const;
  await expect(api.matrix(many)).rejects.toMatchObject({ code: 'invalid', field: 'names' });
});

test('lists the grants of a user as regions', async () => {
  const { api } = await openShop();
  const rows = await api.grants({ user: 'bob' });
  expect(rows.map(({ text }) => text)).toEqual(['orders:read on order:1']);
  expect(rows[0]?.because).toMatchObject([{ role: 'clerk', policy: 'reader', statement: 0 }]);
});

test('reports new requests, changes of the state, the clock, faults, edits and restores', async () => {
  const { mock, api } = await openShop();
  const stop = new AbortController();
  const seen: ConsoleEvent[] = [];
  const reading = (async () => {
    for await (const event of api.events(stop.signal)) seen.push(event);
  })();
  const expectType = (type: ConsoleEvent['type']) => expect.poll(() => seen.map((event) => event.type)).toContain(type);
  await ask(mock, { user: 'alice', action: 'orders:read', resource: 'order:7' });
  await expectType('requests');
  await api.edit({ edit: { kind: 'delete-policy', name: 'careful' } });
  await expectType('state');
  await expectType('edits');
  mock.clock.advance('1h');
  await expectType('clock');
  await api.addFault({ path: '/evaluate', status: 503 });
  await expectType('faults');
  const { id } = await api.snapshot({});
  await expectType('snapshots');
  expect(seen.some(({ type }) => type === 'reset')).toBe(false);
  await api.restore({ id });
  await expectType('reset');
  stop.abort();
  await reading;
});

test('reads, mints and forges tokens', async () => {
  const { api } = await openShop();
  await api.setClock({ set: '2026-11-20T12:00:00Z' });
  const minted = await api.mint({ user: 'alice', groups: ['viewer'], lifetime: '10m' });
  expect(minted.report).toMatchObject({
    valid: true,
    user: 'alice',
    groups: ['viewer'],
    superuser: false,
    times: [
      { claim: 'exp', time: '2026-11-20T12:10:00.000Z', words: 'in 10 minutes' },
      { claim: 'iat', words: 'now' },
    ],
  });
  expect(minted.report.header).toContainEqual(['alg', '"HS256"']);
  await api.setClock({ advance: '1h' });
  expect(await api.token({ text: ` ${minted.token}\n` })).toMatchObject({
    valid: false,
    why: 'token is expired',
    times: [{ claim: 'exp', words: '50 minutes ago' }, { words: '1 hour ago' }],
  });
  const forged = await api.forge({ user: 'alice', none: true });
  expect(forged.report).toMatchObject({
    valid: false,
    user: null,
    claims: expect.arrayContaining([['iss', '"arangodb"']]),
  });
  expect(await api.token({ text: 'no token' })).toMatchObject({ valid: false, header: [], claims: [], times: [] });
  expect((await api.mint({ user: null })).report).toMatchObject({ valid: true, superuser: true });
  await expect(api.forge({ user: 'alice' })).rejects.toMatchObject({ code: 'invalid', field: 'forgery' });
});

test('sets the clock, moves it, and lets it run from where it stands or in real time', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { mock, api } = await openShop();
  expect(await api.clock()).toMatchObject({ running: true, aheadMs: 0 });
  expect(await api.setClock({ set: '2030-01-01T00:00:00Z' })).toMatchObject({
    now: '2030-01-01T00:00:00.000Z',
    running: false,
  });
  await api.setClock({ advance: '10m' });
  expect(new Date(mock.clock.now()).toISOString()).toBe('2030-01-01T00:10:00.000Z');
  const run = await api.setClock({ run: true });
  expect(run.running).toBe(true);
  expect(run.now.slice(0, 16)).toBe('2030-01-01T00:10');
  expect((await api.setClock({ real: true })).aheadMs).toBe(0);
  await expect(api.setClock({ set: 'tomorrow' })).rejects.toMatchObject({ code: 'invalid', field: 'time' });
  await expect(api.setClock({ run: true, real: true } as never)).rejects.toMatchObject({ code: 'invalid' });
});

test('adds faults and takes them away, those of tests, too', async () => {
  const { mock, api } = await openShop();
  mock.fail({ path: '/login', drop: true });
  const added = await api.addFault({ method: 'POST', path: '/evaluate', status: 503, times: 'always' });
  expect(added).toMatchObject({ name: 'POST /evaluate (status 503)', left: 'always', used: false, console: true });
  expect((await ask(mock, { action: 'a:b', resource: '' })).status).toBe(503);
  const rows = await api.faults();
  expect(rows).toMatchObject([
    { name: 'any method /login (drop)', left: 1, used: false, console: false },
    { left: 'always', used: true, console: true },
  ]);
  for (const { id } of rows) await api.removeFault({ id });
  expect(await api.faults()).toEqual([]);
  expect((await ask(mock, { action: 'a:b', resource: '' })).status).toBe(200);
  mock.assertFaultsUsed();
  await expect(api.removeFault({ id: 1 })).rejects.toMatchObject({ code: 'not-found' });
  await expect(api.addFault({ path: '/evaluate' })).rejects.toMatchObject({ code: 'invalid', field: 'fault' });
});

test('takes snapshots and restores them', async () => {
  const { mock, api } = await openShop();
  const first = await api.snapshot({ name: 'before the rush' });
  await api.edit({ edit: { kind: 'delete-role', name: 'viewer' } });
  expect((await api.snapshots()).map(({ name }) => name)).toEqual(['Start', 'before the rush']);
  await api.restore({ id: first.id });
  expect(mock.explain({ user: 'alice', action: 'orders:read', resource: 'order:7' }).decision.effect).toBe('Allow');
  expect((await api.state()).roles.map(({ name }) => name)).toContain('viewer');
  await expect(api.restore({ id: 99 })).rejects.toMatchObject({ code: 'not-found' });
});

test('compares the state with a file of permissions', async () => {
  const { api } = await openShop();
  const { text } = await api.exportAs({ kind: 'permissions' });
  expect(await api.compareFile({ text })).toEqual({
    file: null,
    problems: [],
    gained: [],
    lost: [],
    notCompared: '',
    plan: '',
  });
  const changed = await api.compareFile({ text: text.replace('orders:read', 'orders:write') });
  expect(changed.gained.map((row) => row.text).join()).toContain('orders:write');
  expect(changed.lost.map((row) => row.text).join()).toContain('orders:read');
  expect(changed.plan).toMatch(/~ policy "reader"/);
  const broken = await api.compareFile({ text: 'policies: { a: { statments: [] } }\ninclude: [other.yaml]' });
  expect(broken.problems[0]).toMatchObject({ place: expect.stringMatching(/^permissions\.yaml:\d+:\d+$/) });
  await expect(api.compareFile({})).rejects.toMatchObject({ code: 'unsupported' });
});

test.each(['seed', 'createMock', 'permissions'] as const)('exports a %s without passwords and keys', async (kind) => {
  const { api } = await openShop();
  const { text, fileName } = await api.exportAs({ kind });
  expect(fileName).toMatch(/\.(?:json|ts|yaml)$/);
  expect(text).toContain('orders:read');
  for (const canary of Object.values(canaries)) expect(text).not.toContain(canary);
});

test('exports with passwords and keys if they are asked for, and the seed makes the same mock', async () => {
  const { api } = await openShop();
  const { text } = await api.exportAs({ kind: 'seed', secrets: true });
  for (const canary of Object.values(canaries)) expect(text).toContain(canary);
  const again = await createMock(JSON.parse(text));
  const { text: second } = await createMockConsole(again).exportAs({ kind: 'seed', secrets: true });
  expect(second).toBe(text);
});

test('exports the bindings of groups, and the platform that has them', async () => {
  const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
  const groupBindings = [{ group: 'developers', role: 'viewer', scope }];
  const roles = { viewer: { policies: [] } };
  const api = createMockConsole(await createMock({ platform: 'next', roles, groupBindings }));
  const { text } = await api.exportAs({ kind: 'seed' });
  expect(JSON.parse(text)).toMatchObject({ platform: 'next', groupBindings });
  const again = createMockConsole(await createMock(JSON.parse(text)));
  expect((await again.exportAs({ kind: 'seed' })).text).toBe(text);
  expect((await api.exportAs({ kind: 'permissions' })).text).toContain('group: developers');
});

test('exports a call of createMock that is the configuration again, and hides nothing in an editor', async () => {
  const seed =
    '{"policies":{"__proto__":{"description":"a\u202eb \\u202e","statements":[]}},"now":"2031-01-01T00:00:00.000Z"}';
  const { text } = await createMockConsole(await createMock(JSON.parse(seed))).exportAs({ kind: 'createMock' });
  const [, argument = ''] = /createMock\((.*)\);\n$/s.exec(text) ?? [];
  const config: { policies: object } = new Function(`return (${argument});`)();
  expect(Object.keys(config.policies)).toEqual(['__proto__']);
  expect(config).toMatchObject(JSON.parse(seed));
  expect(text).not.toMatch(/\p{Cf}/u);
});

test('ends its events and removes its listeners when it is closed', async () => {
  const { mock, api } = await openShop();
  const seen: ConsoleEvent[] = [];
  const events = api.events(new AbortController().signal);
  const reading = (async () => {
    for await (const event of events) seen.push(event);
  })();
  api.close();
  await reading;
  await ask(mock, { user: 'alice', action: 'orders:read', resource: 'order:7' });
  expect(seen).toEqual([]);
});
