import { test } from 'vitest';
import { compareGuards } from '../guard/agreement.ts';

test('a guard over HTTP, a guard over an evaluator and mock.explain agree: 10 000 questions', async () => {
  await compareGuards(10_000);
});
