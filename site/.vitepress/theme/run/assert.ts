// `node:assert/strict` in a page: what the docs' examples use of it.
import { format, isSame } from './format.ts';

function equal(actual: unknown, expected: unknown): void {
  if (!isSame(actual, expected)) throw new Error(`${format(actual)} is not ${format(expected)}`);
}

function ok(value: unknown): asserts value {
  if (!value) throw new Error(`${format(value)} is not true`);
}

export default Object.assign(ok, { ok, equal, deepEqual: equal, strictEqual: equal, deepStrictEqual: equal });
