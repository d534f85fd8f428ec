import { expect, test } from 'vitest';
import type { Mock } from '../../../src/mock/index.ts';
import { probe, ways } from './support.ts';

const none = { authentication: { mode: 'None' } } as const;
const bytes = (text: string) => new TextEncoder().encode(text);

/** Adds a service whose answer, or its second half, comes when the returned function is called. */
function addSlow(mock: Mock, streams: boolean): () => void {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const rest = streams ? undefined : released;
  mock.service('probe', {
    '/x': {
      get: async () => {
        await rest;
        return new Response(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(bytes('one '));
              await released;
              controller.enqueue(bytes('two'));
              controller.close();
            },
          }),
        );
      },
    },
  });
  return release;
}

test.each(ways)(
  'the gateway answers 504 if a service takes longer than the route’s timeout, through %s',
  async (_, open) => {
    const { mock, send } = await open(none);
    const release = addSlow(mock, false);
    mock.fail({ path: probe, timeoutMs: 30 });
    const answer = await send(probe);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      504,
      'text/plain',
      'upstream request timeout',
    ]);
    mock.assertFaultsUsed();
    release();
    expect(await (await send(probe)).text()).toBe('one two');
  },
);

test.each(ways)(
  'the gateway cuts off a stream that takes longer than the route’s timeout, through %s',
  async (_, open) => {
    const { mock, send } = await open(none);
    const release = addSlow(mock, true);
    mock.fail({ path: probe, timeoutMs: 60_000 });
    const answer = await send(probe);
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('one ');
    mock.clock.advance('59s');
    mock.clock.advance('1s'); // The mock's clock counts, too.
    await expect(reader?.read()).rejects.toThrow('terminated');
    release();
  },
);

test.each(ways)('the gateway passes on the whole of an answer in time, through %s', async (_, open) => {
  const { mock, send } = await open(none);
  const release = addSlow(mock, true);
  mock.fail({ path: probe, timeoutMs: 5_000 });
  const answer = await send(probe);
  release();
  expect(await answer.text()).toBe('one two');
});

test.each(ways)('a scripted delay counts for the route’s timeout, through %s', async (_, open) => {
  const { mock, send } = await open(none);
  addSlow(mock, false)();
  mock.fail({ path: probe, delayMs: 5_000, timeoutMs: 10 });
  expect((await send(probe)).status).toBe(504);
});
