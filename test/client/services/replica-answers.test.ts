import { expect, test } from 'vitest';
import { createClient, isArangoServicesError } from '../../../src/index.ts';

const item = { action: 'a:b', resource: 'a:c' };
const alice = { user: 'alice' };

test.each([null, undefined, true, 'Allow', {}, { allowed: 'yes' }])('%j from a replica is an error', async (answer) => {
  const replica = { evaluate: () => answer, evaluateMany: () => answer };
  for (const onDecision of [undefined, () => undefined]) {
    // The cast: it returns what its type does not allow.
    const { authorization } = createClient({ url: 'http://localhost:1', replica, onDecision, retry: 0 } as never);
    for (const ask of [
      () => authorization.evaluate({ ...alice, ...item }),
      () => authorization.isAllowed({ ...alice, ...item }),
      () => authorization.assertAllowed({ ...alice, ...item }),
      () => authorization.evaluateMany({ ...alice, items: [item] }),
    ]) {
      const error: unknown = await ask().then(
        () => undefined,
        (failure) => failure,
      );
      expect(isArangoServicesError(error)).toBe(true);
      expect(String(error)).toMatch(/replica: expected a decision, got /);
    }
  }
});
