// What a run does beside its calls: waits, reads at its end, and the error that it ends with.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, createClient, credentials } from '../../../src/index.ts';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';
import { ApplyError, apply, isApplyError, type Plan, plan, readState } from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { failureOf } from '../../support/failure.ts';
import { manageAll } from '../support/states.ts';

const [old, half, last] = ['a:x', 'a:y', 'a:z'].map((action): Policy => {
  return { statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] };
}) as [Policy, Policy, Policy];
const quick = { settleMs: 0, concurrency: 1 };
/** A wait that no test lives to see. */
const forever = { settleMs: 3_600_000, concurrency: 1 };

type Send = (path: string, init: RequestInit | undefined, send: () => Promise<Response>) => Promise<Response>;

/** A mock with policies, the superuser's client over a fetch of the test, and the requests that arrived. */
async function open(config: MockConfig, fetch: Send = (_path, _init, send) => send()) {
  const mock = await createMock(config);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const open = async (identity: { user: string | null }) =>
    createClient({
      ...mock.connection,
      fetch: (url, init) => fetch(new URL(url).pathname, init, () => mock.connection.fetch(url, init)),
      credentials: credentials.bearer(await mock.tokens.issue(identity)),
      retry: 0,
    });
  const client = await open({ user: null });
  const seen: string[] = [];
  mock.onRequest(({ method, path }) => void seen.push(`${method} ${path.split('/').at(-1)}`));
  return { mock, client, open, seen };
}

/** A plan that gives policies their contents, one after the other, each in a stage of its own unless `at` says so. */
async function planned(client: Client, policies: Readonly<Record<string, Policy | undefined>>, isOneStage = true) {
  const from = await readState(client, { users: [] });
  const wanted = Object.entries(policies).flatMap(([name, policy]) => (policy ? [[name, policy] as const] : []));
  const made = plan(from, { ...from, policies: new Map(wanted) }, { prune: true, manage: manageAll });
  const order = Object.keys(policies);
  const stages = made.stages
    .flat()
    .sort((a, b) => {
      const nameOf = ({ change }: typeof a) => order.indexOf(made.changes[change]?.name ?? '');
      return nameOf(a) - nameOf(b);
    })
    .map((step) => [step]);
  return { ...made, stages: isOneStage ? [stages.flat()] : stages };
}

const applyFailing = async (...args: Parameters<typeof apply>): Promise<ApplyError> => {
  const error = await failureOf(apply(...args));
  expect(isApplyError(error)).toBe(true);
  // The cast: it was just looked at.
  return error as unknown as ApplyError;
};

describe('the wait between stages', () => {
  test('does not follow the last stage, nor one whose calls were made before', async () => {
    const { client } = await open({ policies: { p: old, q: old } });
    const made = await planned(client, { p: last, q: last }, false);
    await client.authorization.policies.update('p', last);
    expect(await apply(client, made, forever)).toMatchObject({ wrote: 1, skipped: 1 });
    expect(await apply(client, made, forever)).toMatchObject({ wrote: 0, skipped: 2 });
  });

  test('ends with the signal', async () => {
    const { client } = await open({ policies: { p: old, q: old } });
    const made = await planned(client, { p: last, q: last }, false);
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('enough');
    const onProgress = () => void setTimeout(() => controller.abort(reason));
    const { cause, done, message } = await applyFailing(client, made, { ...forever, signal, onProgress });
    expect([cause, done.length, message]).toEqual([reason, 1, 'apply was stopped: enough; written: policy "p"']);
  });
});

test('an empty plan sends nothing', async () => {
  const { client, seen } = await open({});
  const made = await planned(client, {});
  seen.length = 0;
  expect(await apply(client, made, quick)).toEqual({ wrote: 0, skipped: 0, left: [], revisions: [] });
  expect(seen).toEqual([]);
});

test('the revision is that of the last write of a kind', async () => {
  const { client } = await open({ policies: { p: old, q: old, r: old } });
  const made = await planned(client, { r: last, p: last, q: last });
  const { revisions } = await apply(client, made, quick);
  const { index } = await client.authorization.policies.get('q');
  expect(revisions).toEqual([expect.stringMatching(new RegExp(`^v1\\.policy\\.${index}\\.`))]);
});

test('no more than `concurrency` calls are in flight, also of the reads at the end', async () => {
  let [now, most] = [0, 0];
  const { client } = await open({}, async (_path, _init, send) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    return send().finally(() => now--);
  });
  const names = Array.from({ length: 12 }, (_, i) => `p${i}`);
  const made = await planned(client, Object.fromEntries(names.map((name) => [name, old])));
  for (const concurrency of [1, 3]) {
    most = 0;
    await apply(client, { ...made, stages: made.stages }, { settleMs: 0, concurrency });
    expect(most).toBe(concurrency);
    for (const name of names) await client.authorization.policies.delete(name);
  }
});

