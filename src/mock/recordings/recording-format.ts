import { InvalidArgumentError } from '../../base/errors.js';
import { readJsonFile } from '../../base/lib/json-file.js';
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
} from '../../base/lib/readers.js';
import { isObject, isTexts } from '../../base/lib/values.js';

export const longestWaitMs = 600_000;
export const mostChunks = 100_000;
const mostParts = 1_000;

/** A body that is not kept: requests match by the digest, and answers have as many bytes. */
const digestReader = strictObject({
  length: wholeNumber('bytes', 1, 100_000_000),
  sha256: accepting<string>('64 hex digits', (value) => typeof value === 'string' && /^[\da-f]{64}$/.test(value)),
});
/** The fields of a body: at most one of them is present. */
const bodyReaders = {
  json: asGiven,
  text: optional(anyText),
  base64: optional(anyText),
  bytes: optional(digestReader),
};

/** A header that is sent more than once, such as `set-cookie`, has a list. */
export type RecordedHeaders = Readonly<Record<string, string | readonly string[]>>;

const readHeaders = accepting<RecordedHeaders>(
  'an object of strings, or of lists of strings',
  (value) => isObject(value) && Object.values(value).every((header) => typeof header === 'string' || isTexts(header)),
);
const chunkReader = strictObject({
  afterMs: optional(wholeNumber('milliseconds', 0, longestWaitMs), 0),
  text: optional(anyText),
  base64: optional(anyText),
});
/** A part of a multipart body; its boundary differs at each run, and is left out. */
const partReader = strictObject({
  name: anyText,
  filename: optional(anyText),
  type: optional(anyText),
  ...bodyReaders,
});
export const noBody = { json: undefined, text: undefined, base64: undefined, bytes: undefined };

/** A recorded exchange with a service, as its file holds it. */
const readFile = strictObject({
  method: accepting<string>('a method like "GET"', (value) => typeof value === 'string' && /^[A-Z]+$/.test(value)),
  path: accepting<string>('a path like "/orders/7"', (value) => typeof value === 'string' && /^\/[^?#]*$/.test(value)),
  template: optional(anyText),
  query: optional(anyText, ''),
  request: optional(
    strictObject({
      headers: optional(readHeaders, {}),
      ...bodyReaders,
      parts: optional(listOf(partReader, mostParts)),
    }),
    { headers: {}, ...noBody, parts: undefined },
  ),
  response: strictObject({
    ...bodyReaders,
    status: wholeNumber('a status', 200, 599),
    headers: optional(readHeaders, {}),
    chunks: optional(listOf(chunkReader, mostChunks)),
  }),
});

export type RecordedBody = ReadFields<typeof bodyReaders>;
export type Chunk = Readonly<ReturnType<typeof chunkReader>>;
export type RecordedPart = Readonly<ReturnType<typeof partReader>>;

/** An exchange in the form of its file. */
export type RecordedExchange = ReturnType<typeof readFile>;

/** A recording, with the name of its file. */
export type Recording = RecordedExchange & { readonly file: string };

/** Refuses bodies of two kinds: only one could be sent. */
function checkBody(body: object, field: string): void {
  const bodies = Object.entries(body).filter(
    ([name, value]) => value !== undefined && ['json', 'text', 'base64', 'bytes', 'chunks', 'parts'].includes(name),
  );
  if (bodies.length > 1)
    throw new InvalidArgumentError(field, `expected one of ${bodies.map(([name]) => name).join(' and ')}, got both`);
}

/** Reads the content of a file; throws InvalidArgumentError naming the file and the field. */
export function readRecording(text: string, file: string): Recording {
  const reading = readJsonFile(file, text);
  if ('problem' in reading) throw new InvalidArgumentError(reading.problem.where, reading.problem.message);
  const recording = readArgument(reading.value, file, readFile);
  checkBody(recording.request, `${file}.request`);
  checkBody(recording.response, `${file}.response`);
  return { ...recording, file };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (isObject(value) && Object.keys(value).length === 0);

/** The fields that hold something; a body keeps its empty text. */
const filled = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => name === 'json' || !isEmpty(value)));

/** The content of a file: an exchange without its empty fields. */
export function formatRecording({ method, template, path, query, request, response }: RecordedExchange): string {
  const { status, headers, chunks, ...body } = response;
  const present = (fields: object) => JSON.parse(JSON.stringify(filled(fields))) as object;
  const recording = {
    method,
    template,
    path,
    query,
    request: present(request),
    response: {
      status,
      ...present({ headers }),
      ...present(body),
      ...present({ chunks: chunks?.map(({ afterMs, ...chunk }) => (afterMs > 0 ? { afterMs, ...chunk } : chunk)) }),
    },
  };
  return `${JSON.stringify(filled(recording), undefined, 2)}\n`;
}
