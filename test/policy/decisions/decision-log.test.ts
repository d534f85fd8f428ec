import { createHmac } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { withResolvers } from '../../../src/base/lib/fallbacks.ts';
import type { MadeDecision } from '../../../src/policy/decision-line/made-decision.ts';
import { type DecisionLogOptions, decisionLog } from '../../../src/policy/decisions/index.ts';
import { collect } from './collect.ts';

const made = (fields: Partial<MadeDecision> = {}): MadeDecision => ({
  subject: { user: 'alice', groups: ['g1'] },
  action: 'orders:read',
  resource: 'order:7',
  effect: 'Allow',
  reason: 'allowed',
  ...fields,
});

/** Records decisions in a log and reads the lines back. */
async function roundTrip(decisions: readonly MadeDecision[], options: DecisionLogOptions = {}) {
  let text = '';
  const log = decisionLog({
    write: (lines) => {
      text += lines;
    },
    ...options,
  });
  for (const one of decisions) log.record(one);
  await log.flush();
  return { text, log, ...(await collect(text)) };
}

test('a line holds the whole decision, and reads back as it was made', async () => {
  const whole: Required<MadeDecision> = {
    time: '2026-11-23T03:40:00.123Z',
    decisionId: 'd1',
    traceId: '4bf9',
    spanId: '00f0',
    requestId: 'req-1',
    service: 'orders',
    operation: 'getOrder',
    subject: { user: 'alice', groups: ['g1'] },
    action: 'orders:read',
    resource: 'orders:eu:7',
    effect: 'Deny',
    reason: 'explicit-deny',
    enforced: false,
    source: 'replica',
    revision: { policies: 41, roles: 7, bindings: 903 },
    because: [
      { role: 'viewer', policy: 'orders-reader', statement: 0 },
      { role: 'viewer', statement: 1 },
    ],
    durationUs: 0.7,
    shadow: { effect: 'Allow', reason: 'allowed', source: 'pdp' },
    context: { ip: ['10.0.0.1'] },
  };
  const { decisions, text } = await roundTrip([whole], { include: ['context'] });
  expect(decisions).toEqual([{ v: 1, kind: 'decision', ...whole }]);
  expect(text).toMatch(/^\{"v":1,"kind":"decision","time":"2026-11-23T03:40:00\.123Z",/);
});

test('a log fills in the time of its clock, its service, and enforced', async () => {
  const clock = { now: () => Date.UTC(2026, 10, 23) };
  const { decisions } = await roundTrip([made(), made({ service: 'own' })], { clock, service: 'orders' });
  expect(decisions).toMatchObject([
    { time: '2026-11-23T00:00:00.000Z', service: 'orders', enforced: true },
    { service: 'own' },
  ]);
});

test.each<[string, () => number]>([
  ['tells no time', () => Number.NaN],
  [
    'throws',
    () => {
      throw new Error('no clock');
    },
  ],
])('a clock that %s makes decisions dropped ones, which a gap line counts', async (_, now) => {
  // The time at the start is checked before the log is made.
  const clock = { now: vi.fn(now).mockReturnValueOnce(0) };
  const { decisions, summary, log } = await roundTrip([made(), made()], { clock });
  expect([decisions, summary.dropped, log.dropped]).toEqual([[], 2, 2]);
});

test('a log leaves out contexts and unknown fields, and `masked` has the path of the context', async () => {
  const canary = 'canary-9f2c';
  const careless = {
    ...made({ subject: { user: 'alice', token: canary } as never, context: { password: [canary] } }),
    token: canary,
    headers: { authorization: canary },
    shadow: { effect: 'Deny', token: canary } as never,
    revision: { policies: 1, roles: 1, bindings: 1, token: canary } as never,
    because: [{ role: 'viewer', statement: 0, token: canary } as never],
  };
  const { text, decisions } = await roundTrip([careless, made()]);
  expect(text).not.toContain(canary);
  expect(decisions.map(({ masked }) => masked)).toEqual([['/context'], undefined]);
});

test('a key for hashUsers of 32 bytes is accepted, in fewer characters, too', () => {
  for (const key of ['é'.repeat(16), 'k'.repeat(32), new Uint8Array(32).fill(7)]) {
    expect(decisionLog({ write: () => 0, hashUsers: { key } }).dropped).toBe(0);
  }
});

test.each<string | Uint8Array>(['k'.repeat(40), new TextEncoder().encode('k'.repeat(40))])(
  'hashUsers writes the HMAC of the name',
  async (key) => {
    const names = ['alice', 'bob', 'alice', '', 'é\u202e'];
    const decisions = names.map((user) => made({ subject: { user } }));
    const read = await roundTrip([...decisions, made({ subject: {} })], { hashUsers: { key } });
    const hashes = names.map((name) => createHmac('sha256', 'k'.repeat(40)).update(name).digest('hex'));
    expect(read.decisions.map(({ subject }) => subject)).toEqual([...hashes.map((userHash) => ({ userHash })), {}]);
    expect(read.decisions.at(0)?.masked).toEqual(['/subject/user']);
    expect(read.decisions.at(-1)?.masked).toBeUndefined();
    expect(read.text).not.toMatch(/alice|bob|kkk/);
  },
);

test('names forge no line, hide nothing from a terminal, and read back', async () => {
  const odd = 'a\n{"v":1,"kind":"decision"}\r\u2028\u001b[31m\u009b31m\u202e\ufffd\ud800"\\\u007f\u{1f600}';
  const { text, decisions, summary } = await roundTrip([made({ subject: { user: odd }, resource: odd })]);
  expect(decisions).toMatchObject([{ subject: { user: odd }, resource: odd }]);
  expect(summary.lines).toBe(1);
  expect(text).toMatch(/^[ -~\u{1f600}]+\n$/u);
});

test('sample leaves out Allows, never denials, failures and differing shadows', async () => {
  const kept = [
    made({ effect: 'Deny', reason: 'no-binding' }),
    made({ reason: 'failed' }),
    made({ shadow: { effect: 'Deny' } }),
  ];
  const none = await roundTrip([...kept, ...Array.from({ length: 50 }, () => made())], { sample: 0 });
  expect(none.decisions).toHaveLength(3);
  expect(none.log.dropped).toBe(0);
  const half = await roundTrip(
    Array.from({ length: 4_000 }, () => made()),
    { sample: 0.5 },
  );
  expect(half.decisions.length).toBeGreaterThan(1_700);
  expect(half.decisions.length).toBeLessThan(2_300);
});

test('a slow output holds the buffer back; what does not fit is one gap line, in its place', async () => {
  const writes: { readonly lines: string; readonly done: () => void }[] = [];
  const arrived: (() => void)[] = [];
  const write = (lines: string) =>
    new Promise<void>((done) => {
      writes.push({ lines, done });
      arrived.shift()?.();
    });
  const next = () => new Promise<void>((resolve) => arrived.push(resolve));
  const log = decisionLog({ write, buffer: 3 });
  const record = (name: string) => log.record(made({ action: name }));

  const first = next();
  for (const name of ['a', 'b']) record(name);
  await first;
  for (const name of ['c', 'd', 'e']) record(name);
  expect(log.dropped).toBe(2);
  expect(writes).toHaveLength(1);
  for (const index of [0, 1]) {
    const following = next();
    writes[index]?.done();
    await following;
  }
  writes[2]?.done();
  await log.flush();
  const { numbers, decisions, summary } = await collect(writes.map(({ lines }) => lines).join(''));
  expect(decisions.map(({ action }) => action)).toEqual(['a', 'b', 'c']);
  expect(numbers).toEqual([1, 2, 3]);
  expect(summary).toMatchObject({ lines: 4, dropped: 2 });
  const last = next();
  record('f');
  await last;
  expect(writes.at(-1)?.lines).toContain('"action":"f"');
});

test('many decisions are written in order, in pieces', async () => {
  const sizes: number[] = [];
  let text = '';
  const log = decisionLog({
    write: (lines) => {
      sizes.push(lines.split('\n').length - 1);
      text += lines;
    },
  });
  for (let index = 0; index < 1_700; index += 1) log.record(made({ action: `a:${index}` }));
  await log.flush();
  expect(sizes).toEqual([500, 500, 500, 200]);
  const { decisions } = await collect(text);
  expect(decisions.map(({ action }) => action)).toEqual(Array.from({ length: 1_700 }, (_, index) => `a:${index}`));
});

test('failed writes are counted and reported to onError, and the line after a half line is whole', async () => {
  const errors: unknown[] = [];
  let text = '';
  let broken = true;
  const log = decisionLog({
    write: (lines) => {
      text += broken ? lines.slice(0, 20) : lines;
      if (broken) throw new Error('disk full');
    },
    onError: (error) => {
      errors.push(error);
      throw new Error('from onError');
    },
  });
  log.record(made());
  log.record(made());
  await log.flush();
  expect(errors.map(String)).toEqual(['Error: disk full']);
  expect(log.dropped).toBe(2);
  broken = false;
  log.record(made({ action: 'a:after' }));
  await log.flush();
  const { decisions, summary } = await collect(text);
  expect(decisions.map(({ action }) => action)).toEqual(['a:after']);
  expect(summary.dropped).toBe(2);
});

test('record never throws: what cannot be written is counted', async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const throwing = Object.defineProperty(made(), 'effect', {
    get: () => {
      throw new Error('getter');
    },
  });
  const wrong = [made({ context: cyclic }), undefined, {}, throwing, made({ resource: 'x'.repeat(1_100_000) })];
  const { decisions, summary, log } = await roundTrip([...(wrong as MadeDecision[]), made()], { include: ['context'] });
  expect(decisions).toHaveLength(1);
  expect(summary).toMatchObject({ dropped: 5, skipped: [] });
  expect(log.dropped).toBe(5);
});

