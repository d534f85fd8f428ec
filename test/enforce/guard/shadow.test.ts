import { AsyncLocalStorage } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import {
  createGuard,
  type GuardOptions,
  guardOperation,
  type ShadowDifference,
} from '../../../src/enforce/guard/index.ts';
import { createClient } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import type { MadeDecision } from '../../../src/policy/decision-line/made-decision.ts';
import { decisionLog, readDecisions } from '../../../src/policy/decisions/index.ts';
import { createEvaluator, type Decider } from '../../../src/policy/index.ts';
import { liveReplica } from '../replica/support/replicas.ts';

const all = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
const state = {
  policies: { reader: { statements: [{ effect: 'Allow' as const, actions: ['orders:read'], resources: ['*'] }] } },
  roles: { viewer: { policies: ['reader'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: all }],
};
const read = { action: 'orders:read', resource: 'order:7' };
const write = { action: 'orders:write', resource: 'order:7' };
const canary = 'canary-5e1f';
const request = { method: 'GET', url: '/orders/7', headers: { authorization: `Bearer ${canary}` } };
const alice = { valid: true, user: 'alice', groups: ['g1'] } as const;
const denies: Decider = createEvaluator();
const agrees: Decider = createEvaluator(state);

/** A guard over an evaluator, with all that its hooks got. */
function guardWith(shadow: Decider, options: GuardOptions = {}) {
  const differences: ShadowDifference[] = [];
  const told: MadeDecision[] = [];
  const guard = createGuard(createEvaluator(state), {
    authenticate: async () => alice,
    shadow,
    onShadow: (one) => void differences.push(one),
    onDecision: (one) => void told.push(one),
    ...options,
  });
  return { guard, differences, told };
}

/** A decider that answers by this function. */
const deciding = (answer: () => unknown): Decider => ({
  evaluate: answer as Decider['evaluate'],
  evaluateMany: answer as Decider['evaluateMany'],
});

const shadowOf = (effect: 'Allow' | 'Deny') => ({ effect, source: 'decider' });

describe('onAnswer', () => {
  test.each([
    ['a shadow', { shadow: denies }],
    ['no shadow', { shadow: undefined, onShadow: undefined }],
    ['a shadow that never answers', { shadow: deciding(() => new Promise(() => {})), shadowTimeoutMs: 1 }],
  ])('is called in the span of its request, with %s', async (_, options) => {
    const span = new AsyncLocalStorage<string>();
    const answers: unknown[] = [];
    const { guard, told } = guardWith(denies, {
      ...options,
      onAnswer: ({ action, effect, durationUs, ...rest }) =>
        void answers.push([span.getStore(), action, effect, typeof durationUs, 'shadow' in rest]),
    });
    for (const [id, one] of [
      ['first', read],
      ['second', write],
    ] as const) {
      await span.run(id, async () => {
        await guard.check(request, one);
        expect(answers.at(-1)).toEqual([id, one.action, id === 'first' ? 'Allow' : 'Deny', 'number', false]);
      });
    }
    await span.run('both', () => guard.checkMany(request, [read, write]));
    await guard.flush();
    expect(answers).toHaveLength(4);
    expect(told).toHaveLength(4);
  });

  test('identifies the caller of a client, and may throw', async () => {
    const mock = await createMock({ users: [{ name: 'alice', password: 'pw' }], ...state });
    const users: unknown[] = [];
    const guard = createGuard(createClient(mock.connection), {
      onAnswer: ({ subject }) => {
        users.push(subject);
        throw new Error('canary');
      },
    });
    const headers = { authorization: `Bearer ${await mock.tokens.issue({ user: 'alice' })}` };
    expect(await guard.check({ headers }, read)).toMatchObject({ allowed: true });
    expect(users).toMatchObject([{ user: 'alice' }]);
  });
});

describe('a shadow', () => {
  test('may explain asynchronously: its line has no reason, and a rejection ends nothing', async () => {
    const explain = async () => Promise.reject(new Error('broken'));
    const { guard, differences } = guardWith({ ...deciding(async () => ({ effect: 'Deny' })), ...{ explain } });
    await guard.check(request, read);
    await guard.flush();
    expect(differences).toMatchObject([{ effect: 'Allow', shadow: shadowOf('Deny') }]);
  });

  test('is asked after the answer and never enforced; onShadow gets the differences', async () => {
    const asked: unknown[] = [];
    const shadow: Decider = {
      evaluate: (question) => {
        asked.push(question);
        return denies.evaluate(question);
      },
      evaluateMany: (questions) => {
        asked.push(questions);
        return denies.evaluateMany(questions);
      },
    };
    const { guard, differences, told } = guardWith(shadow);
    expect(await guard.check(request, read)).toMatchObject({ allowed: true });
    expect([asked, told]).toEqual([[], []]);
    const many = await guard.checkMany(request, [read, write]);
    expect(many.items?.map(({ allowed }) => allowed)).toEqual([true, false]);
    await guard.flush();
    const subject = { user: 'alice', roles: ['g1'] };
    expect(asked).toEqual([
      { ...subject, ...read },
      { ...subject, items: [read, write] },
    ]);
    const different = {
      ...read,
      effect: 'Allow',
      subject: { user: 'alice', groups: ['g1'] },
      shadow: shadowOf('Deny'),
    };
    expect(differences).toMatchObject([different, different]);
    expect(told).toMatchObject([different, different, { ...write, effect: 'Deny' }]);
    expect(told[2]).not.toHaveProperty('shadow');
    expect(guard.shadow).toEqual({ same: 1, different: 2, failed: 0, dropped: 0, lastError: undefined });
    expect(JSON.stringify([asked, differences, told])).not.toContain(canary);
  });

  test('that would allow more is a difference, too', async () => {
    const { guard, differences } = guardWith(createEvaluator({ ...state, policies: { reader: all } }));
    expect((await guard.check(request, write)).status).toBe(403);
    await guard.flush();
    expect(differences).toMatchObject([{ ...write, effect: 'Deny', shadow: shadowOf('Allow') }]);
  });

  test('is not asked about a resource that is denied without a decider, nor about a request without a token', async () => {
    const { guard } = guardWith(deciding(() => expect.unreachable()));
    expect((await guard.check(request, { ...read, resource: '\ud800' })).status).toBe(403);
    expect((await guard.check({ headers: {} }, read)).status).toBe(401);
    await guard.flush();
    expect(guard.shadow).toMatchObject({ same: 1, different: 0, failed: 0 });
  });

  test('is asked about the superuser as such, and what it rejects is a failure', async () => {
    const superuser = async () => ({ superuser: true as const });
    const { guard, differences } = guardWith(denies, { authenticate: superuser });
    expect((await guard.check(request, write)).allowed).toBe(true);
    await guard.flush();
    expect([guard.shadow, differences]).toMatchObject([{ same: 1, different: 0 }, []]);
  });

  test('is asked by guardOperation', async () => {
    const { guard, differences } = guardWith(denies);
    const paths = {
      '/orders/{id}': { get: { 'x-permission': { action: 'orders:read', resource: 'order:{id:text}' } } },
    };
    expect((await guardOperation(guard, { paths })(request)).allowed).toBe(true);
    await guard.flush();
    expect(differences).toMatchObject([read]);
  });

  test('gives its reason if it explains: a replica, and an overlay over it', async () => {
    await using mock = await createMock({ ...state, fidelity: 'sidecar' });
    const replica = await liveReplica({ transport: mockPool(mock) });
    const { guard, differences } = guardWith(replica.overlay([{ kind: 'policy', name: 'reader', after: null }]));
    await guard.check(request, read);
    await guard.flush();
    expect(differences).toMatchObject([{ shadow: { effect: 'Deny', source: 'replica', reason: 'nothing-allows' } }]);
  });

  test('that has an onDecision of its own does not call it', async () => {
    await using mock = await createMock(state);
    const told: MadeDecision[] = [];
    const replica = await liveReplica({ transport: mockPool(mock), onDecision: (one) => void told.push(one) });
    const { guard } = guardWith(replica);
    await guard.check(request, read);
    await guard.flush();
    expect([guard.shadow, told]).toMatchObject([{ same: 1 }, []]);
    replica.isAllowed({ user: 'alice', ...read });
    expect(told).toHaveLength(1);
  });

  test('of a guard over a client gets the user after the answer, without the token', async () => {
    await using mock = await createMock(state);
    const token = await mock.tokens.issue({ user: 'alice' });
    const asked: unknown[] = [];
    const shadow = deciding(() => ({ allowed: false }));
    const guard = createGuard(createClient(mock.connection), {
      shadow: {
        ...shadow,
        evaluate: (question) => {
          asked.push(question);
          return shadow.evaluate(question);
        },
      },
    });
    const access = await guard.check({ headers: { authorization: `Bearer ${token}` } }, read);
    expect([access.allowed, access.user]).toEqual([true, undefined]);
    expect(mock.requests.map(({ path }) => path)).toEqual(['/_integration/authorization/v1/evaluate-token']);
    await guard.flush();
    expect(asked).toEqual([{ user: 'alice', roles: [], ...read }]);
    expect(guard.shadow).toMatchObject({ different: 1 });
  });
});

describe('a shadow that fails is harmless', () => {
  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['returns no decision', () => 'yes'],
    ['resolves to no decision', async () => undefined],
    ['returns a thenable that throws', () => Object.fromEntries([['then', () => expect.fail('broken')]])],
    ['never settles', () => new Promise(() => undefined)],
    ['settles much too late', () => new Promise((resolve) => void setTimeout(() => resolve({ allowed: false }), 300))],
  ])('%s', async (_how, answer) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const { guard, differences, told } = guardWith(deciding(answer), { shadowTimeoutMs: 20 });
    expect((await guard.check(request, read)).allowed).toBe(true);
    expect((await guard.checkMany(request, [read, write])).items).toHaveLength(2);
    await guard.flush();
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', note);
    expect(guard.shadow).toMatchObject({ same: 0, different: 0, failed: 3, dropped: 0, lastError: expect.any(Error) });
    expect([differences, unhandled]).toEqual([[], []]);
    expect(told.map(({ effect, shadow }) => [effect, shadow])).toEqual([
      ['Allow', undefined],
      ['Allow', undefined],
      ['Deny', undefined],
    ]);
  });

  test('beyond shadowLimit, checks skip the shadow and count as dropped; onDecision gets them at once', async () => {
    let release: ((answer: unknown) => void) | undefined;
    const shadow = deciding(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    const { guard, told } = guardWith(shadow, { shadowLimit: 1, shadowTimeoutMs: 60_000 });
    await guard.check(request, read);
    await guard.checkMany(request, [read, write]);
    expect([guard.shadow, told.length]).toMatchObject([{ dropped: 2 }, 2]);
    await expect.poll(() => release).toBeDefined();
    release?.({ allowed: true });
    await guard.flush();
    expect([guard.shadow, told.length]).toMatchObject([{ dropped: 2, same: 1 }, 3]);
  });

  test('a shadow that hangs frees its place after shadowTimeoutMs', async () => {
    let asked = 0;
    const shadow = deciding(() => (asked++ === 0 ? new Promise(() => undefined) : { allowed: true }));
    const { guard } = guardWith(shadow, { shadowLimit: 1, shadowTimeoutMs: 5 });
    await guard.check(request, read);
    await guard.flush();
    await guard.check(request, read);
    await guard.flush();
    expect(guard.shadow).toMatchObject({ failed: 1, same: 1, dropped: 0 });
  });

  test('hooks that throw and reject change nothing', async () => {
    const { guard } = guardWith(denies, {
      onShadow: () => {
        throw new Error('broken hook');
      },
      onDecision: (() => Promise.reject(new Error('broken hook'))) as () => void,
    });
    expect((await guard.check(request, read)).allowed).toBe(true);
    await guard.flush();
    expect(guard.shadow).toMatchObject({ different: 1 });
  });

  /** Runs a process whose guard has a shadow that never answers. */
  const runWithHanging = (shadowTimeoutMs: number, rest: string) => {
    const code = `
      import { createGuard } from './dist/guard/index.js';
      import { createEvaluator } from './dist/policy/index.js';
      import { decisionLog } from './dist/decisions/index.js';
      const hangs = () => new Promise(() => {});
      const log = decisionLog({ stream: process.stdout });
      const guard = createGuard(createEvaluator(), {
        authenticate: async () => ({ valid: true, user: 'alice', groups: [] }),
        shadow: { evaluate: hangs, evaluateMany: hangs },
        shadowTimeoutMs: ${shadowTimeoutMs},
        onDecision: log.record,
      });
      await guard.check({ headers: { authorization: 'Bearer t' } }, { action: 'a:b', resource: 'c' });
      ${rest}`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      encoding: 'utf8',
      timeout: 50_000,
    });
    return [stdout, status];
  };

  test('a process ends although the shadow has not answered', () => {
    const ended = runWithHanging(60_000, "setTimeout(() => console.log('asked', guard.shadow.failed), 50);");
    expect(ended).toEqual(['asked 0\n', 0]);
  });

  test.each([
    ['before the shadow is asked', ''],
    ['while the shadow is asked', 'await new Promise((resolve) => setTimeout(resolve, 100));'],
  ])('flush keeps the process until the shadow is given up, so that no line is lost: %s', (_, before) => {
    const [stdout, status] = runWithHanging(300, `${before} await guard.flush(); await log.close();`);
    expect(stdout).toMatch(/^\{"v":1,"kind":"decision".*\}\n$/);
    expect(status).toBe(0);
  });
});

