import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import { type ConformanceOptions, checkConformance, formatConformance } from '../../../src/tools/conformance/index.ts';
import { bodyText, type QuestionAnswer } from '../../../src/tools/conformance/question-exchange.ts';
import { readVectors } from '../../support/replay.ts';
import { casesOf, isRelease } from '../../support/thorough.ts';
import { config, quick, quickClock, secret } from './support/faulty.ts';

// A deployment as the real services were recorded is alike: whatever was written before, with passive keys, and at an
// address of the services without the gateway.

const notFound = { code: 5, message: 'Not Found', details: [] };
const noGateway = 'the address serves neither /_identity nor /_login: it is not the gateway';
type Fetch = Mock['fetch'];

/** The services without the gateway: its short names are paths that they do not know. */
const withoutGateway =
  (fetch: Fetch, body: string): Fetch =>
  async (input, init) =>
    /^\/_(identity|login|logout)$/.test(new URL(new Request(input).url).pathname)
      ? new Response(body, { status: 404, headers: { 'content-type': 'application/json' } })
      : fetch(input, init);

async function open(changes: MockConfig = {}) {
  const mock = await createMock({ ...config, gateway: { cookiesSupport: false }, ...changes });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

async function check(mock: Mock, fetch: Fetch, options: ConformanceOptions = {}) {
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, fetch, credentials: credentials.bearer(token) });
  return await checkConformance(client, { ...quick, clock: quickClock(), write: true, ...options });
}

type Report = Awaited<ReturnType<typeof check>>;

/** Each form of a report says that nothing differs. */
function expectAlike(report: Report): void {
  expect(report.differences).toEqual([]);
  expect([report.alike, report.left]).toEqual([true, []]);
  expect(JSON.parse(formatConformance(report, 'json'))).toMatchObject({ alike: true, differences: [] });
  expect(formatConformance(report)).toMatch(/^\d+ checks alike, 0 different, 0 known, /);
  const junit = formatConformance(report, 'junit');
  expect(junit).toContain(' failures="0"');
  expect(junit).not.toContain('<failure');
}

async function writeRoles(mock: Mock): Promise<void> {
  const token = await mock.tokens.issue({ user: null });
  const { roles } = createClient({ ...mock.connection, credentials: credentials.bearer(token) }).authorization;
  await roles.create('before', { policies: [] });
  for (let i = 1; i < 29; i++) await roles.update('before', { policies: [`p${i}`] });
  await roles.delete('before');
}

const passive = { authentication: { keys: { active: secret, passive: ['the-passive-secret'] } } };

describe('a conformance run over a mock of the recorded services', () => {
  test.runIf(isRelease)('finds no difference after 30 writes of roles', async () => {
    const mock = await open();
    await writeRoles(mock);
    expectAlike(await check(mock, mock.fetch, { secret }));
  });

  test.each(
    casesOf([
      ['without the secret', {}],
      ['with the secret', { secret }],
    ] as const),
  )('finds no difference with passive keys, %s', async (_what, options) => {
    const mock = await open(passive);
    const report = await check(mock, mock.fetch, options);
    expectAlike(report);
    expect(report.settings.passive).toBe(true);
    expect(formatConformance(report)).toContain(', passive keys.');
  });

  test('finds differences if the setting for passive keys is wrong', async () => {
    const [none, some] = [await open(), await open(passive)];
    const parts = async (mock: Mock, isPassive: boolean) => {
      const { differences, fits } = await check(mock, mock.fetch, { settings: { passive: isPassive }, write: false });
      expect(fits.best).toMatchObject({ different: 0, settings: { passive: !isPassive } });
      return new Set(differences.map(({ check: name }) => name));
    };
    const telling = ['body/null-field', 'body/missing', 'validate/malformed', 'management/malformed'];
    const expected = new Set([...telling, 'management/second-space']);
    expect([await parts(none, true), await parts(some, false)]).toEqual([expected, expected]);
  });

  test.each(
    casesOf([
      ['another server', 'Not Found\n'],
      ['the services', JSON.stringify(notFound)],
    ] as const),
  )('finds no difference at an address of the services alone, where %s answers other paths', async (_who, body) => {
    const mock = await open();
    const report = await check(mock, withoutGateway(mock.fetch, body), { secret });
    expectAlike(report);
    expect(report.notTried.map(({ check: name, why }) => [name, why])).toEqual([
      ['session/short-identity', noGateway],
      ['session/short-login', noGateway],
    ]);
    expect(formatConformance(report).split(noGateway).length).toBe(2);
  });

  test.runIf(isRelease)('finds the short name that a gateway lacks', async () => {
    const mock = await open();
    for (const [path, name] of [
      ['/_identity', 'session/short-identity'],
      ['/_login', 'session/short-login'],
    ] as const) {
      const lacking = withoutGateway(mock.fetch, JSON.stringify(notFound));
      const report = await check(mock, (input, init) =>
        new URL(new Request(input).url).pathname === path ? lacking(input, init) : mock.fetch(input, init),
      );
      expect(new Set(report.differences.map((one) => one.check))).toEqual(new Set([name]));
    }
  });

  test.runIf(isRelease)(
    'finds no difference with writes, passive keys and an address of the services alone at once',
    async () => {
      const mock = await open(passive);
      await writeRoles(mock);
      const report = await check(mock, withoutGateway(mock.fetch, JSON.stringify(notFound)), { secret });
      expectAlike(report);
      expect(report.settings).toMatchObject({ fidelity: 'sidecar', passive: true, cookies: false });
    },
  );
});

/** A question or a recorded request, by what an answer depends on. */
const keyOf = (method: string, path: string, headers: Iterable<readonly [string, unknown]>, body: string) => {
  const telling = [...headers].filter(([name]) => !['accept', 'content-type', 'user-agent'].includes(name)).sort();
  return JSON.stringify([method, path, telling, body]);
};

/** The answers that were recorded of services with the settings of the mock, and that need no state. */
function recordedAnswers(): Map<string, QuestionAnswer> {
  const answers = new Map<string, QuestionAnswer>();
  for (const { config: recorded, steps } of readVectors('vectors')) {
    const { authorization, authentication, fidelity } = recorded;
    if (fidelity !== 'sidecar' || authentication?.enabled === false || authentication?.keys?.passive) continue;
    if (authorization?.type !== undefined && authorization.type !== 'central') continue;
    for (const { request, response } of steps) {
      const { method, path, headers = {} } = request;
      if (path.includes('/user/') || JSON.stringify(request).includes('{{')) continue;
      answers.set(keyOf(method, path, Object.entries(headers), bodyText(request) ?? ''), response);
    }
  }
  return answers;
}

test('a conformance run finds no difference in a stub of the recorded answers, where its questions were recorded', async () => {
  const recorded = recordedAnswers();
  const mock = await open();
  const met = new Set<string>();
  const stub: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const key = keyOf(request.method, pathname + search, request.headers, await request.clone().text());
    const answer = recorded.get(key);
    if (answer === undefined) return mock.fetch(request);
    met.add(key);
    const { status, headers = {}, body } = answer;
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, String(value)]],
    );
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text ?? null, { status, headers: sent });
  };
  expectAlike(await check(mock, stub, { secret }));
  expect(met.size).toBeGreaterThanOrEqual(15);
});
