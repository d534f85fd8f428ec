import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { checkConformance } from '../../../src/tools/conformance/index.ts';
import { checkFaulty, config, faultyFetch, quick, quickClock, secret } from './support/faulty.ts';

describe('a conformance run that writes', () => {
  async function open() {
    const mock = await createMock(config);
    onTestFinished(() => mock[Symbol.asyncDispose]());
    const token = await mock.tokens.issue({ user: null });
    const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
    const names = async () => {
      const found: string[] = [];
      for await (const name of client.authorization.policies.list()) found.push(name);
      for await (const name of client.authorization.roles.list()) found.push(name);
      for (const user of ['-u', '-u:x', '-v', '-w']) {
        for (const run of runs)
          found.push(...(await client.authorization.bindings.list(run + user)).map(({ role }) => role));
      }
      return found;
    };
    const runs: string[] = [];
    const options = { ...quick, secret, write: true, clock: quickClock() };
    return { mock, token, client, names, runs, options };
  }
  const own = ['all', 'empty', 'last', 'never', 'orders', 'clerk', 'guest'];
  const runOf = (path: string) => /arango-services-conformance-[\da-f]{8}/.exec(path)?.[0] ?? '';

  test('leaves nothing behind', async () => {
    const { mock, client, names, runs, options } = await open();
    const report = await checkConformance(client, options);
    runs.push(...new Set(mock.requests.map(({ path }) => runOf(path)).filter((run) => run !== '')));
    expect(runs).toHaveLength(1);
    expect([report.alike, report.left]).toEqual([true, []]);
    expect(await names()).toEqual(own);
  });

  test('writes of one kind beforehand make no difference', async () => {
    const { client, options } = await open();
    for (let i = 0; i < 30; i += 1) await client.authorization.roles.update('clerk', { policies: [`p${i}`] });
    expect((await checkConformance(client, options)).differences).toEqual([]);
  });

  test('finds no difference in a 404 of another server for a path outside of /_integration', async () => {
    const { mock, token, options } = await open();
    const fetch: typeof mock.fetch = (input, init) =>
      String(input).includes('/_Integration')
        ? Promise.resolve(new Response('404 page not found', { status: 404 }))
        : mock.fetch(input, init);
    const other = createClient({ ...mock.connection, fetch, credentials: credentials.bearer(token) });
    const { checks } = await checkConformance(other, { ...options, write: false });
    expect(checks.find(({ check }) => check === 'routing/case')?.result).toBe('alike');
  });

  test.each([3, 8, 14])('removes what it wrote when it is stopped after %i writes', async (after) => {
    const { mock, token, names, runs, options } = await open();
    const stop = new AbortController();
    let writes = 0;
    const fetch: typeof mock.fetch = (input, init) => {
      const run = runOf(String(input));
      if (init?.method === 'POST' && run !== '' && ++writes === after) stop.abort(new Error('SIGINT'));
      if (run !== '' && !runs.includes(run)) runs.push(run);
      return mock.fetch(input, init);
    };
    const client = createClient({ ...mock.connection, fetch, credentials: credentials.bearer(token) });
    const report = await checkConformance(client, { ...options, signal: stop.signal });
    expect([report.stopped, report.alike, report.left]).toEqual([true, false, []]);
    expect(report.notTried.map(({ why }) => why)).toContain('the run was stopped');
    expect(await names()).toEqual(own);
  });

  test('removes what an earlier run could not remove', async () => {
    const { mock, client, names, runs, options } = await open();
    const left = 'arango-services-conformance-0123abcd';
    runs.push(left);
    const item = { statements: [] };
    for (const name of [left, `${left}-p`]) await client.authorization.policies.create(name, item);
    await client.authorization.roles.create(`${left}-r`, { policies: [] });
    await client.authorization.bindings.assign({ user: `${left}-u`, role: `${left}-r`, scope: item });
    // Names of others.
    await client.authorization.policies.create('arango-services-conformance-mine', item);
    const fetch = faultyFetch(mock, undefined, {
      answer(answer, { method, path }) {
        if (method === 'DELETE' && path.endsWith('-allow')) answer.status = 503;
      },
    });
    const failing = createClient({
      ...mock.connection,
      fetch,
      credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
    });
    expect((await checkConformance(failing, options)).left.length).toBeGreaterThan(0);
    // What was left is no part of the state that the mock gets.
    const clock = { ...quickClock(), sleep: async () => {} };
    expect(await checkConformance(client, { ...options, clock })).toMatchObject({
      left: [],
      differences: [],
      alike: true,
    });
    expect(await names()).toEqual(['all', 'arango-services-conformance-mine', ...own.slice(1)]);
  });

  test('does not try its writes with a token that may not write', async () => {
    const { mock, options } = await open();
    const reader = {
      statements: [{ effect: 'Allow', actions: ['rbac:List*', 'rbac:Get*'], resources: ['*', ''] }],
    } as const;
    const given = {
      ...config,
      fidelity: 'documented',
      policies: { ...config.policies, reader },
      roles: { ...config.roles, reader: { policies: ['reader'] } },
    } as const;
    const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
    await using limited = await createMock({
      ...given,
      fidelity: 'sidecar',
      bindings: [{ user: 'reader', role: 'reader', scope }],
    });
    const client = createClient({
      ...limited.connection,
      credentials: credentials.bearer(await limited.tokens.issue({ user: 'reader' })),
    });
    const report = await checkConformance(client, options);
    expect(report.differences).toEqual([]);
    expect(report.notTried.map(({ why }) => why)).toContain('creating a policy answered 403');
    expect(mock.requests.length).toBe(0);
  });
});

