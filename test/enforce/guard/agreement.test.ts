import { test } from 'vitest';
import { compareGuards } from './agreement.ts';

// test/deep/guard.test.ts asks ten times as many.
test('a guard over HTTP, a guard over an evaluator and mock.explain agree: 1 000 questions', async () => {
  await compareGuards(1_000, 20_261_121);
});
