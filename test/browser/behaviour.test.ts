import { createMock } from 'arango-services/mock';
import { handlers } from 'arango-services/mock/msw';
import { setupWorker } from 'msw/browser';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { caller } from '../support/behaviour/check.ts';
import { checks } from '../support/mock-behaviour.ts';

const worker = setupWorker();

beforeAll(async () => {
  await worker.start({ onUnhandledFrame: 'bypass', quiet: true });
});
afterAll(() => worker.stop());

describe('msw in Chromium', () => {
  test.each(checks)('$name', async ({ config, run }) => {
    await using mock = await createMock(config);
    worker.resetHandlers(...handlers(mock));
    await run({ mock, call: caller(mock.connection.url, (...args) => fetch(...args)) });
  });
});
