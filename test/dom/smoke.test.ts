import { describe, test } from 'vitest';
import { inMemory } from '../runtimes/platform.ts';
import { smoke } from '../runtimes/smoke/index.ts';

describe('the smoke program of every runtime, in memory', () => {
  const program = smoke.filter(({ only }) => only !== 'port');

  test.each(program)('$name', async ({ run }) => {
    await run(await inMemory());
  });
});
