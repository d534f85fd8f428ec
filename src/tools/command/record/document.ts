import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from '../../../base/errors.js';
import { readJsonFile } from '../../../base/lib/json-file.js';
import {
  type CheckedExchange,
  createDocumentCheck,
  type Verdict,
} from '../../../mock/adapters/node/playback/check-document.js';
import { jsonOf, textOf } from '../../../mock/recordings/body-bytes.js';
import { fileProblem } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { type Captured, headerOf } from './captured.js';

/** Finds the operation of an exchange, and what does not fit the document. */
export type DocumentCheck = (captured: Captured) => Promise<Verdict>;

const where = '--document';
/** The command comes with the package `yaml`, which this one depends on. */
const ofYaml = 'YAML is converted by: npx yaml --json --single < openapi.yaml > openapi.json';
const none: Verdict = { template: undefined, values: new Map(), problems: [] };

/** The body of an answer, as the handler of a service would give it. */
function answeredBody({ headers, body }: Captured['response']): unknown {
  if (body.length === 0) return undefined;
  const text = textOf(body);
  if (text === undefined) return body;
  return /[/+]json\b/i.test(headerOf(headers, 'content-type')) ? (jsonOf(text) ?? text) : text;
}

function asChecked({ method, path, query, request, response }: Captured): CheckedExchange {
  const headers = new Headers();
  for (const [name, value] of request.headers) headers.append(name, value);
  const type = headerOf(response.headers, 'content-type');
  return {
    method,
    path,
    query,
    headers,
    body: request.body,
    response: {
      status: response.status,
      headers: type === '' ? {} : { 'content-type': type },
      body: answeredBody(response),
    },
  };
}

/**
 * Reads an OpenAPI document.
 * @throws UsageError if it cannot be read or used, or `@cfworker/json-schema` is missing.
 */
export async function readDocument(file: string | undefined): Promise<DocumentCheck> {
  if (file === undefined) return async () => none;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileProblem(where, error);
  });
  const reading = readJsonFile(file, text);
  if ('problem' in reading) {
    const isJson = reading.problem.where !== file;
    throw new UsageError(isJson ? reading.problem : { where, message: `${reading.problem.message}; ${ofYaml}` });
  }
  const document = reading.value;
  try {
    const { openApiValidator } = await import('../../../mock/openapi/index.js');
    const check = createDocumentCheck(document, openApiValidator());
    return (captured) => check(asChecked(captured));
  } catch (error) {
    if (error instanceof InvalidArgumentError)
      throw new UsageError({ where, message: `${error.field}: ${error.problem}` });
    throw error;
  }
}