test('a deployment that ignores the number of a page is found, also with more policies than a page has', async () => {
  const policies = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`p${index}`, { statements: [] }]));
  const report = await checkFaulty(
    {
      async answer(answer, { path, query }, again) {
        if (!path.endsWith('/permissions/policy') || !query.has('page')) return;
        query.delete('page');
        Object.assign(answer, await again({ path: `${path}?${query}` }));
      },
    },
    { write: true },
    { policies },
  );
  expect(report.left).toEqual([]);
  expect(report.checks).toContainEqual(expect.objectContaining({ check: 'paging/policy', result: 'different' }));
});

test('names that no path can hold make no difference', async () => {
  const all = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
  const names = ['a/b', '.', '..', 'x/../y', 'a\\..\\b'];
  const policies = Object.fromEntries([...names, 'plain'].map((name) => [name, all]));
  const roles = { 'r/x': { policies: ['plain'] }, odd: { policies: ['..'] }, plain: { policies: ['plain'] } };
  const bindings = Object.keys(roles).map((role) => ({ user: `user-${role}`, role, scope: all }));
  const users = [...bindings.map(({ user }) => user), '..'];
  const report = await checkFaulty({}, { users }, { policies, roles, bindings });
  expect(report.differences).toEqual([]);
  const tried = report.checks.filter(({ result }) => result !== 'not tried');
  const asked = tried.map(({ check }) => check).filter((check) => check.includes('user-'));
  expect(asked.some((check) => check.startsWith('borders/') && check.endsWith('/user-plain'))).toBe(true);
  expect(asked.filter((check) => /^borders\/.*\/user-(?:r\/x|odd)$/.test(check))).toEqual([]);
});

test('odd names, and more policies than a page has, make no difference', async () => {
  const all = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
  const names = [...Array.from({ length: 501 }, (_, index) => `p${index}`), 'a:b', 'constructor', 'ü ö', '%41'];
  // Own fields, also `__proto__`.
  const policies = Object.fromEntries([...names, '__proto__'].map((name) => [name, all]));
  const roles = { 'r:x': { policies: ['a:b', 'p1'] }, constructor: { policies: ['__proto__', 'ü ö'] } };
  const bindings = ['a', '__proto__', 'alice'].flatMap((user) =>
    ['r:x', 'constructor'].map((role) => ({ user, role, scope: all })),
  );
  const users = ['alice', 'a:b', '__proto__', 'constructor'];
  const report = await checkFaulty({}, { write: true, users }, { policies, roles, bindings });
  expect(report.differences).toEqual([]);
  expect(report.left).toEqual([]);
});
