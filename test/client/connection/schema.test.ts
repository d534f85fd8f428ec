import { describe, expect, test } from 'vitest';
import type { StandardSchema } from '../../../src/client/connection/schema.ts';
import { createClient, isSchemaError } from '../../../src/index.ts';

const canary = 'canary-in-a-body';
const orders = createClient({ url: 'http://a.test', fetch: async () => Response.json({ note: canary }) }).route(
  'orders',
);
const failureOf = (schema: StandardSchema) =>
  orders
    .with({ schema })
    .get()
    .then(undefined, (error: unknown) => error);
const schemaThat = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate },
});

describe('A schema that throws', () => {
  test.each<[what: string, validate: StandardSchema['~standard']['validate']]>([
    [
      'throws',
      () => {
        throw new Error(canary);
      },
    ],
    ['rejects', async () => Promise.reject(canary)],
    ['returns neither a value nor issues', () => ({}) as never],
  ])('and %s is reported without its message', async (_what, validate) => {
    const error = await failureOf(schemaThat(validate));
    expect(isSchemaError(error) && error.issues).toEqual([{ message: 'the schema failed', path: [] }]);
    expect(String(error)).toMatch(/unexpected body: the schema failed$/);
    expect(JSON.stringify(error)).not.toContain(canary);
  });
});

test.each([[null], ['text'], [{}], [{ '~standard': null }], [{ '~standard': { version: 1 } }]])(
  'rejects the schema %j by its name',
  (schema) => {
    expect(() => orders.with({ schema: schema as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'schema' }),
    );
  },
);
