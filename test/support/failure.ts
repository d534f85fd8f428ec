import { expect } from 'vitest';
import { ArangoServicesError } from '../../src/index.ts';

/** The error that a call fails with; fails the test if it does not fail, or not with an error of the package. */
export async function failureOf(call: Promise<unknown>): Promise<ArangoServicesError & Record<string, unknown>> {
  const error = await call.then(
    (value) => expect.fail(`expected a failure, got ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ArangoServicesError);
  // The cast: the line above has checked it; tests read the fields of the classes below it.
  return error as ArangoServicesError & Record<string, unknown>;
}
