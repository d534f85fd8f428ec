import { describe, expect, test } from 'vitest';
import { type Client, createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import {
  apply,
  type PermissionsState,
  type Plan,
  plan,
  type RecordEntry,
  readState,
} from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { manageAll } from '../support/states.ts';

const reader: Policy = { statements: [{ effect: 'Allow', actions: ['a:x'], resources: ['*'] }] };
const from: PermissionsState = {
  policies: new Map([['old', reader]]),
  roles: new Map(),
  bindings: [{ user: 'bob', role: 'r1', scope: everything }],
  users: ['ann', 'bob'],
};
const to: PermissionsState = {
  policies: new Map([
    ['old', everything],
    ['p1', reader],
  ]),
  roles: new Map([['r1', { policies: ['p1'] }]]),
  bindings: [{ user: 'ann', role: 'r1', scope: everything }],
  users: ['ann', 'bob'],
};

interface Opened {
  readonly mock: Mock;
  readonly client: Client;
  readonly made: Plan;
}

async function open(): Promise<Opened> {
  const { policies, bindings } = from;
  const mock = await createMock({ policies: Object.fromEntries(policies), bindings });
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  const current = await readState(client, { users: ['ann', 'bob'] });
  return { mock, client, made: plan(current, to, { prune: true, manage: manageAll }) };
}

/** A record in memory. Its writer ends before the entry with this number. */
function recordIn(entries: RecordEntry[], endsBefore = Number.POSITIVE_INFINITY) {
  const add = (entry: RecordEntry) => {
    if (entries.length >= endsBefore) throw new Error('killed');
    entries.push(entry);
  };
  return { entries: [...entries], add };
}

const quick = { settleMs: 0, concurrency: 1 };
const writesOf = (mock: Mock): string[] => {
  const sent: string[] = [];
  mock.onRequest(({ method, path }) => void (method === 'GET' || sent.push(`${method} ${path}`)));
  return sent;
};

describe('apply with a record', () => {
  test('has an entry before and after each call, with the index of the service', async () => {
    const { client, made } = await open();
    const entries: RecordEntry[] = [];
    await apply(client, made, { ...quick, record: recordIn(entries) });
    const calls = made.stages.flat().length;
    expect(calls).toBe(5);
    expect(entries).toEqual(
      Array.from({ length: calls }, (_, call) => [
        { call, state: 'begun' },
        { call, state: 'made', index: expect.any(Number) },
      ]).flat(),
    );
  });

  test('makes no call again after all were made, whatever became of the items', async () => {
    const { mock, client, made } = await open();
    const entries: RecordEntry[] = [];
    await apply(client, made, { ...quick, record: recordIn(entries) });
    await client.authorization.bindings.remove({ user: 'ann', role: 'r1' });
    await client.authorization.policies.update('old', reader);
    const sent = writesOf(mock);
    expect(await apply(client, made, { ...quick, record: recordIn(entries) })).toMatchObject({ wrote: 0, skipped: 5 });
    expect(sent).toEqual([]);
  });

  test('an item that looks as before the plan is written again without the record', async () => {
    const { client, made } = await open();
    await apply(client, made, quick);
    await client.authorization.bindings.remove({ user: 'ann', role: 'r1' });
    expect(await apply(client, made, quick)).toMatchObject({ wrote: 1, skipped: 4 });
  });

  test('makes each call once if it was killed before any entry and is run again', async () => {
    for (let endsBefore = 0; endsBefore < 10; endsBefore++) {
      const { mock, client, made } = await open();
      const sent = writesOf(mock);
      const entries: RecordEntry[] = [];
      const first = apply(client, made, { ...quick, record: recordIn(entries, endsBefore) });
      await expect(first).rejects.toMatchObject({ code: 'APPLY', cause: { message: 'killed' } });
      const calls = sent.length;
      // Half of the kills happen after a call and before the entry of its answer.
      expect(calls).toBe(Math.ceil(endsBefore / 2));
      const second = await apply(client, made, { ...quick, record: recordIn(entries) });
      expect(second.wrote + calls).toBe(5);
      expect(new Set(sent).size).toBe(5);
    }
  });

  test.each<[string, (client: Client, made: Plan) => Promise<unknown>]>([
    ['a binding that was removed', ({ authorization }) => authorization.bindings.remove({ user: 'ann', role: 'r1' })],
    ['a role that was deleted', ({ authorization }) => authorization.roles.delete('r1')],
    ['a policy that was written back', ({ authorization }) => authorization.policies.update('old', reader)],
  ])('a call whose answer was not recorded is not made again over %s', async (_, revoke) => {
    const { mock, client, made } = await open();
    const entries: RecordEntry[] = [];
    await apply(client, made, { ...quick, record: recordIn(entries) });
    await revoke(client, made);
    const sent = writesOf(mock);
    const begun = entries.filter(({ state }) => state === 'begun');
    const again = apply(client, made, { ...quick, record: recordIn(begun) });
    await expect(again).rejects.toMatchObject({
      conflicts: [expect.anything()],
      message: expect.stringContaining('may have been written by an earlier run, and by another writer since'),
    });
    expect(sent).toEqual([]);
  });

  test('a call that never arrived is made by the next run if the index shows it', async () => {
    const { client, made } = await open();
    const at = made.stages.flat().findIndex(({ change }) => made.changes[change]?.name === 'old');
    expect(made.changes[made.stages.flat()[at]?.change ?? -1]?.index).toBe(1);
    const entries: RecordEntry[] = [{ call: at, state: 'begun' }];
    expect(await apply(client, made, { ...quick, record: recordIn(entries) })).toMatchObject({ wrote: 5 });
  });

  test('calls that failed are made again, and 504 leaves them open', async () => {
    for (const [status, state] of [
      [503, 'failed'],
      [403, 'failed'],
      [504, 'begun'],
    ] as const) {
      const { mock, client, made } = await open();
      const end = mock.fail({ path: '/_management/permissions/role/r1', method: 'POST', status, times: 100 });
      const entries: RecordEntry[] = [];
      await expect(apply(client, made, { ...quick, record: recordIn(entries) })).rejects.toThrow(String(status));
      expect(entries.at(-1)).toMatchObject({ state });
      end();
      const earlier = entries.filter((entry) => entry.state === 'made').length;
      const again = apply(client, made, { ...quick, record: recordIn(entries) });
      if (state === 'failed') expect(await again).toMatchObject({ wrote: 5 - earlier });
      else await expect(again).rejects.toThrow('may have been written by an earlier run');
    }
  });

  test('does not skip an item that another writer made as the plan wants it', async () => {
    const { client, made } = await open();
    await client.authorization.policies.create('p1', reader);
    await expect(apply(client, made, { ...quick, record: recordIn([]) })).rejects.toMatchObject({
      conflicts: [{ name: 'p1' }],
    });
  });

  test('is refused if it cannot be added to', async () => {
    const { client, made } = await open();
    // @ts-expect-error -- not a record
    await expect(apply(client, made, { record: {} })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      field: 'record',
    });
  });

  test.each<[string, readonly RecordEntry['state'][]]>([
    ['made it, and another was refused', ['begun', 'begun', 'made', 'failed']],
    ['may have made it, and another was refused', ['begun', 'begun', 'failed']],
    ['made it, and another only began it', ['begun', 'made', 'begun']],
    ['made it, with its lines twice', ['begun', 'failed', 'begun', 'made', 'begun', 'failed', 'begun', 'made']],
  ])('a call is not made again if of two runs at once one %s', async (_, states) => {
    const { mock, client, made } = await open();
    const entries: RecordEntry[] = [];
    await apply(client, made, { ...quick, record: recordIn(entries) });
    const at = made.stages.flat().findIndex(({ change }) => made.changes[change]?.user === 'ann');
    await client.authorization.bindings.remove({ user: 'ann', role: 'r1' });
    const mixed = [...entries.filter(({ call }) => call !== at), ...states.map((state) => ({ call: at, state }))];
    const sent = writesOf(mock);
    const again = apply(client, made, { ...quick, record: recordIn(mixed) });
    if (states.includes('made')) expect(await again).toMatchObject({ wrote: 0 });
    else await expect(again).rejects.toThrow('may have been written by an earlier run');
    expect(sent).toEqual([]);
  });

  test('a call that was sent twice, and answered the second time only, is not made again', async () => {
    const { client, made } = await open();
    const entries: RecordEntry[] = [];
    const binding = { user: 'ann', role: 'r1' };
    const { policies, roles, bindings } = client.authorization;
    // A proxy sends it, gets no answer, and sends it again.
    const twice = {
      list: (user: string) => bindings.list(user),
      assign: (request: Parameters<typeof bindings.assign>[0]) =>
        bindings.assign(request).then(() => bindings.assign(request)),
      replaceScope: (request: Parameters<typeof bindings.replaceScope>[0]) => bindings.replaceScope(request),
      remove: (request: Parameters<typeof bindings.remove>[0]) => bindings.remove(request),
    };
    const proxied = { ...client, authorization: { policies, roles, bindings: twice } } as unknown as Client;
    const first = apply(proxied, made, { ...quick, record: recordIn(entries) });
    await expect(first).rejects.toThrow('created by another writer just now');
    expect(entries.at(-1)).toMatchObject({ state: 'begun' });
    await client.authorization.bindings.remove(binding);
    const again = apply(client, made, { ...quick, record: recordIn(entries) });
    await expect(again).rejects.toThrow('may have been written by an earlier run');
    expect((await client.authorization.bindings.list('ann')).length).toBe(0);
  });
});
