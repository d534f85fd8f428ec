import { InvalidArgumentError } from '../../../base/errors.js';
import type { Context } from './context.js';
import { fileProblem } from './read-files.js';
import { readJson } from './read-json.js';
import { UsageError } from './usage-error.js';

/** The largest document, in bytes. */
const mostBytes = 100_000_000;

/**
 * Reads the OpenAPI document that the first argument names.
 * @throws UsageError if it cannot be read, or if `read` refuses it.
 */
export async function readDocumentWith<T>(
  { operands: [file = ''], inputs }: Pick<Context, 'operands' | 'inputs'>,
  read: (document: unknown) => T,
): Promise<T> {
  const bytes = await inputs.read('<openapi.json>', file, mostBytes).catch((error: unknown) => {
    throw fileProblem(file, error);
  });
  try {
    return read(readJson(file, bytes.toString('utf8')));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UsageError({ where: file, message: error.message });
  }
}
