import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import type { PoolMethod } from '../../../src/policy/pool/pool-items.ts';
import type { Listening, WireRequest } from '../../support/pool-client.ts';
import { poolInMemory } from '../../support/pool-in-memory.ts';

// The kit for streams: faults, snapshots, the clock and the request log.

const config: MockConfig = { policies: { first: { statements: [] } } };
const long = { timeout: { seconds: 3_000 } };

async function start(settings: MockConfig = config) {
  const mock = await createMock(settings);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const token = await mock.tokens.issue({ user: null, lifetime: '1000h' });
  const open = poolInMemory(mock);
  const listen = (method: PoolMethod, request: WireRequest = {}) => {
    const stream = open(method, { ...long, ...request }, token);
    onTestFinished(() => stream.cancel());
    return stream;
  };
  let written = 0;
  const write = async (): Promise<void> => {
    written++;
    const send = (method: string) =>
      mock.fetch('http://mock.test/_management/permissions/policy/p', {
        method,
        headers: { authorization: `bearer ${token}` },
        body: JSON.stringify({ item: { description: `write ${written}` } }),
      });
    if ((await send('POST')).status === 409) await send('PUT');
  };
  return { mock, token, listen, write };
}

/** The indexes of the received changes, in order. */
const indexes = ({ messages }: Listening) => messages.flat().map(({ index }) => index);
const heard = (stream: Listening, count: number) => expect.poll(() => stream.messages.length).toBe(count);
const unavailable = { code: 'UNAVAILABLE', message: 'scripted fault' };

describe('a scripted fault', () => {
  test('breaks the next stream of its name, at once', async () => {
    const { mock, listen } = await start();
    mock.fail({ stream: 'GetPolicy', grpcCode: 14 });
    const other = listen('GetRole');
    await other.done;
    expect(other.error).toBeUndefined();
    const stream = listen('GetPolicy');
    await stream.done;
    expect([stream.messages, stream.error]).toEqual([[], unavailable]);
    const again = listen('GetPolicy');
    await again.done;
    expect([indexes(again), again.error]).toEqual([[1], undefined]);
    mock.assertFaultsUsed();
  });

  test('breaks a stream after a number of messages, also instead of its end', async () => {
    const { mock, listen } = await start();
    mock.fail({ stream: 'GetPolicy', after: 1, grpcCode: 8 });
    const stream = listen('GetPolicy');
    await stream.done;
    expect([indexes(stream), stream.error?.code]).toEqual([[1], 'RESOURCE_EXHAUSTED']);
  });

  test('breaks an open stream, counting messages since the fault was scripted', async () => {
    const { mock, listen, write } = await start();
    const stream = listen('PoolPolicyChanges');
    await heard(stream, 1);
    mock.fail({ stream: 'PoolPolicyChanges', after: 2, grpcCode: 14 });
    await write();
    await heard(stream, 2);
    expect(stream.error).toBeUndefined();
    await write();
    await stream.done;
    expect([indexes(stream), stream.error]).toEqual([[1, 2, 3], unavailable]);
  });

  test('breaks an open stream on demand', async () => {
    const { mock, listen } = await start();
    const stream = listen('PoolPolicyChanges', { start: 1 });
    await mock.waitFor({ path: '/PoolPolicyChanges' });
    mock.fail({ stream: 'PoolPolicyChanges', grpcCode: 15 });
    await stream.done;
    expect(stream.error?.code).toBe('DATA_LOSS');
  });

  test('breaks as many streams as `times` says, and leaves requests alone', async () => {
    const { mock, listen } = await start();
    mock.fail({ stream: 'GetRole', grpcCode: 13, times: 2 });
    expect((await mock.fetch('http://mock.test/_api/version')).status).toBe(401);
    const codes: (string | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      const stream = listen('GetRole');
      await stream.done;
      codes.push(stream.error?.code);
    }
    expect(codes).toEqual(['INTERNAL', 'INTERNAL', undefined]);
  });

  test('is reported if it was never used', async () => {
    const { mock, listen } = await start();
    const undo = mock.fail({ stream: 'PoolRoleChanges', after: 3, grpcCode: 14 });
    expect(() => mock.assertFaultsUsed()).toThrow('PoolRoleChanges (gRPC code 14)');
    undo();
    mock.fail({ status: 503, times: 5 });
    const stream = listen('GetPolicy');
    await stream.done;
    expect(stream.error).toBeUndefined();
  });
});

