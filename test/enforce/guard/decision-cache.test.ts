import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { createGuard, type Guard, type GuardOptions } from '../../../src/enforce/guard/index.ts';
import { clientOver, type Sent } from '../../client/services/support.ts';
import { allow, outcomes } from './outcomes.ts';

const jwt = (claims: object, name = 'a') => `${name}.${btoa(JSON.stringify(claims)).replaceAll('=', '')}.s`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const read = { action: 'orders:read', resource: 'order:7' };
const write = { action: 'orders:write', resource: 'order:7' };
const deny = (name: string) => outcomes.find((outcome) => outcome.name === name)?.answer ?? (() => undefined);

function remembering(options: GuardOptions = {}, answer: (sent: Sent) => unknown = allow.answer) {
  const clock = { at: 1_000_000, now: () => clock.at };
  let said = answer;
  const { client, sent } = clientOver((one) => said(one));
  const guard = createGuard(client, { clock, ...options });
  const say = (next: typeof answer) => {
    said = next;
  };
  return { clock, guard, sent, say };
}

const statuses = async (...checks: Promise<{ status: number }>[]) =>
  (await Promise.all(checks)).map(({ status }) => status);
const check = (guard: Guard, token = 't', ask = read) => guard.check(bearer(token), ask);

test('equal questions of one tick are one request', async () => {
  const { guard, sent } = remembering();
  expect(await statuses(check(guard), check(guard), guard.check({ headers: bearer('t') }, { ...read }))).toEqual([
    200, 200, 200,
  ]);
  expect(sent).toHaveLength(1);
  const many = [read, write];
  await Promise.all([guard.checkMany(bearer('t'), many), guard.checkMany(bearer('t'), many)]);
  expect(sent).toHaveLength(2);
});

test('another token, action, resource, context or item makes another question', async () => {
  const { guard, sent } = remembering();
  await Promise.all([
    check(guard),
    check(guard, 'u'),
    check(guard, 't', write),
    guard.check(bearer('t'), { ...read, resource: 'order:8' }),
    guard.check(bearer('t'), { ...read, context: { parameters: {} } }),
    guard.checkMany(bearer('t'), [read]),
    guard.checkMany(bearer('t'), [read, write]),
    guard.checkMany(bearer('t'), [write, read]),
  ]);
  expect(sent).toHaveLength(8);
});

test('each caller of a tick has its own access', async () => {
  const { guard } = remembering({}, deny('Deny'));
  const [one, other] = await Promise.all([check(guard), check(guard)]);
  expect(one).not.toBe(other);
  expect([one.response?.status, await one.response?.text(), other.response?.bodyUsed]).toEqual([
    403,
    expect.stringContaining('Permission denied'),
    false,
  ]);
});

test('without a cache the next tick asks again, also after a failure', async () => {
  const { guard, sent, say } = remembering({}, deny('503'));
  expect(await statuses(check(guard), check(guard))).toEqual([503, 503]);
  say(allow.answer);
  expect(await statuses(check(guard))).toEqual([200]);
  say(deny('Deny'));
  expect(await statuses(check(guard))).toEqual([403]);
  expect(sent).toHaveLength(3);
});

test('keeps Allow and Deny for the ttl, and not a millisecond longer', async () => {
  const { clock, guard, sent, say } = remembering({ cache: { ttl: '5s' } });
  expect((await check(guard)).status).toBe(200);
  say(deny('Deny'));
  expect((await check(guard, 'u')).status).toBe(403);
  say(deny('503'));
  clock.at += 4_999;
  expect(await statuses(check(guard), check(guard, 'u'))).toEqual([200, 403]);
  expect(sent).toHaveLength(2);
  clock.at += 1;
  expect(await statuses(check(guard), check(guard, 'u'))).toEqual([503, 503]);
});

test('counts the ttl from the time of the question', async () => {
  const { clock, guard, sent } = remembering({ cache: { ttl: '5s' } }, (one) => {
    clock.at += 3_000;
    return allow.answer(one);
  });
  await check(guard);
  clock.at += 1_999;
  await check(guard);
  expect(sent).toHaveLength(1);
  clock.at += 1;
  await check(guard);
  expect(sent).toHaveLength(2);
});

test('keeps nothing after a clock is set back', async () => {
  const { clock, guard, sent } = remembering({ cache: { ttl: '5s' } });
  await check(guard);
  clock.at -= 3_600_000;
  await check(guard);
  expect(sent).toHaveLength(2);
});

test('keeps nothing beyond exp', async () => {
  const { clock, guard, say } = remembering({ cache: { ttl: '1h' } });
  // The services' times are whole seconds.
  const token = jwt({ exp: clock.at / 1_000 + 2.9 });
  expect((await check(guard, token)).status).toBe(200);
  say(deny('400, code 9'));
  clock.at += 1_999;
  expect((await check(guard, token)).status).toBe(200);
  clock.at += 1;
  expect((await check(guard, token)).status).toBe(401);
});

test.each(['400, code 9', '401', '429', '500', 'connection refused', 'a response that is not JSON'])(
  'never keeps %s',
  async (name) => {
    const { guard, say } = remembering({ cache: { ttl: '1h' } }, deny(name));
    expect((await check(guard)).allowed).toBe(false);
    say(allow.answer);
    expect((await check(guard)).allowed).toBe(true);
  },
);

test('keeps at most max answers; the oldest goes first', async () => {
  const { guard, sent } = remembering({ cache: { ttl: '1h', max: 2 } });
  for (const token of ['a', 'b', 'c']) await check(guard, token);
  expect(sent).toHaveLength(3);
  await check(guard, 'b');
  await check(guard, 'c');
  expect(sent).toHaveLength(3);
  await check(guard, 'a');
  expect(sent).toHaveLength(4);
});

test('caches the answers of checkMany and the users of authenticate', async () => {
  const { guard, sent } = remembering({ cache: { ttl: '1h' }, identify: true }, (one) =>
    one.path.endsWith('/validate')
      ? { isValid: true, details: { lifetime: '3600s', user: 'alice' } }
      : allow.answer(one),
  );
  for (let i = 0; i < 3; i++) {
    expect(await guard.checkMany(bearer('t'), [read, write])).toMatchObject({ user: 'alice', allowed: true });
    expect(await guard.authenticate(bearer('t'))).toMatchObject({ user: 'alice' });
  }
  expect(sent).toHaveLength(2);
});

test('keys the cache by a digest: no token stays', async () => {
  const { guard } = remembering({ cache: { ttl: '1h' } });
  const set = vi.spyOn(Map.prototype, 'set');
  try {
    await guard.check(bearer('canary-token'), write);
    const kept = set.mock.calls.filter((entry) => /until/.test(inspect(entry)));
    expect(kept).toHaveLength(1);
    expect(inspect(kept, { depth: 9 })).not.toMatch(/canary|order/);
  } finally {
    set.mockRestore();
  }
});

test('two guards share no cache', async () => {
  const { client, sent } = clientOver(allow.answer);
  const [one, other] = [createGuard(client, { cache: { ttl: '1h' } }), createGuard(client, { cache: { ttl: '1h' } })];
  await Promise.all([check(one), check(other)]);
  expect(sent).toHaveLength(2);
});
