import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createEvaluator, explain, type PolicyState } from '../../../src/policy/index.ts';

type Case = [user: string | null, action: string, resource: string, effect: string, message: string, explicit?: string];
interface Line extends PolicyState {
  readonly cases: readonly Case[];
}

const read = (name: string): Line[] =>
  readFileSync(new URL(`../../vectors/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test.each([
  ['evaluation-1', 9_600],
  ['evaluation-odd', 3_600],
])('the evaluator decides and explains like the real one in every recording: %s', (name, cases) => {
  const wrong: unknown[] = [];
  let count = 0;
  for (const [i, { cases, ...state }] of read(name).entries()) {
    const evaluator = createEvaluator(state, { fidelity: 'sidecar' });
    for (const [user, action, resource, effect, message, mark] of cases) {
      const request = { ...(user === null ? ({ superuser: true } as const) : { user }), action, resource };
      const decision = evaluator.evaluate(request);
      // `explain` evaluates the policies again, without the index: it must agree, and find each explicit deny.
      const { by, explicit } = explain(evaluator, request);
      // Only one of the recordings tells which denials were explicit.
      const marked = name === 'evaluation-1' ? mark === 'explicit' : explicit;
      const expected = [effect, message, effect === 'Allow', message === 'Access Granted', marked];
      const got = [decision.effect, decision.message, decision.allowed, by?.outcome === 'allowed', explicit];
      if (expected.some((value, at) => value !== got[at])) wrong.push({ line: i + 1, request, expected, got });
      count++;
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBe(cases);
});
