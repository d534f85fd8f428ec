// What a run with a record knows of calls that had no answer, and of items that a plan writes twice.
import { describe, expect, test } from 'vitest';
import { type Client, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import {
  type ApplyProgress,
  apply,
  type Plan,
  plan,
  type RecordEntry,
  readState,
} from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { manageAll } from '../support/states.ts';

const granting = (...actions: string[]): Policy => ({ statements: [{ effect: 'Allow', actions, resources: ['*'] }] });
const [first, half, last] = [granting('a:x'), granting('a:y'), granting('a:z')];
const quick = { settleMs: 0, concurrency: 1 };

/** A record in memory; `after` runs once an entry is stored. */
function recordIn(entries: RecordEntry[], after: (entry: RecordEntry) => unknown = () => undefined) {
  const add = async (entry: RecordEntry) => {
    entries.push(entry);
    await after(entry);
  };
  return { entries: [...entries], add };
}

/** A plan that changes the policy `p` twice. */
async function twice() {
  const mock = await createMock({ policies: { p: first } });
  const client = createClient({
    ...mock.connection,
    credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
  });
  const from = await readState(client, { users: [] });
  const once = plan(from, { ...from, policies: new Map([['p', last]]) }, { prune: true, manage: manageAll });
  const stages: Plan['stages'] = [[{ change: 0, content: half }], [{ change: 0, content: last }]];
  return { mock, client, made: { ...once, stages } };
}

const update = ({ authorization }: Client, policy: Policy) => authorization.policies.update('p', policy);

describe('an item that a plan writes twice', () => {
  test('is written the second time after a run that made the first call', async () => {
    const { client, made } = await twice();
    const entries: RecordEntry[] = [];
    const stopped = recordIn(entries, ({ state }) => state === 'made' && Promise.reject(new Error('killed')));
    await expect(apply(client, made, { ...quick, record: stopped })).rejects.toThrow('killed');
    const told: Omit<ApplyProgress, 'change'>[] = [];
    const onProgress = ({ change, ...rest }: ApplyProgress) => void (change.name === 'p' && told.push(rest));
    const applied = await apply(client, made, { ...quick, record: recordIn(entries), onProgress });
    expect(applied).toMatchObject({ wrote: 1, skipped: 1 });
    expect(told).toEqual([
      { done: 1, total: 2, wrote: false },
      { done: 2, total: 2, wrote: true },
    ]);
    expect((await client.authorization.policies.get('p')).item).toMatchObject(last);
  });

  test('stays as another writer wrote it after the first call: the second call is refused', async () => {
    const { client, made } = await twice();
    const { index } = await update(client, half);
    await update(client, half);
    const entries: RecordEntry[] = [{ call: 0, state: 'made', index }];
    const run = apply(client, made, { ...quick, record: recordIn(entries) });
    await expect(run).rejects.toThrow('policy "p" was written by another writer after the plan was made');
    expect(entries).toHaveLength(1);
  });

  test('stays as another writer wrote it after a first call without answer: the second call is refused', async () => {
    const { client, made } = await twice();
    await update(client, half);
    const entries: RecordEntry[] = [{ call: 0, state: 'begun' }];
    const run = apply(client, made, { ...quick, record: recordIn(entries, () => update(client, half)) });
    await expect(run).rejects.toThrow('policy "p" was written by another writer after the plan was made');
    expect(entries.slice(1)).toEqual([{ call: 0, state: 'made', index: 2 }]);
  });

  test('is not written the second time if another writer has undone the first call', async () => {
    const { client, made } = await twice();
    const entries: RecordEntry[] = [{ call: 0, state: 'made' }];
    const run = apply(client, made, { ...quick, record: recordIn(entries) });
    await expect(run).rejects.toThrow('policy "p" was changed by another writer after the plan was made');
    expect((await client.authorization.policies.get('p')).item).toMatchObject(first);
  });
});

describe('a call that fails', () => {
  const refusing = async (answer: (send: () => Promise<Response>) => Promise<Response>) => {
    const { mock, made } = await twice();
    let isFirst = true;
    const client = createClient({
      ...mock.connection,
      credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
      retry: 0,
      fetch: (input, init) => {
        const send = () => mock.connection.fetch(input, init);
        if (init?.method !== 'PUT' || !isFirst) return send();
        isFirst = false;
        return answer(send);
      },
    });
    return { client, made };
  };

  test.each<[string, (send: () => Promise<Response>) => Promise<Response>, RecordEntry['state'], number]>([
    ['with 503 before it was made is recorded as failed', async () => new Response('', { status: 503 }), 'failed', 1],
    [
      'with 503 after it was made stays open',
      async (send) => {
        await send();
        return new Response('', { status: 503 });
      },
      'begun',
      1,
    ],
    ['without an answer stays open', () => Promise.reject(new TypeError('connection reset')), 'begun', 1],
    ['with 400 is recorded as failed, and has an answer', async () => new Response('', { status: 400 }), 'failed', 0],
    ['with 404 stays open, and the item is named', async () => new Response('', { status: 404 }), 'begun', 0],
    ['with 409 stays open, and the item is named', async () => new Response('', { status: 409 }), 'begun', 0],
  ])('%s', async (name, answer, state, unanswered) => {
    const { client, made } = await refusing(answer);
    const entries: RecordEntry[] = [];
    const error: unknown = await apply(client, made, { ...quick, record: recordIn(entries) }).catch((thrown) => thrown);
    expect(entries.at(-1)).toEqual({ call: 0, state });
    expect(error).toMatchObject({ unanswered: { length: unanswered }, done: [] });
    const words = { 404: 'policy "p" was deleted by another', 409: 'policy "p" was created by another' };
    const found = Object.entries(words).find(([status]) => name.includes(status));
    expect(error).toHaveProperty('message', expect.stringContaining(found?.[1] ?? 'apply failed'));
  });

  test('with 503, and whose item cannot be read again, stays open', async () => {
    const { mock, client, made } = await twice();
    mock.fail({ path: '/_management/permissions/policy/p', method: 'PUT', status: 503, times: 100 });
    const entries: RecordEntry[] = [];
    const failing = recordIn(entries, () => {
      mock.fail({ path: '/_management/permissions/policy/p', method: 'GET', status: 403, times: 100 });
    });
    await expect(apply(client, made, { ...quick, record: failing })).rejects.toThrow('503');
    expect(entries).toEqual([{ call: 0, state: 'begun' }]);
  });

  test('is not read again without a record', async () => {
    const { mock, client, made } = await twice();
    mock.fail({ path: '/_management/permissions/policy/p', method: 'PUT', status: 503, times: 100 });
    const seen: string[] = [];
    mock.onRequest(({ method, path }) => void (path.endsWith('/policy/p') && seen.push(method)));
    await expect(apply(client, made, quick)).rejects.toThrow('503');
    expect(seen.slice(seen.indexOf('PUT'))).not.toContain('GET');
  });
});
