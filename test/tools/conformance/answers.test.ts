import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { type ConformanceReport, checkConformance, formatConformance } from '../../../src/tools/conformance/index.ts';
import { casesOf, isThorough } from '../../support/thorough.ts';
import { checkFaulty, config, quickClock } from './support/faulty.ts';

// Answers that are too large, too deep or endless, and answers that quote the token of the question.

const scale = isThorough ? 1 : 0.02;
const nested = '['.repeat(200_000 * scale) + ']'.repeat(200_000 * scale);
const many = Array.from({ length: 300_000 * scale }, (_, index) => `item ${index}`);
const bodies: Readonly<Record<string, () => unknown>> = {
  '400 KB of brackets': () => nested,
  '300 000 names': () => ({ names: many }),
  '100 000 fields': () => Object.fromEntries(many.slice(0, many.length / 3).map((name) => [name, name])),
  'brackets below a field': () => `{"items":${nested},"names":${nested},"item":${nested},"bindings":${nested}}`,
  '300 000 items': () => many,
  '300 000 bindings': () => ({ bindings: many.map((role) => ({ role })) }),
  '300 000 statements': () => ({ item: { statements: many.map(() => ({})) } }),
  'a text of 4 MB': () => 'x'.repeat(4_000_000 * scale),
};
const questions: Readonly<Record<string, RegExp>> = {
  'a short name': /^\/_identity$/,
  'a list': /\/permissions\/(policy|role)$/,
  'an item': /\/permissions\/(policy|role)\/./,
  'a decision': /\/authorization\/v1\/evaluate/,
  bindings: /\/user\/[^/]*\/role$/,
};

const formats = ['text', 'json', 'junit'] as const;
const reportsOf = (report: ConformanceReport) => formats.map((as) => formatConformance(report, as));
const attacks = Object.entries(questions).flatMap(([to, path]) =>
  Object.entries(bodies).map(([what, make]) => [what, to, path, make] as const),
);

test.each(casesOf(attacks))(
  '%s as the answer to %s makes no long report',
  { timeout: 120_000 },
  async (_what, _to, path, make) => {
    const body = make();
    const report = await checkFaulty({
      answer: (answer, seen) => void (path.test(seen.path) && Object.assign(answer, { body })),
    });
    expect(report.alike).toBe(false);
    expect(report.differences.length + report.notTried.length).toBeGreaterThan(0);
    for (const text of reportsOf(report)) expect(text.length).toBeLessThan(500_000);
  },
);

/** Checks a mock whose answers to these paths are streams. */
async function checkStreams(path: RegExp, stream: UnderlyingDefaultSource<Uint8Array>) {
  await using mock = await createMock(config);
  const fetch: typeof mock.fetch = async (input, init) =>
    path.test(new URL(new Request(input).url).pathname)
      ? new Response(new ReadableStream(stream, { highWaterMark: 0 }))
      : mock.fetch(input, init);
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, fetch, credentials: credentials.bearer(token) });
  return await checkConformance(client, { rate: 1_000_000, users: ['alice'], clock: quickClock() });
}

test.each(Object.entries(questions))(
  'a stream without an end that answers %s is cancelled at 16 MiB',
  async (_to, path) => {
    let [sent, left] = [0, 0];
    const run = checkStreams(path, {
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        left += 1;
      },
    });
    const error = await run.catch((one: unknown) => one);
    expect(error).toMatchObject({ code: 'PARSE', message: expect.stringMatching(/ more than 16777216 bytes/) });
    expect((error as { path: string }).path).toMatch(path);
    // The address of an item is learned by the client, which reads up to 32 MiB.
    expect(left).toBe(path.test('/_management/permissions/policy/verify') ? 2 : 1);
    expect(sent).toBeLessThan(left === 2 ? 51_000_000 : 17_000_000);
  },
);

test.each(Object.entries(questions))(
  'a stream that answers %s drop by drop is cancelled after 30 s',
  async (_to, path) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const begun = Promise.withResolvers<void>();
    const run = checkStreams(path, {
      async pull(controller) {
        begun.resolve();
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        controller.enqueue(new Uint8Array(1));
      },
    }).catch((error: unknown) => error);
    await begun.promise;
    await vi.advanceTimersByTimeAsync(29_500);
    expect(await Promise.race([run, 'dripping'])).toBe('dripping');
    await vi.advanceTimersByTimeAsync(600);
    expect(await run).toMatchObject({ code: 'TIMEOUT', path: expect.stringMatching(path) });
  },
);

