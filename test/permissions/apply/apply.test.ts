import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { type ApplyError, apply, type PermissionsState, plan, readState } from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { runsOf } from '../../support/thorough.ts';
import { answersOf, manageAll, questions, stateArb, users } from '../support/states.ts';

/** A mock with a state, and its superuser's client. */
async function open(state: PermissionsState) {
  const { policies, roles, bindings } = state;
  const mock = await createMock({
    policies: Object.fromEntries(policies),
    roles: Object.fromEntries(roles),
    bindings,
  });
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  return { mock, client, read: () => readState(client, { users }) };
}

const prune = { prune: true, manage: manageAll };
const readPlan = async (read: () => Promise<PermissionsState>, to: PermissionsState) => plan(await read(), to, prune);
const empty: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' };
const reader: Policy = { statements: [{ effect: 'Allow', actions: ['a:x'], resources: ['*'] }] };
const small: PermissionsState = {
  policies: new Map([
    ['p1', reader],
    ['p2', everything],
  ]),
  roles: new Map([['r1', { policies: ['p1'] }]]),
  bindings: [{ user: 'ann', role: 'r1', scope: everything }],
  users: 'all',
};

describe('apply over the mock', () => {
  test('turns any state into any other, allows nothing on the way that neither allows, and leaves nothing to plan', async () => {
    await fc.assert(
      fc.asyncProperty(stateArb, stateArb, async (from, to) => {
        const { mock, client, read } = await open(from);
        const [before, after] = [answersOf(from), answersOf(to)];
        const tooMuch: unknown[] = [];
        const stop = mock.onRequest(() => {
          for (const [i, question] of questions.entries()) {
            if (mock.explain(question).decision.allowed && !before[i] && !after[i]) tooMuch.push(question);
          }
        });
        await apply(client, await readPlan(read, to), { settleMs: 0, concurrency: 4 });
        stop();
        expect(tooMuch).toEqual([]);
        expect(answersOf(await read())).toEqual(after);
        expect(await readPlan(read, to)).toMatchObject({ changes: [], stages: [] });
      }),
      runsOf(20),
    );
  });

  test('stopped after each call and run again, by the same plan or a new one, ends at the same state', async () => {
    await fc.assert(
      fc.asyncProperty(stateArb, stateArb, async (from, to) => {
        const { mock, client, read } = await open(from);
        const made = await readPlan(read, to);
        const start = mock.snapshot();
        const calls = made.stages.flat().length;
        for (let stopAt = 1; stopAt < calls; stopAt++) {
          for (const again of ['same', 'new'] as const) {
            mock.restore(start);
            const controller = new AbortController();
            const stopped = apply(client, made, {
              settleMs: 0,
              concurrency: 1,
              signal: controller.signal,
              onProgress: ({ done }) => done === stopAt && controller.abort(),
            });
            await expect(stopped).rejects.toMatchObject({ code: 'APPLY', done: { length: stopAt } });
            const second = again === 'same' ? made : await readPlan(read, to);
            const { wrote, skipped } = await apply(client, second, { settleMs: 0 });
            if (again === 'same') expect([wrote, skipped]).toEqual([calls - stopAt, stopAt]);
            expect(await readPlan(read, to)).toMatchObject({ changes: [] });
          }
        }
      }),
      { numRuns: 3 },
    );
  });

  test('a second run of a complete plan makes no call that writes', async () => {
    const { mock, client, read } = await open(empty);
    const made = await readPlan(read, small);
    expect(await apply(client, made, { settleMs: 0 })).toEqual({
      wrote: 4,
      skipped: 0,
      left: [],
      revisions: [
        expect.stringMatching(/^v1\.policy\./),
        expect.stringMatching(/^v1\.role\./),
        expect.stringMatching(/^v1\.binding\./),
      ],
    });
    let writes = 0;
    mock.onRequest(({ method }) => {
      if (method !== 'GET') writes++;
    });
    expect(await apply(client, made, { settleMs: 0 })).toEqual({ wrote: 0, skipped: 4, left: [], revisions: [] });
    expect(writes).toBe(0);
  });

  test('runs at most `concurrency` calls at once, and waits between stages', async () => {
    const { client, read } = await open(empty);
    const made = await readPlan(read, small);
    expect(made.stages.length).toBeGreaterThan(1);
    const started = performance.now();
    await apply(client, made, { settleMs: 60 });
    expect(performance.now() - started).toBeGreaterThanOrEqual(60 * (made.stages.length - 1) - 5);
  });
});

