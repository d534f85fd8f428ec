import { readFileSync } from 'node:fs';
import { Server, ServerCredentials, type ServerWritableStream, type ServiceDefinition, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { createMock } from '../../src/mock/index.ts';
import type { PoolMethod } from '../../src/pool/items.ts';
import { poolService } from '../../src/pool/items.ts';
import { poolProto, type WireMessage, type WireRequest } from '../support/pool-client.ts';
import { liveReplica } from './support/replicas.ts';

// The recorded streams of the real services, served by a server that shares nothing with ours, and read by the replica.

interface Step {
  readonly write?: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly read?: PoolMethod;
  readonly changes?: PoolMethod;
  readonly request?: WireRequest;
  readonly as?: string | null;
  readonly messages?: readonly WireMessage[];
  readonly during?: readonly { readonly write: NonNullable<Step['write']> }[];
  readonly error?: { readonly code: string; readonly message: string };
}

const recorded = (name: string): readonly Step[] =>
  JSON.parse(readFileSync(new URL(`../vectors/streams/${name}.json`, import.meta.url), 'utf8')).steps;

type Call = ServerWritableStream<WireRequest, { items: WireMessage }>;

/** A server that answers each call with what was recorded for it. */
async function serve(answer: (method: PoolMethod, request: WireRequest, call: Call) => void): Promise<string> {
  const service = poolProto[poolService] as ServiceDefinition;
  const server = new Server();
  const handlers = Object.keys(service).map((method) => [
    method,
    (call: Call) => answer(method as PoolMethod, call.request, call),
  ]);
  server.addService(service, Object.fromEntries(handlers));
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  onTestFinished(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

const find = (steps: readonly Step[], method: PoolMethod, start?: number): Step | undefined =>
  steps.find(
    (step) =>
      (step.as === undefined || step.as === 'superuser') &&
      (start === undefined ? step.read === method : step.changes === method && (step.request?.start ?? 0) === start),
  );

test('the state and its changes: what the replica decides from is what was written', async () => {
  const steps = recorded('changes');
  const open = new Map<PoolMethod, Call>();
  const address = await serve((method, { start }, call) => {
    const reading = method.startsWith('Get');
    if (!reading) open.set(method, call);
    for (const items of find(steps, method, reading ? undefined : (start ?? 0))?.messages ?? []) call.write({ items });
    if (reading) call.end();
  });
  const replica = await liveReplica({ address });
  await expect.poll(() => replica.status.indexes).toMatchObject({ policies: 5, roles: 1 });

  // A mock that took the same writes; its bindings are asked for user by user.
  await using mock = await createMock({ fidelity: 'sidecar' });
  const authorization = `bearer ${await mock.tokens.issue({ user: null })}`;
  for (const { write } of steps) {
    if (write === undefined) continue;
    const { method, path, body } = write;
    await mock.fetch(`http://mock.test${path}`, {
      method,
      headers: { authorization },
      body: JSON.stringify(body ?? {}),
    });
  }
  for (const user of ['alice', 'a:b', 'bob', 'a']) {
    for (const action of ['a:b', 'a:c', 'x:1', 'x:3', 'x:9']) {
      for (const resource of ['r:1', 'secret:7', 'other']) {
        const question = { user, action, resource };
        const { decision, considered } = mock.explain(question);
        expect(replica.evaluate(question), JSON.stringify(question)).toEqual(decision);
        expect(replica.explain(question).considered).toEqual(considered);
      }
    }
  }
  expect(replica.explain({ user: 'a:b', action: 'a:b', resource: '' }).considered).toMatchObject([{ role: 'r:1' }]);
});

test('batches of 128, in order', async () => {
  const steps = recorded('batches');
  const address = await serve((method, _, call) => {
    if (!method.startsWith('Get')) return;
    for (const items of find(steps, method)?.messages ?? []) call.write({ items });
    call.end();
  });
  const replica = await liveReplica({ address });
  const policies = find(steps, 'GetPolicy')?.messages?.flat() ?? [];
  expect(policies.length).toBeGreaterThan(128);
  expect(replica.status.indexes.policies).toBe(policies.at(-1)?.index);
});

test('a state that is out of range for ever is decided from, and read again', async () => {
  const steps = recorded('out-of-range');
  let reads = 0;
  const address = await serve((method, _, call) => {
    if (method === 'GetPolicy') reads++;
    if (method.startsWith('Get')) {
      for (const items of find(steps, method)?.messages ?? []) call.write({ items });
      call.end();
    } else if (method === 'PoolPolicyChanges') {
      const { code, message } = steps.find(({ error }) => error !== undefined)?.error ?? { code: '', message: '' };
      call.emit('error', { code: status[code as 'OUT_OF_RANGE'], details: message });
    }
  });
  const replica = await liveReplica({ address });
  await expect
    .poll(() => replica.status, { timeout: 5_000 })
    .toMatchObject({
      state: 'live',
      rereading: true,
      indexes: { policies: 1 },
      lastError: { code: 'OUT_OF_RANGE', message: 'out of bounds' },
    });
  expect(reads).toBe(2);
});