test.each([false, true])('pages without an end are read up to 10 000 names (write: %s)', async (write) => {
  let asked = 0;
  const report = await checkFaulty(
    {
      answer: (answer, { path, query }) => {
        if (!path.endsWith('/permissions/role') || !query.has('itemsPerPage')) return;
        asked += 1;
        Object.assign(answer, { body: { names: many.slice(0, 500).map((name) => `${name} ${query.get('page')}`) } });
      },
    },
    { write },
  );
  expect(asked).toBeLessThan(60);
  expect(report.notTried[0]?.why).toMatch(/^the permissions cannot be read: .* answered more than 10000 names$/);
});

test.each([500, 501])('a user with %i bindings ends the run in time', { timeout: 60_000 }, async (count) => {
  const bindings = many.slice(0, count).map((role) => ({ role, scope: null }));
  const report = await checkFaulty({
    answer: (answer, { path }) =>
      void (path.endsWith('/user/alice/role') && Object.assign(answer, { body: { bindings } })),
  });
  const why = count > 500 ? ['the permissions cannot be read: a user has more than 500 bindings'] : [];
  expect(report.notTried.map((one) => one.why)).toEqual(why);
});

test('a policy of very many patterns, or of very long ones, is asked about at few borders', async () => {
  const actions = Array.from({ length: 10_000 }, (_, index) => `a:item${index}`);
  const long = { effect: 'Allow', actions: ['a:b'], resources: [Array(20_000).fill('a').join(':')] } as const;
  for (const statement of [{ effect: 'Allow', actions, resources: ['*'] } as const, long]) {
    const report = await checkFaulty({}, {}, { policies: { ...config.policies, orders: { statements: [statement] } } });
    expect([report.differences, report.notTried]).toEqual([[], []]);
    expect(report.questions).toBeLessThan(300);
  }
});

const quotes: Readonly<Record<string, (token: string) => unknown>> = {
  'the signature': (token) => ({ debug: token.split('.')[2] }),
  'the payload in a text': (token) => `got ${token.split('.')[1]}!`,
  'the payload in hex': (token) => [Buffer.from(token.split('.')[1] ?? '').toString('hex')],
  'the token in base64': (token) => ({ at: Buffer.from(token).toString('base64') }),
  'the token in a name': (token) => ({ [token.slice(40)]: 1 }),
  'halves in two fields': (token) => ({ a: token.slice(0, 90), b: token.slice(90) }),
  'pieces of 12 characters in a list': (token) => token.match(/.{1,12}/g),
  'pieces of 12 characters in fields': (token) =>
    Object.fromEntries((token.match(/.{1,12}/g) ?? []).map((s, i) => [`f${i}`, s])),
};

test.each(casesOf(Object.entries(quotes)))(
  '%s of the token reaches no report',
  { timeout: 60_000 },
  async (_, quote) => {
    const tokens = new Set<string>();
    const report = await checkFaulty({
      answer: (answer, { headers, path }) => {
        const [, token] = /^Bearer (ey[\w-]+\.[\w-]+\.[\w-]+)$/i.exec(headers.get('authorization') ?? '') ?? [];
        if (token === undefined || path !== '/_identity') return;
        tokens.add(token);
        Object.assign(answer, { body: quote(token) });
      },
    });
    expect(report.alike).toBe(false);
    // All tokens begin alike, with their algorithm.
    const secrets = [...tokens].flatMap((token) => token.split('.').slice(1));
    expect(secrets.length).toBeGreaterThan(1);
    const written = secrets.flatMap((one) => [
      one,
      Buffer.from(one).toString('hex'),
      Buffer.from(one).toString('base64'),
    ]);
    const pieces = written.flatMap((one) => one.match(/.{12}/g) ?? []);
    for (const text of reportsOf(report)) expect(pieces.filter((piece) => text.includes(piece))).toEqual([]);
  },
);
