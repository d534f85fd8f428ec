import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { handlers } from '../../../src/mock/adapters/msw.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { caller } from '../../support/behaviour/check.ts';
import { checks } from '../../support/mock-behaviour.ts';

type Open = (mock: Mock) => Promise<ReturnType<typeof caller>>;

function runChecks(open: Open): void {
  test.each(checks)('$name', async ({ config, run }) => {
    await using mock = await createMock(config);
    await run({ mock, call: await open(mock) });
  });
}

test('there are at least sixty checks, with unique names', () => {
  expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
  expect(checks.length).toBeGreaterThanOrEqual(60);
});

describe('mock.fetch', () => {
  runChecks(async ({ connection }) => caller(connection.url, connection.fetch as typeof fetch));
});

describe('msw in Node', () => {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
  afterAll(() => server.close());

  runChecks(async (mock) => {
    server.resetHandlers(...handlers(mock));
    return caller(mock.connection.url, (...args) => fetch(...args));
  });
});

describe('the port', () => {
  runChecks(async (mock) => caller((await listen(mock)).url, fetch));
});
