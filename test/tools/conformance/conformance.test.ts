import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import {
  type ConformanceOptions,
  checkConformance,
  formatConformance,
  parityOf,
} from '../../../src/tools/conformance/index.ts';
import { sentences } from '../../../src/tools/conformance/sentences.ts';
import { casesOf } from '../../support/thorough.ts';
import { checkFaulty, config, faultyFetch, quickClock, secret, settings } from './support/faulty.ts';

const quick = { rate: 1_000_000, users: ['alice', 'bob'] };

async function checkMock(changes: MockConfig, options: ConformanceOptions = {}) {
  await using mock = await createMock({ ...config, ...changes });
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  return await checkConformance(client, { ...quick, clock: quickClock(), ...options });
}

describe('settings', () => {
  const found: readonly [string, MockConfig, object][] = [
    ['documented fidelity', { fidelity: 'documented' }, { fidelity: 'documented' }],
    ['sidecar fidelity', {}, { fidelity: 'sidecar' }],
    ['type always', { authorization: { type: 'always' } }, { type: 'always' }],
    ['a permissive type', { authorization: { type: 'central-permissive' } }, { type: 'central-permissive' }],
    ['no authentication', { authentication: { enabled: false } }, { authentication: false }],
    ['no cookies', { gateway: { cookiesSupport: false } }, { cookies: false }],
    [
      'lifetimes of tokens',
      { authentication: { token: { ttl: { min: '30s', max: '2h', default: '10m' } } } },
      { ttl: { min: '30s', max: '7200s', default: '600s' } },
    ],
  ];
  test.each(casesOf(found))('finds out %s', async (_what, changes, fits) => {
    const report = await checkMock(changes);
    expect(report.differences).toEqual([]);
    expect(report.settings).toMatchObject(fits);
  });

  const others: readonly [string, MockConfig][] = [
    ['another fidelity', { fidelity: 'documented' }],
    ['another type', { authorization: { type: 'always' } }],
    ['authentication that is off', { authentication: { enabled: false } }],
    ['other lifetimes', { authentication: { keys: { active: secret }, token: { ttl: { max: '2h' } } } }],
  ];
  test.each(casesOf(others))(
    'differs from expected settings by %s, and says which ones fit',
    async (_what, changes) => {
      const report = await checkMock(changes, { settings });
      expect(report.alike).toBe(false);
      expect(report.differences.length).toBeGreaterThan(0);
      expect(report.fits.best.different).toBe(0);
      expect(report.fits.best.settings).not.toEqual(settings);
      expect(formatConformance(report)).toContain('Fits best (0 different): ');
    },
  );
});

describe('the parts that cannot be tried', () => {
  test('are counted with the reason, behind a gateway', async () => {
    const report = await checkMock({ gateway: { integration: false } });
    const why =
      'the address does not serve /_integration, as behind the gateway: name the services (--integration-url)';
    expect(report.notTried.filter((one) => one.why === why).length).toBeGreaterThan(50);
    expect(report.differences).toEqual([]);
    const line = `  ${report.notTried.filter((one) => one.why === why).length}: ${why}`;
    expect(formatConformance(report).split('\n')).toContain(line);
  });

  test('are fewer with an address of the integration services', async () => {
    await using mock = await createMock(config);
    await using gateway = await createMock({ ...config, gateway: { integration: false } });
    const [services, outside] = [await listen(mock), await listen(gateway)];
    const client = createClient({ url: outside.url, integrationUrl: services.url });
    const report = await checkConformance(client, { ...quick, clock: quickClock() });
    expect(report.notTried.filter(({ why }) => why.includes('/_integration'))).toEqual([]);
    await client.close();
  });

  test('are most of it without a token', async () => {
    await using mock = await createMock(config);
    const report = await checkConformance(createClient(mock.connection), { ...quick, clock: quickClock() });
    expect(report.differences).toEqual([]);
    expect(report.notTried.map(({ check }) => check)).toEqual(expect.arrayContaining(['state', 'identity/own']));
    expect(report.notTried.find(({ check }) => check === 'identity/own')?.why).toBe('the client has no token');
  });

  test.each([
    ['is refused', { users: [{ name: 'alice', password: 'pw' }] }],
    ['has no user', { users: [] }],
  ])('reject if the login of the client %s', async (_what, changes) => {
    await using mock = await createMock({ ...config, ...changes });
    const login = credentials.login({ username: 'alice', password: 'another' });
    const client = createClient({ ...mock.connection, credentials: login });
    await expect(checkConformance(client, { ...quick, clock: quickClock() })).rejects.toMatchObject({
      code: 'CREDENTIALS',
    });
  });

  test.each([
    [
      'refuses the token',
      async (mock: Mock) => mock.tokens.forge({ wrongKey: true }),
      "401: the client's token is refused",
    ],
    ['gives it no permission', async (mock: Mock) => mock.tokens.issue({ user: 'alice' }), '403: its user may not'],
  ])('tell if the deployment %s', async (_what, token, why) => {
    await using mock = await createMock({ ...config, central: true });
    const client = createClient({ ...mock.connection, credentials: credentials.bearer(await token(mock)) });
    const { notTried } = await checkConformance(client, { ...quick, clock: quickClock() });
    expect(notTried.find(({ check }) => check === 'state')?.why).toContain(why);
  });

  test("are the tokens that need the deployment's key", async () => {
    const report = await checkMock({});
    const why = "it needs a token that only the deployment's key makes: give its secret (--jwt-secret-file)";
    expect(report.notTried).toContainEqual({ check: 'validate/expired', sentence: sentences.noLeeway, why });
    expect((await checkMock({}, { secret })).notTried).toEqual([]);
  });

  test('a deployment that does not answer is an error', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1' });
    await expect(checkConformance(client)).rejects.toMatchObject({ code: 'NETWORK' });
  });
});

