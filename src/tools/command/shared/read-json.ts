import { readJsonFile } from '../../../base/lib/json-file.js';
import { UsageError } from './usage-error.js';

/**
 * Reads the text of a JSON file.
 * @throws UsageError with the place if it is not JSON, or if a key stands twice in one object.
 */
export function readJson(file: string, text: string): unknown {
  const reading = readJsonFile(file === '-' ? '<stdin>' : file, text);
  if ('problem' in reading) throw new UsageError(reading.problem);
  return reading.value;
}
