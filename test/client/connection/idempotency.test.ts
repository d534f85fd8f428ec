import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, serve } from '../../support/server.ts';

const busy = json({ message: 'busy' }, 503, { 'retry-after': '0' });

describe('an idempotency key', () => {
  test.each(['post', 'patch'] as const)('makes %s a call that is retried, with the same key', async (verb) => {
    let answers = 0;
    const { url, seen } = await serve((...args) => (answers++ < 2 ? busy : json({ id: 7 }))(...args));
    const { body } = await createClient({ url }).route('orders').with({ idempotencyKey: true })[verb]({ item: 'book' });
    expect(body).toEqual({ id: 7 });
    const keys = seen.map(({ headers }) => headers.get('idempotency-key')?.[0]);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
  });

  test('is a new key for each call', async () => {
    const { url, seen } = await serve();
    const orders = createClient({ url }).route('orders').with({ idempotencyKey: true });
    for (let call = 0; call < 20; call++) await orders.post({});
    expect(new Set(seen.map(({ headers }) => headers.get('idempotency-key')?.[0])).size).toBe(20);
  });

  test('is not sent with other methods, nor without the option, and POST is then not retried', async () => {
    const { url, seen } = await serve(busy);
    const orders = createClient({ url }).route('orders');
    await failureOf(orders.post({}));
    await failureOf(orders.with({ idempotencyKey: true }).with({ idempotencyKey: undefined }).post({}));
    await failureOf(orders.with({ idempotencyKey: false }).post({}));
    for (const method of ['GET', 'PUT', 'DELETE'])
      await failureOf(orders.request({ method, idempotencyKey: true, retry: 0 }));
    expect(seen).toHaveLength(6);
    expect(seen.some(({ headers }) => headers.has('idempotency-key'))).toBe(false);
  });

  test('has a custom header and value, and the number of retries', async () => {
    const { url, seen } = await serve(busy);
    const idempotencyKey = { header: 'X-Key', value: 'order-7' };
    await failureOf(createClient({ url }).route('orders').with({ idempotencyKey, retry: 1 }).post({}));
    expect(seen.map(({ headers }) => headers.get('x-key'))).toEqual([['order-7'], ['order-7']]);
  });

  test('a header of the call overrides it', async () => {
    const { url, seen } = await serve();
    const orders = createClient({ url }).route('orders').with({ idempotencyKey: true });
    await orders.with({ headers: { 'Idempotency-Key': 'mine' } }).post({});
    expect(seen[0]?.headers.get('idempotency-key')).toEqual(['mine']);
  });

  test('a stream is not sent again', async () => {
    const { url, seen } = await serve(busy);
    await failureOf(
      createClient({ url })
        .route('orders')
        .with({ idempotencyKey: true })
        .post(new Blob(['a']).stream()),
    );
    expect(seen).toHaveLength(1);
  });

  test.each([
    [5, 'idempotencyKey', 'true, false or { header, value }'],
    [{ header: 'a b' }, 'idempotencyKey.header', 'the name of a header'],
    [{ value: '' }, 'idempotencyKey.value', 'without control characters'],
    [{ value: 'a\nb' }, 'idempotencyKey.value', 'without control characters'],
    [{ vale: 'a' }, 'idempotencyKey.vale', 'value'],
  ])('%j is refused before anything is sent', async (idempotencyKey, field, problem) => {
    const orders = createClient({ url: 'http://localhost:1' }).route('orders');
    const refused = await failureOf(Promise.resolve().then(() => orders.with({ idempotencyKey } as never)));
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', field });
    expect(refused.message).toContain(problem);
  });
});
