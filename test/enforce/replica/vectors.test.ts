import { readdirSync, readFileSync } from 'node:fs';
import { Server, ServerCredentials, type ServerWritableStream, type ServiceDefinition, status } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import type { PoolMethod } from '../../../src/policy/pool/pool-items.ts';
import { poolKinds, poolMethods, poolService } from '../../../src/policy/pool/pool-items.ts';
import { poolProto, type WireMessage, type WireRequest } from '../../support/pool-client.ts';
import { liveReplica, replicaOf } from './support/replicas.ts';

// Serves the recorded streams of the real services by an independent gRPC server, and reads them with the replica.

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

const folder = new URL('../../vectors/streams/', import.meta.url);
const recorded = (name: string): readonly Step[] =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')).steps;
/** The scenarios about permissions to read and follow. */
const access = ['access', 'access-always', 'access-central-permissive', 'access-never'];

test('every recorded scenario is replayed here', () => {
  const files = readdirSync(folder).map((file) => file.replace('.json', ''));
  expect(files.toSorted()).toEqual([...access, 'batches', 'changes', 'empty', 'out-of-range']);
});

type Call = ServerWritableStream<WireRequest, { items: WireMessage }>;

/** A server that answers each call with its recording. */
async function serve(answer: (method: PoolMethod, request: WireRequest, call: Call) => void): Promise<string> {
  const service = poolProto[poolService] as ServiceDefinition;
  const server = new Server();
  // The recorded services are older than groups: the server answers UNIMPLEMENTED.
  const known = Object.entries(service).filter(([method]) => !method.includes('Group'));
  const handlers = known.map(([method]) => [method, (call: Call) => answer(method as PoolMethod, call.request, call)]);
  server.addService(Object.fromEntries(known), Object.fromEntries(handlers));
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  onTestFinished(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

/** The first messages of a kind's stream of changes: the recorded changes, or else the recorded state. */
function after(steps: readonly Step[], method: PoolMethod, start = 0): readonly WireMessage[] {
  const kind = poolKinds.find((one) => poolMethods[one].changes === method);
  const read = kind && poolMethods[kind].read;
  const all = find(steps, method, 0)?.messages ?? [];
  const items = (all.length > 0 ? all : (find(steps, read ?? method)?.messages ?? [])).flat();
  return [items.filter(({ index }) => index > start).slice(0, 128)];
}

const find = (steps: readonly Step[], method: PoolMethod, start?: number): Step | undefined =>
  steps.find((step) =>
    start === undefined ? step.read === method : step.changes === method && (step.request?.start ?? 0) === start,
  );

test('the replica decides by the recorded state and its changes', async () => {
  const steps = recorded('changes');
  const open = new Map<PoolMethod, Call>();
  const address = await serve((method, { start }, call) => {
    const reading = method.startsWith('Get');
    if (!reading) open.set(method, call);
    const messages = reading ? find(steps, method)?.messages : after(steps, method, start);
    for (const items of messages ?? []) call.write({ items });
    if (reading) call.end();
  });
  const replica = await liveReplica({ address });
  await expect.poll(() => replica.status.indexes).toMatchObject({ policies: 5, roles: 3 });

  // A mock with the same writes; its bindings are listed user by user.
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

test('a replica reads a state that comes in batches of 128, in order', async () => {
  const steps = recorded('batches');
  const address = await serve((method, { start }, call) => {
    // Only some of the recorded role changes are replayed here, and they leave no role.
    const isOfPolicies = method === 'PoolPolicyChanges';
    if (!method.startsWith('Get')) {
      return void call.write({ items: isOfPolicies ? (after(steps, method, start)[0] ?? []) : [] });
    }
    for (const items of find(steps, method)?.messages ?? []) call.write({ items });
    call.end();
  });
  const replica = await liveReplica({ address });
  const policies = find(steps, 'GetPolicy')?.messages?.flat() ?? [];
  expect(policies.length).toBeGreaterThan(128);
  expect(replica.status.indexes.policies).toBe(policies.at(-1)?.index);
});

test('a state that stays out of range is used for decisions, and read again', async () => {
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
    } else call.write({ items: [] });
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

test('an empty state: ready, and everything is denied', async () => {
  const steps = recorded('empty');
  const starts: number[] = [];
  const address = await serve((method, { start }, call) => {
    if (method.startsWith('Get')) {
      expect(find(steps, method)?.messages).toEqual([]);
      call.end();
    } else {
      starts.push(start ?? 0);
      for (let i = 0; i < 3; i++) call.write({ items: [] });
    }
  });
  const replica = await liveReplica({ address });
  let changes = 0;
  replica.on('change', () => changes++);
  await expect.poll(() => starts).toEqual([0, 0, 0]);
  expect(replica.status).toMatchObject({ state: 'live', indexes: { policies: 0, roles: 0, bindings: 0 } });
  expect(replica.evaluate({ user: 'alice', action: 'a:b', resource: 'r' })).toMatchObject({ effect: 'Deny' });
  expect(changes).toBe(0);
});

describe.each(access)('%s', (name) => {
  const steps = recorded(name);
  const callers = new Set(steps.filter((step) => step.read ?? step.changes).map(({ as }) => as ?? null));

  test.each([...callers])('is followed as recorded, as %s', async (as) => {
    const own = steps.filter((step) => (step.as ?? null) === as);
    const asked: PoolMethod[] = [];
    const headers = new Set<string>();
    const starts = new Map<PoolMethod, number>();
    const address = await serve((method, { start }, call) => {
      asked.push(method);
      headers.add(String(call.metadata.get('authorization')).toLowerCase());
      const step = own.find(({ read, changes }) => read === method || changes === method);
      const isAccepted = step?.error === undefined && !method.startsWith('Get');
      for (const items of isAccepted ? after(own, method, start) : (step?.messages ?? [])) call.write({ items });
      if (step?.error !== undefined) {
        call.emit('error', { code: status[step.error.code as 'UNAUTHENTICATED'], details: step.error.message });
      } else if (method.startsWith('Get')) call.end();
      else starts.set(method, start ?? 0);
    });
    const replica = replicaOf({
      address,
      ...(as !== null && { credentials: credentials.bearer(`token-of-${as}`) }),
    });
    const refused = own.find(({ read, error }) => read && error)?.error;
    if (refused !== undefined) {
      await expect(replica.ready()).rejects.toThrow(`${refused.code} ${refused.message}`);
      expect(asked.filter((method) => method.endsWith('Changes'))).toEqual([]);
      expect([...headers]).toEqual([as === null ? '' : `bearer token-of-${as}`]);
      return;
    }
    const denied = own.find(({ changes, error }) => changes && error)?.error;
    if (denied === undefined) await replica.ready();
    else {
      // Reading needs no permission, but without its changes a state is not followed.
      const missing = /the permission rbac:Pool(Policy|Role|UserRoleBinding) on the resource ""/;
      await expect(replica.ready()).rejects.toThrow(denied.message);
      await expect(replica.ready()).rejects.toThrow(missing);
      expect(replica.status.state).toBe('connecting');
    }
    const newest = (method: PoolMethod) => find(own, method)?.messages?.flat().at(-1)?.index ?? 0;
    expect(replica.status.indexes).toEqual({
      policies: newest('GetPolicy'),
      roles: newest('GetRole'),
      bindings: newest('GetUserRoleBinding'),
      groupBindings: 0,
    });
    if (denied === undefined) expect(replica.status).toMatchObject({ state: 'live', lastError: undefined });
    expect([...headers]).toEqual([`bearer token-of-${as}`]);
    // From one below the newest item on.
    const { policies, roles, bindings } = replica.status.indexes;
    const below = (index: number) => Math.max(0, index - 1);
    const all = {
      PoolPolicyChanges: below(policies),
      PoolRoleChanges: below(roles),
      PoolUserRoleBindingChanges: below(bindings),
    };
    if (denied === undefined) expect(Object.fromEntries(starts)).toEqual(all);
  });
});