describe('another writer', () => {
  test('that changed an item after the plan was made stops it before that item is written', async () => {
    const { client, read } = await open(small);
    const made = plan(await read(), empty, prune);
    await client.authorization.policies.update('p1', { statements: [] });
    await expect(apply(client, made, { settleMs: 0 })).rejects.toMatchObject({
      code: 'APPLY',
      conflicts: [{ kind: 'policy', name: 'p1' }],
      message: expect.stringMatching(/policy "p1" was changed by another writer.*written: .*binding of user "ann"/),
    });
    expect((await client.authorization.policies.get('p1')).item.statements).toEqual([]);
  });

  test('that wrote the same content again is noticed by the index', async () => {
    const { client, read } = await open(small);
    const made = plan(await read(), empty, prune);
    await client.authorization.policies.update('p2', everything);
    await expect(apply(client, made, { settleMs: 0 })).rejects.toThrow(/"p2" was written by another writer/);
  });

  test('that creates the same policy first is a conflict, and its policy stays', async () => {
    const { client, read } = await open(empty);
    const made = plan(await read(), small, prune);
    await client.authorization.policies.create('p1', { statements: [], description: 'theirs' });
    await expect(apply(client, made, { settleMs: 0 })).rejects.toMatchObject({ conflicts: [{ name: 'p1' }] });
    expect((await client.authorization.policies.get('p1')).item.description).toBe('theirs');
  });

  test('that overwrites a write of the run before its end is named', async () => {
    const { client, read } = await open(empty);
    const made = plan(await read(), small, prune);
    const { total } = { total: made.stages.flat().length };
    let theirs: Promise<unknown> = Promise.resolve();
    const run = apply(client, made, {
      settleMs: 30,
      onProgress: ({ done, change }) => {
        if (done < total && change.kind === 'role') {
          theirs = client.authorization.roles.update('r1', { policies: [], description: 'theirs' });
        }
      },
    });
    await expect(run).rejects.toThrow(/role "r1" was overwritten by another writer/);
    await theirs;
  });

  test('that changed several items before concurrent calls: each item is named', async () => {
    const { client, read } = await open(small);
    const made = plan(await read(), { ...small, policies: new Map([['p2', reader]]) }, prune);
    await client.authorization.policies.update('p1', { statements: [] });
    await client.authorization.policies.update('p2', { statements: [] });
    await expect(apply(client, { ...made, stages: [made.stages.flat()] }, { settleMs: 0 })).rejects.toMatchObject({
      conflicts: expect.arrayContaining([
        expect.objectContaining({ name: 'p1' }),
        expect.objectContaining({ name: 'p2' }),
      ]),
      message: expect.stringMatching(/(?=.*policy "p1" was changed).*policy "p2" was changed/),
    });
  });

  test('whose write was overwritten between two writes of the run is named', async () => {
    const names = ['p1', 'p2', 'p3'];
    const { client, read } = await open({ ...empty, policies: new Map(names.map((name) => [name, reader])) });
    const made = plan(await read(), { ...empty, policies: new Map(names.map((name) => [name, everything])) });
    const { policies, roles, bindings } = client.authorization;
    const overwritten = Promise.withResolvers<void>();
    const watched = Object.assign(Object.create(policies), {
      get: policies.get.bind(policies),
      update: async (name: string, item: Policy) => {
        if (name === 'p2') await overwritten.promise;
        if (name === 'p3') await policies.update('p3', { statements: [] });
        const written = await policies.update(name, item);
        if (name === 'p3') setTimeout(overwritten.resolve);
        return written;
      },
    });
    const run = apply({ authorization: { policies: watched, roles, bindings } }, made, { settleMs: 0 });
    await expect(run).rejects.toMatchObject({
      conflicts: expect.arrayContaining([expect.objectContaining({ name: 'p3' })]),
      done: expect.objectContaining({ length: 3 }),
      message: expect.stringMatching(/policy "p3" may have overwritten .*; written: .*"p2"/),
    });
  });
});

