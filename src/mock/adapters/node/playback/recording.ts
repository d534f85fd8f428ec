import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidArgumentError } from '../../../../errors.js';
import {
  accepting,
  anyText,
  asGiven,
  listOf,
  optional,
  type ReadFields,
  readArgument,
  strictObject,
  wholeNumber,
} from '../../../../lib/readers.js';
import { readFault } from '../../../../lib/system-errors.js';
import { isObject } from '../../../../lib/values.js';

const longestWaitMs = 600_000;
const mostChunks = 100_000;

/** The fields of a body: at most one of them is present. */
const bodyReaders = { json: asGiven, text: optional(anyText), base64: optional(anyText) };
const readHeaders = accepting<Readonly<Record<string, string>>>(
  'an object of strings',
  (value) => isObject(value) && Object.values(value).every((text) => typeof text === 'string'),
);
const chunkReader = strictObject({
  afterMs: optional(wholeNumber('milliseconds', 0, longestWaitMs), 0),
  text: optional(anyText),
  base64: optional(anyText),
});

/** A recorded exchange with a service, as its file holds it. */
const readRecording = strictObject({
  method: accepting<string>('a method like "GET"', (value) => typeof value === 'string' && /^[A-Z]+$/.test(value)),
  path: accepting<string>('a path like "/orders/7"', (value) => typeof value === 'string' && /^\/[^?#]*$/.test(value)),
  query: optional(anyText, ''),
  request: optional(strictObject(bodyReaders), { json: undefined, text: undefined, base64: undefined }),
  response: strictObject({
    ...bodyReaders,
    status: wholeNumber('a status', 200, 599),
    headers: optional(readHeaders, {}),
    chunks: optional(listOf(chunkReader, mostChunks)),
  }),
});

export type RecordedBody = ReadFields<typeof bodyReaders>;
export type Chunk = Readonly<ReturnType<typeof chunkReader>>;

/** A recording, with the name of its file. */
export type Recording = ReturnType<typeof readRecording> & { readonly file: string };

/** Refuses bodies of two kinds: only one could be sent. */
function checkBody(body: object, field: string): void {
  const given = Object.entries(body).filter(
    ([name, value]) => value !== undefined && ['json', 'text', 'base64', 'chunks'].includes(name),
  );
  if (given.length > 1)
    throw new InvalidArgumentError(field, `expected one of ${given.map(([name]) => name).join(' and ')}, got both`);
}

async function readOne(folder: string, file: string): Promise<Recording> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(join(folder, file), 'utf8'));
  } catch (error) {
    // Errors of JSON.parse quote the text.
    throw new InvalidArgumentError(file, error instanceof SyntaxError ? 'expected JSON' : readFault(error));
  }
  const recording = readArgument(value, file, readRecording);
  checkBody(recording.request, `${file}.request`);
  checkBody(recording.response, `${file}.response`);
  return { ...recording, file };
}

/**
 * Reads the recordings of a folder, one from each `.json` file, in the order of the names.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the folder, or the file and the field.
 */
export async function readRecordings(folder: string): Promise<readonly Recording[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new InvalidArgumentError('folder', readFault(error));
  });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  if (files.length === 0) throw new InvalidArgumentError('folder', 'has no recordings: expected files named *.json');
  return Promise.all(files.map((file) => readOne(folder, file)));
}
