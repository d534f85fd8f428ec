import { expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { type ConformanceReport, checkConformance, formatConformance } from '../../../src/tools/conformance/index.ts';
import { casesOf } from '../../support/thorough.ts';
import { checkFaulty, config, quickClock } from './support/faulty.ts';

// Answers that are too large, too deep or endless, and answers that quote the token of the question.

const nested = '['.repeat(200_000) + ']'.repeat(200_000);
const many = Array.from({ length: 300_000 }, (_, index) => `item ${index}`);
const bodies: Readonly<Record<string, () => unknown>> = {
  '400 KB of brackets': () => nested,
  '300 000 names': () => ({ names: many }),
  '100 000 fields': () => Object.fromEntries(many.slice(0, 100_000).map((name) => [name, name])),
  'brackets below a field': () => `{"items":${nested},"names":${nested},"item":${nested},"bindings":${nested}}`,
  '300 000 items': () => many,
  'a text of 4 MB': () => 'x'.repeat(4_000_000),
};

const formats = ['text', 'json', 'junit'] as const;
const reportsOf = (report: ConformanceReport) => formats.map((as) => formatConformance(report, as));

test.each(casesOf(Object.entries(bodies)))('%s is told in a few lines', { timeout: 120_000 }, async (_, make) => {
  const body = make();
  const report = await checkFaulty({
    answer: (answer, { path }) => void (path === '/_identity' && Object.assign(answer, { body })),
  });
  expect(report.alike).toBe(false);
  expect(report.differences.length).toBeGreaterThan(0);
  for (const text of reportsOf(report)) expect(text.length).toBeLessThan(500_000);
});

test('an answer without an end ends the run with an error that names the question', { timeout: 60_000 }, async () => {
  await using mock = await createMock(config);
  let left = 0;
  const fetch: typeof mock.fetch = async (input, init) => {
    const { url, method } = new Request(input, init);
    if (method !== 'POST' || !url.endsWith('/authorization/v1/evaluate')) return mock.fetch(input, init);
    const cancel = () => {
      left += 1;
    };
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      controller.enqueue(new Uint8Array(65_536));
    return new Response(new ReadableStream({ pull, cancel }));
  };
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, fetch, credentials: credentials.bearer(token) });
  await expect(checkConformance(client, { rate: 1_000_000, clock: quickClock() })).rejects.toMatchObject({
    code: 'PARSE',
    message: expect.stringMatching(/POST \/_integration\/authorization\/v1\/evaluate.* more than 16777216 bytes/),
  });
  expect(left).toBe(1);
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

test.each(Object.entries(quotes))('%s of the token reaches no report', { timeout: 60_000 }, async (_, quote) => {
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
});
