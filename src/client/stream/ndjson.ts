import { ParseError, SchemaError } from '../../base/errors.js';
import type { ByteSource } from '../../base/lib/chunks.js';
import { type SchemaOutput, type StandardSchema, validateBody } from '../connection/schema.js';
import { type LineOptions, readLines } from './lines.js';

const asItIs = (text: string): string => text;

/**
 * Iterates over the values of a body with one JSON value a line (NDJSON, JSON Lines). Empty lines are skipped. Leaving
 * the loop cancels the body.
 * @param body the body of a response with `responseType: 'stream'`
 * @param schema any Standard Schema; validates and types each value
 * @param options see {@link LineOptions}
 * @throws ParseError (code `PARSE`) and SchemaError (code `SCHEMA`), both with the number of the line; the body's
 * own error.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { ndjson } from 'arango-services/stream';
 * import * as z from 'zod/mini';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * const { body } = await client.route('orders').with({ responseType: 'stream' }).get('export');
 * for await (const order of ndjson(body, z.object({ id: z.string() }))) console.log(order.id);
 * ```
 */
export function ndjson(
  body: ByteSource,
  schema?: undefined,
  options?: LineOptions,
): AsyncGenerator<unknown, void, undefined>;
export function ndjson<S extends StandardSchema>(
  body: ByteSource,
  schema: S,
  options?: LineOptions,
): AsyncGenerator<SchemaOutput<S>, void, undefined>;
export async function* ndjson(
  body: ByteSource,
  schema?: StandardSchema,
  options: LineOptions = {},
): AsyncGenerator<unknown, void, undefined> {
  let line = 0;
  for await (const text of readLines(body, options)) {
    line += 1;
    if (text.trim() === '') continue;
    let value: unknown;
    try {
      // A byte order mark is ignored, as JSON permits: files that were joined have one in the middle.
      value = JSON.parse(text.replace(/^\uFEFF/, ''));
    } catch {
      throw new ParseError({}, undefined, text, { line, problem: 'is not valid JSON' });
    }
    yield schema === undefined ? value : await validated(schema, value, line);
  }
}

async function validated(schema: StandardSchema, value: unknown, line: number): Promise<unknown> {
  try {
    return await validateBody(schema, value, {}, asItIs);
  } catch (error) {
    if (error instanceof SchemaError) throw new SchemaError({}, error.issues, error.schemaIssues, line);
    throw error;
  }
}
