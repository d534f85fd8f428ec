// Runs the modules named as arguments (the docs' examples that run), one after the other. For each module `fetch` is
// replaced with a new mock, whose services match the examples. Exits with 1 and the failures.
import assert from 'node:assert/strict';
import { createPlatform, fetchAsAlice } from '../../scripts/lib/example-platform.ts';

Object.assign(globalThis, {
  assertSame(actual: unknown, expected: unknown, place: string) {
    assert.deepStrictEqual(
      actual,
      expected,
      `${place} is not ${JSON.stringify(expected)} but ${JSON.stringify(actual)}`,
    );
  },
});

for (const file of process.argv.slice(2)) {
  await using mock = await createPlatform();
  globalThis.fetch = await fetchAsAlice(mock);
  Object.assign(process.env, mock.env());
  try {
    await import(file);
  } catch (error) {
    console.error(file, error);
    process.exitCode = 1;
  }
}
