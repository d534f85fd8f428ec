import { expect, test } from 'vitest';
import { createArgumentCalls } from './support/argument-calls.ts';
import { messageOf } from './support/option-calls.ts';

// A misspelt key of an argument, and an option that is passed in the wrong argument, are refused by name: ignored, they
// would change an answer without a word.

const calls = await createArgumentCalls();

/** Arguments that are not checked for other keys, each with the reason. */
const ignoring = new Set([
  // Each question of a program passes here; a field that is not read never allows more.
  ...['evaluator.evaluate', 'evaluator.evaluateMany', 'explain request', 'replica.evaluate'],
  // Items as the services store them, which newer services may extend.
  ...['evaluator.setPolicy', 'evaluator.setRole', 'evaluator.setBinding'],
  // Documents have any fields, and requests and parameters are those of frameworks. The parts that decide are checked.
  ...['guardOperation document', 'guardOperation request', 'operationGuards document', 'operationGuards parsed'],
  // What `readTests` returns, which checks the file.
  'runTests tests',
  // The low-level call; those of `Route` are checked.
  'connection.send',
  // A plan is data, as a file holds it.
  'apply plan',
  // The result of a write, with whatever else it has.
  'replica.reached',
]);

test.each(Object.entries(calls).filter(([name]) => !ignoring.has(name)))(
  '%s refuses an unknown option and an option in the wrong place',
  async (_, argument) => {
    const { valid, call, unknown, misplaced } = argument;
    for (const key of [unknown, misplaced]) {
      expect(await messageOf(call, { ...valid, [key]: 'canary' })).toMatch(
        new RegExp(`\\b${key}: (?:unknown|is an option)`),
      );
    }
    // Without the key, the argument is accepted or refused for another reason.
    expect(String(await messageOf(call, valid))).not.toMatch(/unknown|is an option/);
  },
);

test('arguments that are not checked accept other keys', async () => {
  for (const name of ignoring) {
    const { valid, call, misplaced } = calls[name] ?? expect.fail(name);
    expect(String(await messageOf(call, { ...valid, [misplaced]: 'canary' }))).not.toContain(misplaced);
  }
});