test('close writes what waits; later decisions only count', async () => {
  let text = '';
  const { record } = await (async () => {
    await using log = decisionLog({
      write: (lines) => {
        text += lines;
      },
    });
    log.record(made());
    return log;
  })();
  expect((await collect(text)).decisions).toHaveLength(1);
  record(made());
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await collect(text)).decisions).toHaveLength(1);
});

test('a log to a file stream of Node is written whole, and the error of the stream is reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'decision-log-'));
  try {
    const file = join(folder, 'decisions.jsonl');
    const stream = createWriteStream(file);
    const log = decisionLog({ stream });
    for (let index = 0; index < 3_000; index += 1) log.record(made({ action: `a:${index}` }));
    await log.close();
    expect((await collect(createReadStream(file))).decisions).toHaveLength(3_000);
    stream.end();

    const { promise, resolve } = withResolvers<unknown>();
    const failing = decisionLog({ stream: createWriteStream(join(folder, 'no', 'such')), onError: resolve });
    failing.record(made());
    expect(await promise).toMatchObject({ code: 'ENOENT' });
    await failing.close();
    expect(failing.dropped).toBe(1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a web stream stays open, and its back-pressure holds lines back', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const log = decisionLog({ stream: writable });
  log.record(made());
  const read = collect(readable as unknown as AsyncIterable<Uint8Array>);
  await log.close();
  const second = decisionLog({ stream: writable });
  second.record(made());
  await second.close();
  await writable.close();
  expect((await read).decisions).toHaveLength(2);
});

test.each<[object, string]>([
  [{}, 'write: expected a function, or a stream as `stream`, got undefined'],
  [{ write: () => 0, stream: process.stdout }, 'write: expected a function, or a stream as `stream`, got both'],
  [{ stream: {} }, 'stream: expected a writable stream, got an object'],
  [{ write: () => 0, sample: 1.1 }, 'sample: expected a number from 0 to 1, got 1.1'],
  [{ write: () => 0, include: ['token'] }, 'include[0]: expected one of context, got a string'],
  [{ write: () => 0, hashUsers: { key: '' } }, 'hashUsers.key: expected non-empty text or bytes, got an empty string'],
  [{ write: () => 0, hashUsers: { key: 'k'.repeat(31) } }, 'hashUsers.key: has fewer than 32 bytes: easy to guess'],
  [{ write: () => 0, hashUsers: { key: new Uint8Array(31).fill(7) } }, 'hashUsers.key: has fewer than 32 bytes'],
  [{ write: () => 0, buffer: 0 }, 'buffer: expected a whole number from 1 to 1000000, got 0'],
])('refuses %o', (options, message) => {
  expect(() => decisionLog(options as never)).toThrow(message);
});
