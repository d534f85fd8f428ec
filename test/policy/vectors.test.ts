import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createEvaluator, type PolicyState } from '../../src/policy/index.ts';

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
    for (const [user, action, resource, effect, message] of cases) {
      const subject = user === null ? ({ superuser: true } as const) : { user };
      const { effect: got, message: text, allowed } = evaluator.evaluate({ ...subject, action, resource });
      const where = `line ${i + 1}: ${user} ${action} ${resource}`;
      expect({ where, effect: got, message: text, allowed }).toEqual({
        where,
        effect,
        message,
        allowed: effect === 'Allow',
      });
      count++;
    }
  }
  expect(count).toBe(9600);
});
