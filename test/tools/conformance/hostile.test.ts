import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import {
  type ConformanceOptions,
  type ConformanceReport,
  checkConformance,
} from '../../../src/tools/conformance/index.ts';
import { Pace } from '../../../src/tools/conformance/pace.ts';
import { casesOf } from '../../support/thorough.ts';
import { checkFaulty, config, quickClock } from './support/faulty.ts';

// Deployments with odd names, endless answers, too little time, or a token that may little.

const all = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

type Fetch = Mock['fetch'];

/** Verifies a mock through another `fetch`, with a superuser's token or that of a user. */
async function checkThrough(
  wrap: (fetch: Fetch, mock: Mock) => Fetch,
  { user = null, ...options }: ConformanceOptions & { user?: string | null } = {},
  changes: MockConfig = {},
) {
  await using mock = await createMock({ ...config, ...changes });
  const token = await mock.tokens.issue({ user });
  const client = createClient({
    ...mock.connection,
    fetch: wrap(mock.fetch, mock),
    credentials: credentials.bearer(token),
  });
  return await checkConformance(client, { rate: 1_000_000, clock: quickClock(), ...options });
}

describe('odd names in a conformance run', () => {
  const of = (name: string) => ({
    policies: { [name]: all, z: { statements: [] } },
    roles: { [name]: { policies: ['z'] }, ok: { policies: [name] } },
    bindings: ['alice', name].map((user) => ({ user, role: 'ok', scope: all })),
  });

  test.each(casesOf(['.', '..', 'a/b', '/']))('%j is counted, not a difference', async (name) => {
    const report = await checkFaulty({}, { users: ['alice', name] }, of(name));
    expect(report.differences).toEqual([]);
    const names = [`state/policy/${name}`, `state/role/${name}`, `state/bindings/${name}`, 'borders/scope/alice'];
    expect(report.notTried.map(({ check }) => check)).toEqual(names);
    expect(report.notTried[0]?.why).toBe('no path holds its name');
  });

  test.each(['..', 'a/b'])('decisions by %j are compared if the streams name it', async (name) => {
    const report = await checkFaulty({ streams: (transport) => transport }, {}, of(name));
    expect([report.differences, report.notTried]).toEqual([[], []]);
    expect(report.checks.map(({ check }) => check)).toContain('borders/scope/alice');
  });

  test.each(casesOf(['a%2Fb', '%2e%2e', 'ü', 'a:b', '?q#h', 'a\\b', ' ', '..a', '\u{1f600}']))(
    '%j makes no difference',
    async (name) => {
      const report = await checkFaulty({}, { users: ['alice', name] }, of(name));
      expect([report.differences, report.notTried]).toEqual([[], []]);
    },
  );
});

describe('a busy deployment', () => {
  /** Refuses each question the first so many times; its clock is that of the mock. */
  const busy = (status: number, times: number, header: Record<string, string>) => {
    const refused = new Map<string, number>();
    const slept: number[] = [];
    const mocks: Mock[] = [];
    const wrap =
      (fetch: Fetch, mock: Mock): Fetch =>
      async (input, init) => {
        mocks[0] = mock;
        const key = `${init?.method} ${input} ${init?.body}`;
        const count = refused.get(key) ?? 0;
        refused.set(key, count + 1);
        return count < times ? new Response('busy', { status, headers: header }) : fetch(input, init);
      };
    const clock = {
      now: () => mocks[0]?.clock.now() ?? Date.now(),
      async sleep(ms: number) {
        slept.push(ms);
        mocks[0]?.clock.set(mocks[0].clock.now() + ms);
      },
    };
    return { wrap, clock, slept };
  };

  test.each([429, 503])('is asked again after the pause that a %i asks for', async (status) => {
    const { wrap, clock, slept } = busy(status, 1, { 'retry-after': '7' });
    const report = await checkThrough(wrap, { clock });
    expect(report.differences).toEqual([]);
    expect(slept.filter((ms) => ms === 7_000).length).toBeGreaterThan(50);
  });

  test('counts as different without retry-after, or if every try gets a 429', async () => {
    const mute = busy(503, 1, {});
    expect((await checkThrough(mute.wrap, { clock: mute.clock })).alike).toBe(false);
    const { wrap, clock, slept } = busy(429, 1_000, { 'retry-after': '86400' });
    expect((await checkThrough(wrap, { clock })).alike).toBe(false);
    expect(Math.max(...slept)).toBe(30_000);
  });
});

