import { test } from 'vitest';
import { compareGuards } from '../enforce/guard/agreement.ts';

// Three ways to one decision: a rule that one of them lacks shows in rare questions only.
test('a guard over HTTP, a guard over an evaluator and mock.explain agree: 10 000 questions', async () => {
  await compareGuards(10_000);
});
