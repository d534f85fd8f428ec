import { describe, expect, test } from 'vitest';
import { countedSignal } from '../../support/counted-signal.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver, type Sent } from './support.ts';

interface Body {
  readonly items?: readonly { readonly action: string }[];
  readonly action?: string;
}

/** Allows actions that begin with `yes:`. */
const decide = ({ body }: Sent) => {
  const { items, action } = body as Body;
  const judge = (one: string | undefined) => ({ effect: one?.startsWith('yes:') ? 'Allow' : 'Deny', message: one });
  if (items === undefined) return judge(action);
  const all = items.map((item) => judge(item.action));
  return { effect: all.every(({ effect }) => effect === 'Allow') ? 'Allow' : 'Deny', items: all };
};
const ask = (user: string, action: string) => ({ user, action, resource: 'r' });

test('calls of one tick for one subject are one request, in order', async () => {
  const { client, sent } = clientOver(decide, { batch: true });
  const { authorization } = client;
  const answers = await Promise.all([
    authorization.evaluate(ask('a', 'yes:1')),
    authorization.isAllowed(ask('a', 'no:2')),
    authorization.isAllowed(ask('b', 'yes:3')),
    authorization.evaluate({ ...ask('a', 'yes:4'), roles: ['r'] }),
    authorization.evaluate({ token: 't', action: 'no:5', resource: '' }),
    authorization.evaluate({ token: 't', action: 'yes:6', resource: '' }),
    authorization.isAllowed(ask('a', 'yes:7')),
  ]);
  expect(answers.map((answer) => (typeof answer === 'boolean' ? answer : [answer.allowed, answer.message]))).toEqual([
    [true, 'yes:1'],
    false,
    true,
    [true, 'yes:4'],
    [false, 'no:5'],
    [true, 'yes:6'],
    true,
  ]);
  const path = (name: string) => `/_integration/authorization/v1/${name}`;
  expect(sent.map((one) => [one.path, (one.body as Body).items?.length])).toEqual([
    [path('evaluate-many'), 3],
    [path('evaluate'), undefined],
    [path('evaluate'), undefined],
    [path('evaluate-token-many'), 2],
  ]);
  await authorization.evaluate(ask('a', 'yes:8'));
  expect(sent).toHaveLength(5);
});

test('without batch each call is a request', async () => {
  const { client, sent } = clientOver(decide);
  await Promise.all([client.authorization.isAllowed(ask('a', 'x:1')), client.authorization.isAllowed(ask('a', 'x:2'))]);
  expect(sent).toHaveLength(2);
});

test('more than 1000 items are split, in one call as in a batch', async () => {
  const { client, sent } = clientOver(decide, { batch: true });
  const actions = Array.from({ length: 2_500 }, (_, index) => `${index % 2 ? 'yes' : 'no'}:${index}`);
  const batched = await Promise.all(actions.map((action) => client.authorization.isAllowed(ask('a', action))));
  expect(batched).toEqual(actions.map((action) => action.startsWith('yes')));
  const many = await client.authorization.evaluateMany({
    user: 'a',
    items: actions.map((action) => ({ action, resource: '' })),
  });
  expect(many.items.map(({ message }) => message)).toEqual(actions);
  expect(many.allowed).toBe(false);
  const yes = Array.from({ length: 1_001 }, () => ({ action: 'yes:x', resource: '' }));
  expect((await client.authorization.evaluateMany({ user: 'a', items: yes })).allowed).toBe(true);
  expect(sent.map(({ body }) => (body as Body).items?.length)).toEqual([1000, 1000, 500, 1000, 1000, 500, 1000, 1]);
});

test('one aborted caller does not affect the others; when all have aborted, the request is cancelled', async () => {
  let cancelled: AbortSignal | undefined;
  let answer = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { client } = clientOver(decide, {
    batch: true,
    fetch: async (_url, init) => {
      cancelled = init.signal ?? undefined;
      await gate;
      return Response.json({ effect: 'Deny', items: [{ effect: 'Allow' }, { effect: 'Deny' }] });
    },
  });
  const { authorization } = client;
  const [first, second] = [new AbortController(), new AbortController()];
  const one = failureOf(authorization.isAllowed(ask('a', 'yes:1'), { signal: first.signal }));
  const two = authorization.isAllowed(ask('a', 'no:2'), { signal: second.signal });
  await Promise.resolve();
  first.abort('mine');
  expect(await one).toMatchObject({ code: 'ABORTED', cause: 'mine', path: '/_integration/authorization/v1/evaluate' });
  await expect.poll(() => cancelled?.aborted).toBe(false);
  answer();
  expect(await two).toBe(false);

  const hanging = clientOver(() => new Promise(() => undefined), { batch: true });
  const controller = new AbortController();
  const three = failureOf(hanging.client.authorization.isAllowed(ask('a', 'x:1'), { signal: controller.signal }));
  controller.abort();
  expect((await three).code).toBe('ABORTED');
  const before = await failureOf(
    hanging.client.authorization.isAllowed(ask('a', 'x:1'), { signal: AbortSignal.abort() }),
  );
  expect(before.code).toBe('ABORTED');
});

