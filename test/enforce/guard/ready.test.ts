import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGuard, createVerifier } from '../../../src/enforce/guard/index.ts';
import { type CallEvent, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { failureOf } from '../../support/failure.ts';
import { serve } from '../../support/server.ts';

const ask = { action: 'orders:read', resource: 'order:7' };
const request = { headers: { authorization: 'Bearer x.y.z' } };

/** A port that takes requests and never answers; `open` counts them, not the idle connections that fetch keeps for 4 s. */
async function silentUrl(): Promise<{ url: string; open: () => number }> {
  const asking = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('close', () => asking.delete(socket));
    socket.on('data', () => asking.add(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${Object(server.address()).port}`, open: () => asking.size };
}

describe('the timeout of a guard', () => {
  test('ends a decision of a silent service with 503, and its calls', async () => {
    const { url, open } = await silentUrl();
    const guard = createGuard(createClient({ url }), { timeout: 50, identify: true });
    for (const access of [
      await guard.check(request, ask),
      await guard.checkMany(request, [ask]),
      await guard.authenticate(request),
    ]) {
      expect(access).toMatchObject({ allowed: false, status: 503 });
      expect(Object(access).cause).toMatchObject({ code: 'TIMEOUT' });
    }
    await expect.poll(open).toBe(0);
  });

  test('holds for a custom authenticate and a custom decider', async () => {
    const never = () => new Promise<never>(() => {});
    const evaluator = createEvaluator();
    const byOwner = createGuard(evaluator, { timeout: 50, authenticate: never });
    expect(await byOwner.check(request, ask)).toMatchObject({ status: 503 });
    const decider = { evaluate: never, evaluateMany: never };
    const authenticate = async () => ({ user: 'alice' });
    const byDecider = createGuard(decider, { timeout: 50, authenticate });
    expect(await byDecider.check(request, ask)).toMatchObject({ status: 503 });
  });

  test('does not lengthen that of the client', async () => {
    const { url } = await silentUrl();
    const guard = createGuard(createClient({ url, timeout: 50 }), { timeout: 60_000 });
    expect(await guard.check(request, ask)).toMatchObject({ status: 503 });
  });
});

describe('guard.ready', () => {
  test('resolves over services that answer, whatever they decide', async () => {
    const mock = await createMock();
    await createGuard(createClient(mock.connection)).ready();
    await createGuard(createClient((await createMock({ authorization: { type: 'never' } })).connection)).ready();
  });

  test('sends two requests of the operation guard.ready, asks no replica and reports no decision', async () => {
    const mock = await createMock();
    const events: CallEvent[] = [];
    const told: unknown[] = [];
    const onDecision = (decision: unknown): void => void told.push(decision);
    const observe = (event: CallEvent): void => void events.push(event);
    const replica = createEvaluator();
    await createGuard(createClient({ ...mock.connection, observe, onDecision, replica })).ready();
    await createGuard(createClient({ ...mock.connection, observe, onDecision, batch: true }), { onDecision }).ready();
    const success = { operation: 'guard.ready', status: 200, code: undefined };
    expect(events).toMatchObject([success, success, success, success]);
    expect(events.map(({ path }) => path?.split('/').at(-1)).sort()).toEqual(
      ['evaluate', 'evaluate-many', 'validate', 'validate'].map((name) => name.replace('-many', '')).sort(),
    );
    expect(told).toEqual([]);
  });

  test('rejects with the failure of the service', async () => {
    const { url, close } = await serve((_, response) => void response.writeHead(500).end());
    const guard = createGuard(createClient({ url, retry: 0 }));
    expect(await failureOf(guard.ready())).toMatchObject({ code: 'HTTP', status: 500 });
    await close();
    expect(await failureOf(guard.ready())).toMatchObject({ code: 'NETWORK' });
    const silent = createGuard(createClient({ url: (await silentUrl()).url }));
    expect(await failureOf(silent.ready({ timeout: 50 }))).toMatchObject({ code: 'TIMEOUT' });
    expect(await failureOf(silent.ready({ timout: 50 } as object))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('waits for the verifier, and for a decider with ready()', async () => {
    const mock = await createMock();
    const client = createClient({
      ...mock.connection,
      credentials: credentials.login({ username: 'root', password: '' }),
    });
    // The mock signs with a secret, and so publishes no keys.
    const guard = createGuard(createEvaluator(), { authenticate: createVerifier({ client }) });
    expect(await failureOf(guard.ready())).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'client' });
    const calls: unknown[] = [];
    const decider = { ...createEvaluator(), ready: async (limit: unknown) => void calls.push(limit) };
    await createGuard(Object.assign(Object.create(createEvaluator()), decider), {
      authenticate: createVerifier({ secret: 'a secret of some length' }),
    }).ready({ timeout: 1_000 });
    expect(calls).toEqual([{ timeout: 1_000 }]);
  });
});

describe('verifier.ready', () => {
  test('names an invalid key, before a token comes', async () => {
    expect(await failureOf(createVerifier({ keys: ['no key'] }).ready())).toMatchObject({ field: 'keys[0]' });
    await createVerifier({ secret: 'a secret of some length' }).ready();
  });

  test('fetches the keys of a client, within its timeout', async () => {
    const client = createClient({ url: (await silentUrl()).url, credentials: credentials.bearer('token') });
    expect(await failureOf(createVerifier({ client }).ready({ timeout: 50 }))).toMatchObject({ code: 'TIMEOUT' });
  });
});