describe('questions', () => {
  test('are at most 20 a second, unless the rate says otherwise', async () => {
    for (const [rate, gap] of [
      [undefined, 50],
      [4, 250],
    ] as const) {
      // Stands still, but for pauses.
      let now = Date.now();
      const clock = {
        now: () => now,
        async sleep(ms: number) {
          now += ms;
        },
      };
      const times: number[] = [];
      await using mock = await createMock(config);
      const fetch: typeof mock.fetch = (input, init) => {
        times.push(clock.now());
        return mock.fetch(input, init);
      };
      const client = createClient({ ...mock.connection, fetch });
      const { questions } = await checkConformance(client, { rate, clock });
      expect(times.length).toBe(questions);
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(gap);
    }
  });

  test('take time: answers are compared with those of the same moment', async () => {
    await using mock = await createMock({ ...config, now: new Date() });
    const token = await mock.tokens.issue({ user: null });
    const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
    const clock = { now: mock.clock.now, sleep: async (ms: number) => mock.clock.advance(`${ms / 1_000}s`) };
    // Half a minute for all questions, so that lifetimes differ from first to last.
    const report = await checkConformance(client, { rate: 5, secret, users: ['alice'], clock });
    expect(mock.clock.now() - Date.parse(report.at)).toBeGreaterThan(30_000);
    expect(report.differences).toEqual([]);
  });

  test('write nothing by default', async () => {
    await using mock = await createMock(config);
    const token = await mock.tokens.issue({ user: null });
    const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
    await checkConformance(client, { ...quick, secret, clock: quickClock() });
    const writes = mock.requests.filter(({ method, path, status }) => {
      const isWrite = method !== 'GET' && path.startsWith('/_management/permissions/') && !path.endsWith('/validate');
      return isWrite && status === 200;
    });
    // The override of a method reads.
    expect(writes.map(({ path }) => path)).toEqual(['/_management/permissions/policy']);
    expect(await client.authorization.policies.get('orders')).toMatchObject({ index: 1 });
  });
});

