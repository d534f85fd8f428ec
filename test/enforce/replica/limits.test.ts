import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { progress } from '../../../src/client/stream/index.ts';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import { type Credentials, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { itemOfEachKind, question, replicaOf } from './support/replicas.ts';
import { alicesPool, deletion, everywhere } from './support/scripted-pool.ts';
import { alicesService, pass } from './support/services.ts';

// Dependencies of a replica that never settle, reject or are too large.

afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});

describe('credentials that never settle', () => {
  const ways: readonly (readonly [string, Credentials])[] = [
    ['authorize', { authorize: () => never }],
    ['reject', { authorize: () => 'Bearer t', reject: () => never }],
  ];

  test.each(ways)('%s: close and ready settle', async (_, own) => {
    const transport = alicesPool();
    transport.onOpen = (stream) => {
      stream.fail(16);
      return true;
    };
    const replica = replicaOf({ transport, credentials: own });
    await expect(replica.ready({ timeout: 20 })).rejects.toThrow();
    await expect(replica.ready({ signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ code: 'ABORTED' });
    const pending = replica.ready().catch((error) => error);
    await replica.close();
    expect(await pending).toMatchObject({ code: 'REPLICA', reason: 'CLOSED' });
  });

  test('reads and streams time out, and are retried', async () => {
    vi.useFakeTimers();
    let asked = 0;
    const replica = replicaOf({
      transport: alicesService(),
      credentials: { authorize: () => (++asked <= 4 ? never : asked === 6 ? never : 'Bearer t') },
    });
    await pass(59_000);
    expect([asked, replica.status.lastError]).toEqual([4, undefined]);
    await pass(2_000);
    expect(replica.status.lastError).toMatchObject({
      code: 'CREDENTIALS',
      message: expect.stringContaining('asking for a token took longer than 60 s'),
    });
    await pass(120_000);
    expect(replica.live).toBe(true);
  });
});

test('a listener that returns a rejected promise does not end the process, whatever the event', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const reject = async (): Promise<void> => {
    throw new Error('of a listener');
  };
  const mock = await createMock();
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const heard = vi.fn(reject);
  mock.onRequest(heard);
  const client = createClient({
    ...mock.connection,
    observe: heard,
    credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
  });
  await client.authorization.isAllowed(question);
  expect(heard).toHaveBeenCalledTimes(2);
  const transport = alicesPool();
  const replica = replicaOf({ transport });
  replica.on('change', heard);
  replica.on('status', heard);
  await replica.ready();
  transport.last('PoolPolicyChanges').send(deletion(2, 'p'));
  await expect.poll(() => heard.mock.calls.length).toBe(5);
  const upload = progress(new Blob(['text']).stream(), reject);
  await expect(new Response(upload).text()).rejects.toThrow('of a listener');
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(unhandled).not.toHaveBeenCalled();
});

describe('a message that is too large', () => {
  const large = { ...everywhere, description: 'x'.repeat(9 * 1_024 * 1_024) };

  async function server(description: string) {
    const mock = await createMock({ ...itemOfEachKind, policies: { p: { ...everywhere, description } } });
    onTestFinished(() => mock[Symbol.asyncDispose]());
    const { address } = await listenGrpc(mock);
    return { address, credentials: credentials.bearer(await mock.tokens.issue({ user: null })) };
  }

  test('is rejected by name: 8 MiB without the option', async () => {
    const options = await server(large.description);
    await expect(replicaOf(options).ready()).rejects.toThrow(
      /maxMessageBytes: a message of the policies is larger than 8388608 bytes/,
    );
    await replicaOf({ ...options, maxMessageBytes: 16 * 1_024 * 1_024 }).ready();
  });

  test('is limited by the option', async () => {
    const options = await server('x'.repeat(2_000));
    await expect(replicaOf({ ...options, maxMessageBytes: 1_000 }).ready()).rejects.toThrow(
      /maxMessageBytes.*1000 bytes; set a higher limit/,
    );
    await replicaOf({ ...options, maxMessageBytes: 4_000 }).ready();
  });

  test.each([0, -1, 1.5, Number.POSITIVE_INFINITY, '8 MiB'])('rejects %s', (maxMessageBytes) => {
    expect(() => replicaOf({ address: 'a:1', maxMessageBytes: maxMessageBytes as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'maxMessageBytes' }),
    );
  });
});