test('a call whose answer is lost is named: it may have been made', async () => {
  const { mock, client, read } = await open(empty);
  const made = await readPlan(read, small);
  const losing = createClient({
    ...mock.connection,
    credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
    fetch: async (input, init) => {
      const response = await mock.connection.fetch(input, init);
      if (response.status < 300 && init?.method === 'POST') throw new TypeError('connection reset');
      return response;
    },
  });
  const error: ApplyError = await apply(losing, made, { settleMs: 0, concurrency: 1 }).then(
    () => expect.unreachable(),
    (thrown) => thrown,
  );
  expect(error.done).toEqual([]);
  expect(error.unanswered).toHaveLength(1);
  expect(error.message).toMatch(/connection reset; perhaps written, because there was no answer: policy "p[12]"$/);
  expect((await read()).policies.size).toBe(1);
  await apply(client, made, { settleMs: 0 });
  expect(await readPlan(read, small)).toMatchObject({ changes: [] });
});

test.each([
  ['the client refuses', 'was not sent', (_: Request) => expect.unreachable()],
  [
    'finds no connection',
    'ECONNREFUSED',
    () =>
      Promise.reject(
        Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED', syscall: 'connect' } }),
      ),
  ],
])('a call that %s was not written', async (what, words, answer) => {
  const { mock, read } = await open(empty);
  const description = what === 'the client refuses' ? 'half \ud800' : '';
  const made = plan(await read(), { ...empty, policies: new Map([['p1', { ...reader, description }]]) });
  const client = createClient({
    ...mock.connection,
    credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
    fetch: async (input, init) =>
      init?.method === 'POST' && /\/policy\b/.test(String(input))
        ? answer(new Request(input, init))
        : mock.connection.fetch(input, init),
  });
  const error: ApplyError = await apply(client, made, { settleMs: 0 }).then(
    () => expect.unreachable(),
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ done: [], unanswered: [] });
  expect(error.message).toContain(words);
  expect(error.message).toMatch(/; nothing was written$/);
});

test('descriptions, resources and lists of any length are written', async () => {
  const { client, read } = await open(empty);
  const description = 'x'.repeat(5_000);
  const statement = { effect: 'Allow', actions: ['a:x'], resources: [`r:${'y'.repeat(5_000)}`], description } as const;
  const many = { statements: Array(10_001).fill(reader.statements[0]) };
  const to = {
    ...empty,
    policies: new Map<string, Policy>([
      ['long', { statements: [statement], description }],
      ['many', many],
    ]),
  };
  await apply(client, await readPlan(read, to), { settleMs: 0 });
  expect(await readPlan(read, to)).toMatchObject({ changes: [] });
});

test('a missing permission names the call and what was written', async () => {
  const { mock, read } = await open(empty);
  const made = plan(await read(), small, prune);
  const client = createClient({
    ...mock.connection,
    credentials: credentials.bearer(await mock.tokens.issue({ user: 'eve' })),
  });
  await expect(apply(client, made, { settleMs: 0 })).rejects.toMatchObject({
    code: 'APPLY',
    cause: { status: 403, needs: { action: 'rbac:GetPolicy' } },
    message: expect.stringMatching(/needs rbac:GetPolicy.*nothing was written/),
  });
});
