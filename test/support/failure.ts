import { expect } from 'vitest';
import { ArangoServicesError } from '../../src/index.ts';

/** Returns the error of a call; fails the test unless the call rejects with an error of the package. */
export async function failureOf(call: Promise<unknown>): Promise<ArangoServicesError & Record<string, unknown>> {
  const error = await call.then(
    (value) => expect.fail(`expected a failure, got ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ArangoServicesError);
  // The cast: checked above; tests read the fields of subclasses.
  return error as ArangoServicesError & Record<string, unknown>;
}
