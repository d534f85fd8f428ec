import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createEvaluator, explain, type PolicyState } from '../../src/policy/index.ts';

type Case = [user: string | null, action: string, resource: string, effect: string, message: string, explicit?: string];
interface Line extends PolicyState {
  readonly cases: readonly Case[];
}

const url = new URL('../vectors/evaluation-1.jsonl', import.meta.url);
const lines: Line[] = readFileSync(url, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

test('the evaluator decides and explains as the real one did in every recording', () => {
  const wrong: unknown[] = [];
  let count = 0;
  for (const [i, { cases, ...state }] of lines.entries()) {
    const evaluator = createEvaluator(state, { fidelity: 'sidecar' });
    for (const [user, action, resource, effect, message, mark] of cases) {
      const request = { ...(user === null ? ({ superuser: true } as const) : { user }), action, resource };
      const decision = evaluator.evaluate(request);
      // The explanation looks at the policies again, without the index: it must come to the same, and see each explicit
      // deny.
      const { by, explicit } = explain(evaluator, request);
      const expected = [effect, message, effect === 'Allow', message === 'Access Granted', mark === 'explicit'];
      const got = [decision.effect, decision.message, decision.allowed, by?.outcome === 'allowed', explicit];
      if (expected.some((value, at) => value !== got[at])) wrong.push({ line: i + 1, request, expected, got });
      count++;
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBe(9600);
});