test('a decision log has one line for each decision, with the time of the decision and the shadow', async () => {
  const now = Date.parse('2026-11-23T03:40:00.123Z');
  const lines: string[] = [];
  const log = decisionLog({ write: (text) => void lines.push(text), sample: 0 });
  const clock = { now: () => now };
  const { guard } = guardWith(denies, { onDecision: log.record, clock });
  await guard.check(request, read);
  await guard.check(request, write);
  await guard.flush();
  await log.close();
  const found = [];
  const stream = new Blob(lines).stream();
  for await (const { decision } of readDecisions(stream)) found.push(decision);
  // Allows are not sampled, unless the shadow disagrees.
  expect(found).toMatchObject([
    { ...read, effect: 'Allow', time: '2026-11-23T03:40:00.123Z', shadow: shadowOf('Deny') },
    { ...write, effect: 'Deny', time: '2026-11-23T03:40:00.123Z' },
  ]);
  expect(lines.join('')).not.toContain(canary);
});

test('flush resolves at once without a shadow, and with one that has answered', async () => {
  const guard = createGuard(createEvaluator(state), { authenticate: async () => alice });
  await guard.flush();
  expect(guard.shadow).toBeUndefined();
  await guardWith(agrees).guard.flush();
});

test.each<[string, object, string]>([
  ['a client as the shadow', { shadow: createClient({ url: 'http://service.test' }) }, 'shadow'],
  ['onShadow without a shadow', { onShadow: () => undefined }, 'onShadow'],
  ['a timeout of 0', { shadow: denies, shadowTimeoutMs: 0 }, 'shadowTimeoutMs'],
  ['a limit of 0', { shadow: denies, shadowLimit: 0 }, 'shadowLimit'],
  ['a misspelt option', { shadows: denies }, 'shadows'],
])('%s is rejected', (_what, options, field) => {
  const authenticate = async () => alice;
  expect(() => createGuard(createEvaluator(), { authenticate, ...options })).toThrow(
    expect.objectContaining({ field }),
  );
});