test('a policy that passes through two contents is skipped once it has the last', async () => {
  const { client } = await open({ policies: { p: old } });
  const made = await planned(client, { p: last });
  const twice: Plan = { ...made, stages: [[{ change: 0, content: half }], [{ change: 0, content: last }]] };
  expect(await apply(client, twice, quick)).toMatchObject({ wrote: 2 });
  expect(await apply(client, twice, quick)).toMatchObject({ wrote: 0, skipped: 2 });
});

test('calls that a record says were made need no permission', async () => {
  const { client, open: openAs } = await open({
    policies: {
      mine: {
        statements: [{ effect: 'Allow', actions: ['rbac:*Policy', 'rbac:Get*', 'rbac:List*'], resources: ['*'] }],
      },
    },
    roles: { admin: { policies: ['mine'] } },
    bindings: [{ user: 'ann', role: 'admin', scope: everything }],
  });
  const ann = await openAs({ user: 'ann' });
  const from = await readState(client, { users: ['ann'] });
  const made = plan(from, {
    ...from,
    roles: new Map([...from.roles, ['new', { policies: [] }]]),
    policies: new Map([...from.policies, ['p', old]]),
  });
  const calls = made.stages.flat();
  const at = calls.findIndex(({ change }) => made.changes[change]?.kind === 'role');
  expect((await applyFailing(ann, made, quick)).own).toMatchObject({ missing: [{ action: 'rbac:CreateRole' }] });
  const { index } = await client.authorization.roles.create('new', { policies: [] });
  const record = { entries: [{ call: at, state: 'made', index } as const], add: () => undefined };
  expect(await apply(ann, made, { ...quick, record })).toMatchObject({ wrote: 1, skipped: 1 });
});

describe('the reads at the end', () => {
  test('notice that another writer wrote the same content, by its index', async () => {
    const { client } = await open({ policies: { p: old, q: old } });
    const made = await planned(client, { p: last, q: last }, false);
    const written = Promise.withResolvers<void>();
    const onProgress = ({ done }: { done: number }) => {
      if (done === 1) void client.authorization.policies.update('p', last).then(() => written.resolve());
    };
    const { message } = await applyFailing(client, made, { settleMs: 50, concurrency: 1, onProgress });
    await written.promise;
    expect(message).toMatch(/^(?:policy "q" may .*; )?policy "p" was overwritten by another writer/);
  });

  test('name no conflict if another writer created an item between two creations', async () => {
    const { client } = await open({}, async (path, init, send) => {
      if (init?.method === 'POST' && !path.endsWith('other') && String(init.body).includes('a:z'))
        await client.authorization.policies.create('other', old);
      return send();
    });
    const made = await planned(client, { p: old, q: last });
    expect(await apply(client, made, quick)).toMatchObject({ wrote: 2 });
  });

  test.each([
    ['another failure than 403', 500, true],
    ['403 although nothing was lost', 403, false],
  ])('fail with %s', async (_, status, isLost) => {
    const admin: Policy = { statements: [{ effect: 'Allow', actions: ['rbac:*'], resources: ['*'] }] };
    let isWritten = false;
    const { client, open: openAs } = await open(
      {
        fidelity: 'sidecar',
        policies: { admin, p: old },
        roles: { boss: { policies: ['admin'] } },
        bindings: [{ user: 'ann', role: 'boss', scope: everything }],
      },
      async (path, init, send) => {
        if (!path.endsWith('/policy/p')) return send();
        if (init?.method === 'PUT') isWritten = true;
        else if (isWritten) return Response.json({}, { status });
        return send();
      },
    );
    const from = await readState(client, { users: ['ann'] });
    const policies = new Map([...from.policies, ['p', last]]);
    const to = isLost ? { ...from, policies, bindings: [] } : { ...from, policies };
    const made = plan(from, to, { prune: true, manage: manageAll, fidelity: 'sidecar' });
    const stages = [made.stages.flat().sort((a, b) => a.change - b.change)];
    const ann = await openAs({ user: 'ann' });
    const { cause } = await applyFailing(ann, { ...made, stages }, { ...quick, allowSelfLockout: isLost });
    expect(cause).toMatchObject({ status });
  });

  test('are made after a conflict too, and not after another failure', async () => {
    const { client, seen, mock } = await open({ policies: { p: old, q: old, r: old } });
    const made = await planned(client, { p: last, q: last, r: last });
    await client.authorization.policies.update('q', half);
    const onProgress = async () => void (await client.authorization.policies.update('p', half));
    const { conflicts, message, cause } = await applyFailing(client, made, { settleMs: 0, concurrency: 1, onProgress });
    expect(conflicts.map(({ name }) => name)).toEqual(['q', 'p']);
    expect(message).toBe(
      'policy "q" was changed by another writer after the plan was made; ' +
        'policy "p" was overwritten by another writer; written: policy "p"',
    );
    expect(cause).toBeUndefined();
    const again = await planned(client, { p: last, q: last, r: last });
    const fail = mock.fail({ path: '/_management/permissions/policy/q', status: 500, times: 9 });
    seen.length = 0;
    expect((await applyFailing(client, again, quick)).conflicts).toEqual([]);
    fail();
    expect(seen.filter((one) => one === 'GET p')).toHaveLength(1);
  });
});

