import { expect, test } from 'vitest';
import { readDecisions } from '../../../src/policy/decisions/index.js';
import { createEvaluator } from '../../../src/policy/index.js';
import { example } from '../../../src/tools/playground/example.js';
import { sampleLog } from '../../../src/tools/playground/sample-log.js';

test('the sample is a log of the platform that the example decides the same way, with lines to skip', async () => {
  const evaluator = createEvaluator(example);
  const log = readDecisions(sampleLog.read(new AbortController().signal), { from: 'platform' });
  const denied = new Set<string | undefined>();
  for await (const { decision } of log) {
    const { subject, action, resource, effect, enforced } = decision;
    expect(effect).toBe(evaluator.isAllowed({ user: subject.user ?? '', action, resource }) ? 'Allow' : 'Deny');
    expect(enforced).toBe(false);
    if (effect === 'Deny') denied.add(subject.user);
  }
  expect([...denied].sort()).toEqual(['alice', 'carol', 'nightly-report']);
  const { decisions, from, to, skipped, problem } = log.summary;
  expect([from?.slice(0, 10), to?.slice(0, 10), problem]).toEqual(['2026-11-16', '2026-11-18', undefined]);
  expect(decisions).toBeGreaterThan(1_000);
  expect(skipped.map(({ reason, count }) => [reason, count])).toEqual([
    ['foreign', 1],
    ['event', 1],
    ['debug', 1],
    ['incomplete', 1],
  ]);
});