test('a failure reaches every call of the batch', async () => {
  const { client } = clientOver(() => new Response('{"code":13}', { status: 500 }), { batch: true });
  const calls = ['a:1', 'a:2'].map((action) => failureOf(client.authorization.isAllowed(ask('a', action))));
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([500, 500]);
});

test('a timeout of a call applies in a batch', async () => {
  const { client } = clientOver(() => new Promise(() => undefined), { batch: true });
  const error = await failureOf(client.authorization.isAllowed(ask('a', 'x:1'), { timeout: 10 }));
  expect(error.code).toBe('TIMEOUT');
});

describe('cancellation', () => {
  /** A batching client whose requests hang; `signals` are those passed to `fetch`. */
  const hanging = () => {
    const signals: AbortSignal[] = [];
    const { client } = clientOver(decide, {
      batch: true,
      fetch: (_url, { signal }) => {
        if (signal) signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    const { authorization } = client;
    const controllers = [new AbortController(), new AbortController()];
    const calls = controllers.map(({ signal }, index) =>
      failureOf(authorization.isAllowed(ask('a', `x:${index}`), { signal })),
    );
    return { signals, controllers, calls };
  };

  test('the request continues while any caller waits, and is cancelled with the last one', async () => {
    const { signals, controllers, calls } = hanging();
    await expect.poll(() => signals.length).toBe(1);
    controllers[0]?.abort();
    expect((await calls[0])?.code).toBe('ABORTED');
    expect(signals[0]?.aborted).toBe(false);
    controllers[1]?.abort();
    expect((await calls[1])?.code).toBe('ABORTED');
    expect(signals[0]?.aborted).toBe(true);
  });

  test('calls that all abort in the same tick send nothing', async () => {
    const { signals, controllers, calls } = hanging();
    for (const controller of controllers) controller.abort();
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['ABORTED', 'ABORTED']);
    expect(signals).toEqual([]);
  });

  test('a call whose signal is already aborted adds nothing to the request', async () => {
    const { client, sent } = clientOver(decide, { batch: true });
    const { authorization } = client;
    const aborted = failureOf(authorization.isAllowed(ask('a', 'x:1'), { signal: AbortSignal.abort() }));
    expect(await authorization.isAllowed(ask('a', 'yes:2'))).toBe(true);
    expect((await aborted).code).toBe('ABORTED');
    expect(sent.map(({ body }) => (body as Body).action)).toEqual(['yes:2']);
  });

  test('many calls with one signal add one listener to it, and remove it', async () => {
    const { client } = clientOver(decide, { batch: true });
    const signal = countedSignal();
    const calls = Array.from({ length: 30 }, (_, index) =>
      client.authorization.isAllowed(ask('a', `yes:${index}`), { signal }),
    );
    expect(signal.listeners.size).toBe(1);
    expect(await Promise.all(calls)).toEqual(Array(30).fill(true));
    expect(signal.listeners.size).toBe(0);
  });
});

test('calls with different headers are not batched; those with a headers function never are', async () => {
  const { client, sent } = clientOver(decide, { batch: true });
  const { authorization } = client;
  const call = (action: string, headers: Record<string, string> | (() => Record<string, string>)) =>
    authorization.isAllowed(ask('a', action), { headers });
  await Promise.all([
    call('yes:1', { 'x-trace': 'one' }),
    call('yes:2', { 'x-trace': 'one' }),
    call('yes:3', { 'x-trace': 'two' }),
    call('yes:4', () => ({ 'x-trace': 'three' })),
    call('yes:5', () => ({ 'x-trace': 'four' })),
  ]);
  const traces = sent.map(({ headers, body }) => [headers.get('x-trace'), (body as Body).items?.length ?? 1]);
  expect(traces.sort()).toEqual([
    ['four', 1],
    ['one', 2],
    ['three', 1],
    ['two', 1],
  ]);
});