describe('writing', () => {
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

  test('the next run removes what a run left that could not', async () => {
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

  test('is not tried with a token that may not write', async () => {
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

describe('known differences', () => {
  const fault = {
    answer: (answer: { status: number }) => void (answer.status === 501 && Object.assign(answer, { status: 405 })),
  };

  test('are reported, and do not count', async () => {
    const known = [{ check: 'routing/*', at: 'status', reason: 'our proxy' }];
    const report = await checkFaulty(fault, { known: [...known, { check: 'headers/no-override' }] });
    expect([report.alike, report.differences.every((one) => one.known !== undefined)]).toEqual([true, true]);
    expect(formatConformance(report)).toContain(
      'known: routing/method GET /_integration/authn/v1/validate status – our proxy',
    );
    expect(report.checks.find(({ check }) => check === 'routing/method')?.result).toBe('known');
  });

  test('count if they are of another check or part', async () => {
    expect((await checkFaulty(fault, { known: [{ check: 'routing/*', at: 'header location' }] })).alike).toBe(false);
    expect((await checkFaulty(fault, { known: [{ check: 'routing' }] })).alike).toBe(false);
  });

  test('are named if nothing matches them, unless their check was not tried', async () => {
    const known = [
      { check: 'routing/method' },
      { check: '*', at: 'status' },
      { check: 'routing/methud', at: 'status' },
    ];
    const untried = [{ check: 'validate/expired' }, { check: 'validate/expired', at: '/message' }];
    const report = await checkFaulty(fault, { known: [...known, ...untried], secret: undefined });
    expect(report.unmatched).toEqual([known[2]]);
    expect(formatConformance(report).split('\n')).toContain('known, but not found: routing/methud status');
  });
});

describe('the table', () => {
  test('has one row for a check, with its sentence, its name, and each part that differs', async () => {
    const report = await checkMock({}, { settings: { fidelity: 'documented' } });
    const text = formatConformance(report);
    const rows = text.slice(0, text.indexOf('checks alike')).split('\n\n').slice(0, -1);
    expect(rows.length).toBe(report.checks.filter(({ result }) => result === 'different').length);
    const [row = ''] = rows.filter((one) => one.includes('[headers/override]'));
    const cells = row.split('\n').map((line) => [line.slice(0, 44), line.slice(46, 80), line.slice(82, 104)]);
    const column = (index: number) =>
      cells
        .map((line) => line[index]?.trim())
        .join(' ')
        .trim();
    expect(column(0)).toBe(`${sentences.methodOverride} [headers/override]`);
    expect(column(1).match(/status|\/\w+$|\/code/g)).toEqual(expect.arrayContaining(['status', '/code']));
    // A value that one side lacks is shown as such, also if only its kind is compared.
    expect(column(2)).not.toContain('undefined');
    expect(report.differences.filter(({ expected }) => expected === 'undefined')).toEqual([]);
  });

  test('breaks paths behind a slash', async () => {
    const text = formatConformance(await checkMock({}, { settings: { fidelity: 'documented' } }));
    expect(text).toContain('POST /_integration/authn/v1/       ');
    expect(text).not.toMatch(/\/valida +/);
  });
});

test('no format shows a token, a key or a password, whatever the deployment answers', async () => {
  const canary = 'canary-of-a-secret-0123456789';
  const seen = new Set<string>([canary]);
  const echo = {
    answer(
      answer: { status: number; body: unknown },
      { headers, json }: { headers: Headers; json: { token?: string } | undefined },
    ) {
      const bearer = headers.get('authorization') ?? headers.get('cookie') ?? '';
      const token = json?.token ?? '';
      for (const text of [bearer.replace(/^bearer |^.*?=/i, ''), token])
        if (String(text).length > 40) seen.add(String(text));
      const spelled = [canary, btoa(canary), encodeURIComponent(bearer), token, bearer];
      if (answer.status !== 200)
        answer.body = { message: spelled.join(' '), [bearer || 'none']: spelled, raw: { token, bearer } };
    },
  };
  const report = await checkFaulty(
    echo,
    { secret: canary, write: true },
    { authentication: { keys: { active: canary } } },
  );
  expect(report.differences.length).toBeGreaterThan(20);
  const formats = (['text', 'json', 'junit'] as const).map((as) => formatConformance(report, as));
  const shown = [...formats, JSON.stringify(parityOf(report)), JSON.stringify(report)].join('\n');
  expect(seen.size).toBeGreaterThan(5);
  for (const text of seen) {
    const [, claims = text] = text.split('.');
    for (const one of [text, claims, btoa(canary), encodeURIComponent(text)])
      expect(shown.includes(one ?? '')).toBe(false);
  }
});

test('JUnit has a case for each check, with failures and skipped ones', async () => {
  const report = await checkFaulty(
    { answer: (answer) => void answer.headers.delete('www-authenticate') },
    { secret: undefined },
  );
  const xml = formatConformance(report, 'junit');
  expect(xml.match(/<testcase /g)).toHaveLength(report.checks.length);
  expect(xml.match(/<skipped /g)).toHaveLength(report.notTried.length);
  const failed = report.checks.filter(({ result }) => result === 'different').length;
  expect(xml.match(/<failure /g)).toHaveLength(failed);
  expect(xml).toContain(`failures="${failed}"`);
});

test('the parity of a deployment has each sentence once, with its result', async () => {
  const report = await checkFaulty({ answer: (answer) => void answer.headers.delete('www-authenticate') });
  const { at, sentences: entries } = parityOf(report);
  expect(at).toBe(report.at);
  expect(new Set(entries.map(({ sentence }) => sentence)).size).toBe(entries.length);
  expect(entries.find(({ sentence }) => sentence === sentences.unauthenticated)?.result).toBe('different');
  expect(entries.find(({ sentence }) => sentence === sentences.unknownPath)).toEqual({
    sentence: sentences.unknownPath,
    result: 'shown',
    by: ['routing/integration', 'routing/management'],
  });
  expect(readFileSync(`${root}docs/wire.md`, 'utf8')).toContain(sentences.unknownPath);
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

test('names that no path holds make no difference', async () => {
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

test('a body without an end is an error', async () => {
  const mock = await createMock();
  onTestFinished(() => mock[Symbol.asyncDispose]());
  let sent = 0;
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
  const fetch: typeof mock.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.includes('/permissions/role')) return mock.fetch(request);
    return new Response(endless(), { headers: { 'content-type': 'application/json' } });
  };
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, fetch, credentials: credentials.bearer(token) });
  await expect(checkConformance(client, { rate: 10_000 })).rejects.toThrow(
    'answered with a body of more than 16777216 bytes',
  );
  expect(sent).toBeLessThan(32_000_000);
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
