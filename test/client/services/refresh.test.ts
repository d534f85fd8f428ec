import { describe, expect, test } from 'vitest';
import { failureOf } from '../../support/failure.ts';
import { clientOver, type Sent } from './support.ts';

const header = 'grpc-metadata-x-arangodb-authorization-refresh';
const question = { user: 'a', action: 'x:1', resource: 'r' };

const decide = ({ body }: Sent) => {
  const { items } = body as { readonly items?: readonly object[] };
  return { effect: 'Allow', message: '', ...(items && { items: items.map(() => ({ effect: 'Allow' })) }) };
};
const refreshed = (sent: readonly Sent[]) => sent.map(({ headers }) => headers.get(header));

describe('refresh', () => {
  test('is a header of each question, and of nothing else', async () => {
    const { client, sent } = clientOver(decide);
    const { authorization } = client;
    const options = { refresh: true, headers: { 'x-trace': '1' } };
    await authorization.evaluate(question, options);
    await authorization.evaluateMany({ user: 'a', items: [question] }, options).catch(() => undefined);
    await authorization.evaluateMany({ user: 'a', items: [{ action: 'x:1', resource: 'r' }] }, options);
    await authorization.isAllowed({ token: 't', action: 'x:1', resource: 'r' }, options);
    await authorization.assertAllowed(question, options);
    expect(refreshed(sent)).toEqual(['true', 'true', 'true', 'true']);
    expect(sent.map(({ headers }) => headers.get('x-trace'))).toEqual(['1', '1', '1', '1']);
    await authorization.evaluate(question);
    await authorization.evaluate(question, { refresh: false });
    expect(refreshed(sent).slice(4)).toEqual([null, null]);
  });

  test('of the client is the default, which a question overrides', async () => {
    const { client, sent } = clientOver(decide, { refresh: true });
    const { authorization } = client;
    await authorization.evaluate(question);
    await authorization.evaluate(question, { refresh: undefined });
    await authorization.isAllowed(question, { refresh: false });
    await authorization.checkSelf({ action: 'x:1', resource: 'r' });
    await client.with({ timeout: 1_000 }).authorization.evaluate(question);
    expect(refreshed(sent)).toEqual(['true', 'true', null, null, 'true']);
  });

  test.each([['yes'], [1], [null]])('%j is refused with its name', async (refresh) => {
    const { client, sent } = clientOver(decide);
    const error = await failureOf(client.authorization.evaluate(question, { refresh: refresh as never }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'refresh' });
    const many = { user: 'a', items: [] };
    const second = await failureOf(client.authorization.evaluateMany(many, { refresh: refresh as never }));
    expect(second).toMatchObject({ field: 'refresh', path: '/_integration/authorization/v1/evaluate-many' });
    expect(() => clientOver(decide, { refresh: refresh as never })).toThrow('refresh');
    expect(sent).toEqual([]);
  });
});

describe('batches', () => {
  test('questions that refresh are not in one request with those that do not', async () => {
    const { client, sent } = clientOver(decide, { batch: true });
    const { authorization } = client;
    await Promise.all([
      authorization.evaluate(question, { refresh: true }),
      authorization.evaluate(question),
      authorization.evaluate({ ...question, action: 'x:2' }, { refresh: true }),
      authorization.evaluate({ ...question, action: 'x:2' }, { refresh: false }),
    ]);
    const counts = sent.map(({ body, headers }) => [headers.get(header), (body as { items?: [] }).items?.length ?? 1]);
    expect(counts.filter(([by]) => by === 'true')).toEqual([['true', 2]]);
    expect(counts.filter(([by]) => by === null)).toEqual([[null, 2]]);
  });

  test('of a list in several requests the first refreshes, and the others wait for it', async () => {
    const events: string[] = [];
    const { client, sent } = clientOver(async (one) => {
      events.push(`sent ${one.headers.get(header)}`);
      await Promise.resolve();
      const answer = decide(one);
      events.push('answered');
      return answer;
    });
    const items = Array.from({ length: 2_500 }, (_, i) => ({ action: `x:${i}`, resource: 'r' }));
    const { items: decisions } = await client.authorization.evaluateMany({ user: 'a', items }, { refresh: true });
    expect(decisions).toHaveLength(2_500);
    expect(refreshed(sent)).toEqual(['true', null, null]);
    expect(events.slice(0, 4)).toEqual(['sent true', 'answered', 'sent null', 'sent null']);
    await client.authorization.evaluateMany({ user: 'a', items });
    expect(refreshed(sent).slice(3)).toEqual([null, null, null]);
  });

  test('a first request that fails fails the list', async () => {
    const { client, sent } = clientOver(() => new Response('no', { status: 503 }));
    const items = Array.from({ length: 1_001 }, () => ({ action: 'x:1', resource: 'r' }));
    await expect(client.authorization.evaluateMany({ user: 'a', items }, { refresh: true })).rejects.toMatchObject({
      status: 503,
    });
    expect(sent).toHaveLength(1);
  });
});

test('a question with refresh is not decided by the replica, whether live or not', async () => {
  const denied = { effect: 'Deny', allowed: false, message: 'the replica' } as const;
  const replica = (live: boolean) => ({
    live,
    assertLive: () => {
      throw new Error('not live');
    },
    evaluate: () => denied,
    evaluateMany: () => ({ ...denied, items: [denied] }),
  });
  for (const options of [{ replica: replica(true) }, { replica: replica(false), whenNotLive: 'refuse' }] as const) {
    const { client, sent } = clientOver(decide, options);
    expect((await client.authorization.evaluate(question, { refresh: true })).allowed).toBe(true);
    const many = { user: 'a', items: [{ action: 'x:1', resource: 'r' }] };
    expect((await client.authorization.evaluateMany(many, { refresh: true })).allowed).toBe(true);
    expect(refreshed(sent)).toEqual(['true', 'true']);
  }
  const { client, sent } = clientOver(decide, { replica: replica(true), refresh: true });
  expect(await client.authorization.isAllowed(question, { refresh: false })).toBe(false);
  expect(sent).toEqual([]);
});