describe('the error of a run', () => {
  test('says of a server’s failure that the call may have been made, and of a refusal not', async () => {
    for (const [status, unanswered] of [
      [500, 1],
      [422, 0],
    ] as const) {
      const { client } = await open({ policies: { p: old } }, async (_path, init, send) =>
        init?.method === 'PUT' ? Response.json({}, { status }) : send(),
      );
      const error = await applyFailing(client, await planned(client, { p: last }), quick);
      expect([error.unanswered.length, error.done, error.cause]).toMatchObject([unanswered, [], { status }]);
      expect(error.message).toMatch(/^apply failed: /);
    }
  });

  test('has no cause and no call if the plan was refused', async () => {
    const { client, seen } = await open({ policies: { p: old } });
    const made = await planned(client, { p: last });
    const outside: Plan = { ...made, changes: made.changes.map((one) => ({ ...one, outside: true })) };
    seen.length = 0;
    const error = await applyFailing(client, outside, quick);
    expect([error.cause, Object.hasOwn(error, 'cause'), error.own, seen]).toEqual([undefined, false, undefined, []]);
    expect(error.message).toMatch(/takeOver.*; nothing was written$/);
    // One change of several is enough.
    const both = await planned(client, { p: last, q: last });
    const changes = both.changes.map((one) => (one.name === 'p' ? { ...one, outside: true as const } : one));
    expect((await applyFailing(client, { ...both, changes }, quick)).done).toEqual([]);
    expect(await apply(client, { ...both, changes }, { ...quick, takeOver: true })).toMatchObject({ wrote: 2 });
  });

  test('names ten problems and items, and counts the others', async () => {
    const { client } = await open({});
    const steps = Array.from({ length: 11 }, (_, change) => ({ change, content: old }));
    const made = await planned(client, Object.fromEntries(steps.map((_, i) => [`p${i}`, old])));
    const errorOf = (count: number) =>
      new ApplyError(
        steps.slice(0, count).map((_, i) => `problem ${i}`),
        {
          plan: made,
          conflicts: [],
          done: steps.slice(0, count),
          unanswered: [...steps.slice(0, 1), ...steps.slice(0, 1)],
        },
      );
    const listed = (name: (i: number) => string) => Array.from({ length: 10 }, (_, i) => name(i));
    const nameOf = (i: number) => `policy "${made.changes[i]?.name}"`;
    const perhaps = `perhaps written, because there was no answer: ${nameOf(0)}`;
    const written = listed(nameOf).join(', ');
    const problems = listed((i) => `problem ${i}`).join('; ');
    expect(errorOf(10).message).toBe(`${problems}; written: ${written}; ${perhaps}`);
    expect(errorOf(11).message).toBe(`${problems}; and 1 more; written: ${written}, and 1 more; ${perhaps}`);
    expect(errorOf(0)).toMatchObject({ name: 'ApplyError', code: 'APPLY', message: perhaps, conflicts: [], done: [] });
    expect([isApplyError(errorOf(1)), isApplyError(new Error('x')), isApplyError(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isApplyError(await failureOf(client.authorization.policies.get('x')))).toBe(false);
  });
});

test('`onProgress` counts each of several calls that end at the same time', async () => {
  const { client } = await open({ policies: { p: old, q: old, r: old } });
  const made = await planned(client, { p: last, q: last, r: last });
  const counts: number[] = [];
  await apply(client, made, { settleMs: 0, onProgress: ({ done }) => void counts.push(done) });
  expect(counts).toEqual([1, 2, 3]);
});

test('a rejection of `onProgress` does not end the program', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const { client } = await open({ policies: { p: old } });
  const made = await planned(client, { p: last });
  const onProgress = async () => Promise.reject(new Error('no terminal'));
  expect(await apply(client, made, { ...quick, onProgress })).toMatchObject({ wrote: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).not.toHaveBeenCalled();
});

test.each([
  ['client', () => apply({} as never, {} as never)],
  ['settleMs', async () => apply((await open({})).client, {} as never, { settleMs: -1 })],
])('%s is named if it is not valid', async (name, call) => {
  await expect(call()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(name) });
});
