import { describe, test } from 'vitest';
import { createMock } from '../../src/mock/index.ts';
import { caller } from '../support/behaviour/check.ts';
import { checks } from '../support/mock-behaviour.ts';

describe('mock.fetch', () => {
  test.each(checks)('$name', async ({ config, run }) => {
    await using mock = await createMock(config);
    await run({ mock, call: caller(mock.connection.url, mock.connection.fetch as typeof fetch) });
  });
});
