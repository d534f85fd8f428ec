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

test('every recorded decision of the real evaluator', () => {
  let count = 0;
  for (const [i, { cases, ...state }] of lines.entries()) {
    const evaluator = createEvaluator(state, { fidelity: 'sidecar' });
    for (const [user, action, resource, effect, message, explicit] of cases) {
      const subject = user === null ? ({ superuser: true } as const) : { user };
      const request = { ...subject, action, resource };
      const where = `line ${i + 1}: ${user} ${action} ${resource}`;
      const decision = { effect, message, allowed: effect === 'Allow' };
      expect({ where, ...evaluator.evaluate(request) }).toEqual({ where, ...decision });
      // The explanation looks at the policies again, without the index: it must come to the same, and see each explicit deny.
      const { by, ...explanation } = explain(evaluator, request);
      expect({ where, by: by?.outcome, explicit: explanation.explicit }).toEqual({
        where,
        by: message === 'Access Granted' ? 'allowed' : undefined,
        explicit: explicit === 'explicit',
      });
      count++;
    }
  }
  expect(count).toBe(9600);
});