test('the pace keeps its rate, and waits no longer if the clock is set back', async () => {
  const slept: number[] = [];
  let now = 1e12;
  const pace = new Pace(20, {
    now: () => now,
    async sleep(ms) {
      slept.push(ms);
      now += ms;
    },
  });
  for (let i = 0; i < 3; i++) await pace.turn();
  now -= 3_600_000;
  await pace.turn();
  await pace.turn();
  now += 3_600_000;
  for (let i = 0; i < 2; i++) await pace.turn();
  expect(slept).toEqual([50, 50, 50, 50, 50]);
});

describe('the token of an ordinary user', () => {
  const may = (...actions: string[]) => ({ statements: [{ effect: 'Allow' as const, actions, resources: ['*', ''] }] });

  test.each([
    ['nothing', []],
    ['listing policies', ['rbac:ListPolicy']],
    ['policies', ['rbac:*Policy']],
    ['listing', ['rbac:List*']],
    ['reading all but bindings', ['rbac:List*', 'rbac:GetPolicy', 'rbac:GetRole']],
    ['reading', ['rbac:List*', 'rbac:Get*']],
    ['everything', ['*']],
  ])('that may do %s makes no difference', async (_what, actions) => {
    const changes = {
      policies: { ...config.policies, ops: may(...actions) },
      roles: { ...config.roles, ops: { policies: ['ops'] } },
      bindings: [...(config.bindings ?? []), { user: 'olga', role: 'ops', scope: all }],
    };
    const report = await checkThrough((fetch) => fetch, { user: 'olga', write: true }, changes);
    expect(report.differences).toEqual([]);
    expect(report.left).toEqual([]);
    if (!actions.includes('*')) expect(report.notTried.length).toBeGreaterThan(0);
  });
});

test('a run that is under way at the same time keeps what it wrote', async () => {
  await using mock = await createMock(config);
  const token = await mock.tokens.issue({ user: null });
  const given = { ...mock.connection, credentials: credentials.bearer(token) };
  const [watching, beaten] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = quickClock();
  const second = {
    ...quickClock(),
    async sleep(ms: number) {
      if (ms < 10_000) return;
      watching.resolve();
      await beaten.promise;
    },
  };
  let other: Promise<ConformanceReport> | undefined;
  const names = async () => {
    const found: string[] = [];
    for await (const name of createClient(given).authorization.policies.list()) found.push(name);
    return found.filter((name) => name.startsWith('arango-services-conformance-'));
  };
  let kept: readonly string[] = [];
  const fetch: Fetch = async (input, init) => {
    const { method, url } = new Request(input, init);
    if (other === undefined && method === 'POST' && url.endsWith('-allow')) {
      other = checkConformance(createClient(given), { rate: 1_000_000, clock: second, write: true });
      await watching.promise;
      await first.sleep(3_000);
    } else if (/policy\/arango-services-conformance-[\da-f]{8}$/.test(url) && method === 'PUT') {
      const answer = await mock.fetch(input, init);
      const before = await names();
      beaten.resolve();
      await other;
      kept = before.filter((name) => !url.endsWith(name));
      expect(await names()).toEqual(before);
      return answer;
    }
    return mock.fetch(input, init);
  };
  const report = await checkConformance(createClient({ ...given, fetch }), {
    rate: 1_000_000,
    clock: first,
    write: true,
  });
  expect(kept.length).toBeGreaterThan(2);
  const beside = await other;
  expect([report.left, beside?.left, await names()]).toEqual([[], [], []]);
  expect([report.differences, beside?.differences]).toEqual([[], []]);
  expect(beside?.notTried.map(({ why }) => why)).toContainEqual(
    expect.stringMatching(/^another run is under way below arango-services-conformance-[\da-f]{8}: /),
  );
});
