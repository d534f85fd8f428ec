import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import { checkConformance, formatConformance } from '../../../src/tools/conformance/index.ts';
import { sentences } from '../../../src/tools/conformance/sentences.ts';
import { casesOf } from '../../support/thorough.ts';
import { checkMock, config, quick, quickClock, secret, settings } from './support/faulty.ts';

describe('the settings of a deployment', () => {
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

  test('are fewer if the client has an address of the integration services', async () => {
    await using mock = await createMock(config);
    await using gateway = await createMock({ ...config, gateway: { integration: false } });
    const [services, outside] = [await listen(mock), await listen(gateway)];
    const client = createClient({ url: outside.url, integrationUrl: services.url });
    const report = await checkConformance(client, { ...quick, clock: quickClock() });
    expect(report.notTried.filter(({ why }) => why.includes('/_integration'))).toEqual([]);
    await client.close();
  });

  test('are most of the checks without a token', async () => {
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

describe('the questions of a conformance run', () => {
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