describe('the clock', () => {
  // Real time passes, too: the rest is more than a busy machine takes for the lines between.
  test.each([
    ['PoolPolicyChanges', 60, '55s', '5s'],
    ['PoolRoleChanges', 60, '54s', '6s'],
  ] as const)('an empty message of %s comes when its timeout has passed', async (method, seconds, before, rest) => {
    const { mock, listen } = await start();
    const stream = listen(method, { start: 5, timeout: { seconds } });
    await mock.waitFor({ path: `/${method}` });
    await later(20);
    mock.clock.advance(before);
    await later(20);
    expect(stream.messages).toEqual([]);
    mock.clock.advance(rest);
    await heard(stream, 1);
    expect(stream.messages).toEqual([[]]);
  });
});

describe('snapshots of a mock with streams', () => {
  test('keep the changes; a restore ends the streams like a restart of the services', async () => {
    const { mock, listen, write } = await start();
    await write();
    const snapshot = mock.snapshot();
    await write();
    await write();
    const stream = listen('PoolPolicyChanges');
    await heard(stream, 1);
    expect(indexes(stream)).toEqual([1, 2, 3, 4]);
    mock.restore(snapshot);
    await stream.done;
    expect(stream.error).toEqual({ code: 'UNAVAILABLE', message: 'the mock was restored' });

    const after = listen('PoolPolicyChanges');
    await heard(after, 1);
    expect(indexes(after)).toEqual([1, 2]);
    await write();
    await heard(after, 2);
    expect(after.messages.at(-1)).toEqual([{ name: 'p', index: 3, item: { description: 'write 4' } }]);
  });

  test('a start beyond the newest index waits, also after a restore removed that index', async () => {
    const { mock, listen, write } = await start();
    const snapshot = mock.snapshot();
    await write();
    await write();
    mock.restore(snapshot);
    const [taken, unseen] = [listen('PoolPolicyChanges', { start: 3 }), listen('PoolPolicyChanges', { start: 4 })];
    await mock.waitFor({ path: '/PoolPolicyChanges' });
    mock.clock.advance('50m');
    await heard(taken, 1);
    expect(taken.messages).toEqual([[]]);
    for (let i = 0; i < 4; i++) await write();
    await expect.poll(() => [indexes(taken), indexes(unseen)]).toEqual([[4, 5], [5]]);
    expect(taken.error).toBeUndefined();
  });

  test('a state that was cloned for a snapshot is not written to afterwards', async () => {
    const { mock, listen, write } = await start();
    const snapshot = mock.snapshot();
    for (const round of [1, 2]) {
      await write();
      const stream = listen('PoolPolicyChanges');
      await heard(stream, 1);
      expect(indexes(stream), `round ${round}`).toEqual([1, 2]);
      mock.restore(snapshot);
    }
  });
});

describe('the request log of streams', () => {
  const shown = ({ method, path, status, user, decision, body }: Mock['requests'][number]) => ({
    method,
    path,
    status,
    user,
    decision,
    body,
  });

  test('has a stream once it is admitted or refused, with its request and without its token', async () => {
    const { mock, token, listen } = await start();
    const path = '/service.AuthorizationPoolService/PoolRoleChanges';
    listen('PoolRoleChanges', { start: 3, timeout: { seconds: 15 } });
    const request = await mock.waitFor({ path });
    expect(shown(request)).toEqual({
      method: 'POST',
      path,
      status: 200,
      user: undefined,
      decision: 'Allow',
      body: { start: 3, timeout: '15s' },
    });
    expect(request.headers).toEqual({ authorization: '<redacted>' });
    expect(JSON.stringify(mock.requests)).not.toContain(token);
  });

  test('has the status of a refusal', async () => {
    const mock = await createMock();
    onTestFinished(() => mock[Symbol.asyncDispose]());
    const open = poolInMemory(mock);
    await open('GetPolicy', {}, null).done;
    await open('PoolPolicyChanges', {}, await mock.tokens.issue({ user: 'nobody' })).done;
    mock.fail({ stream: 'GetRole', grpcCode: 14 });
    await open('GetRole', {}, await mock.tokens.issue()).done;
    expect(mock.requests.map(({ status, user, decision }) => [status, user, decision])).toEqual([
      [401, undefined, undefined],
      [403, 'nobody', 'Deny'],
      [503, undefined, undefined],
    ]);
  });
});

test('disposal of the mock ends its streams', async () => {
  const mock = await createMock();
  const stream = poolInMemory(mock)('PoolPolicyChanges', {}, await mock.tokens.issue({ user: null }));
  await mock.waitFor({ path: '/PoolPolicyChanges' });
  await mock[Symbol.asyncDispose]();
  await stream.done;
  expect(stream.error).toEqual({ code: 'UNAVAILABLE', message: 'the mock is closed' });
});
