import { InvalidArgumentError } from '../../../../base/errors.js';
import { isObject } from '../../../../base/lib/values.js';
import { readPaths } from '../../../../base/openapi-document/document-paths.js';
import { findOperation } from '../../../../base/openapi-document/find-operation.js';
import { sentSegments } from '../../../../base/openapi-document/sent-path.js';
import type { CustomResponse } from '../../../kit/custom-handler.js';
import type {
  ServiceHandler,
  ServiceHandlers,
  ServiceRequest,
  ServiceValidator,
} from '../../../kit/hosted/service-types.js';
import { withFields } from '../../../kit/shown-headers.js';
import { jsonOf, textOf } from '../../../recordings/body-bytes.js';
import type { RecordedPart, Recording } from '../../../recordings/recording-format.js';
import { Bindings } from '../../../recordings/references.js';
import { answerOf } from './recorded-answer.js';

/** An exchange that is checked against a document. */
export interface CheckedExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly response: CustomResponse;
}

/** The operation of a request, and what does not fit the document. */
export interface Verdict {
  readonly template: string | undefined;
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/** The message of an answer that refuses a request, or of a 500 that stands for an invalid answer. */
async function messageOf(answer: CustomResponse): Promise<string> {
  const body: unknown = answer instanceof Response ? await answer.clone().json() : answer.body;
  const { message, detail } = isObject(body) ? body : {};
  const [first] = Array.isArray(detail) ? detail : [];
  if (typeof message === 'string') return message;
  return isObject(first) ? `${[first.loc].flat().join('.')}: ${first.msg}` : 'does not fit the document';
}

const statusOf = ({ status = 200 }: CustomResponse): number => status;

/** The query as handlers get it: a repeated parameter has a list. */
const queryOf = (query: URLSearchParams) =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)] as const));

const bodyOf = (body: Buffer): unknown => {
  if (body.length === 0) return undefined;
  const text = textOf(body);
  return text === undefined ? body : (jsonOf(text) ?? text);
};

/** Makes the check of exchanges by a document; throws InvalidArgumentError for a document that cannot be used. */
export function createDocumentCheck(
  document: unknown,
  validator: ServiceValidator,
): (exchange: CheckedExchange) => Promise<Verdict> {
  // Permissions do not count: without one, every operation would be denied.
  const paths = readPaths(document, () => 'public');
  // A function of each operation that answers with the recorded response, which the validator wraps.
  let answer: CustomResponse = {};
  let isAsked = false;
  const handler: ServiceHandler = () => {
    isAsked = true;
    return answer;
  };
  const handlers: ServiceHandlers = Object.fromEntries(
    paths.map(({ path, operations }) => [
      path,
      Object.fromEntries([...operations.keys()].map((method) => [method, handler])),
    ]),
  );
  const wrapped = validator.wrap(handlers, { document });
  // Exchanges are checked one at a time, because the handlers share the answer.
  let last: Promise<unknown> = Promise.resolve();
  const check = async ({ method, path, query, headers, body, response }: CheckedExchange): Promise<Verdict> => {
    const match = findOperation(paths, method, sentSegments(path, []) ?? []);
    if (typeof match === 'string') return { template: undefined, values: new Map(), problems: [match] };
    const { operation, values } = match;
    const read = bodyOf(body);
    const search = new URLSearchParams(query);
    const request: ServiceRequest = {
      path: Object.fromEntries(values),
      query: queryOf(search),
      body: read,
      user: undefined,
      request: {
        method,
        path,
        params: {},
        query: search,
        search: query,
        headers: withFields(headers),
        body: read,
        user: undefined,
      },
    };
    answer = response;
    isAsked = false;
    const checked = await wrapped[operation.path]?.[operation.method]?.(request);
    const { path: template } = operation;
    if (checked === undefined || checked === response) return { template, values, problems: [] };
    if (isAsked) return { template, values, problems: [await messageOf(checked)] };
    // The service refused the request, too.
    if (statusOf(response) >= 400 && statusOf(response) < 500) return { template, values, problems: [] };
    return { template, values, problems: [`the request does not fit the document: ${await messageOf(checked)}`] };
  };
  return (exchange) => {
    const checked = last.then(() => check(exchange));
    last = checked.catch(() => {});
    return checked;
  };
}

const multipart = 'multipart/form-data; boundary=recorded';

/** The bytes of a recorded form. */
const formOf = (parts: readonly RecordedPart[], bindings: Bindings): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => {
      const { name, filename, type } = part;
      const quoted = (text: string) => text.replaceAll('"', '%22');
      const file = filename === undefined ? '' : `; filename="${quoted(filename)}"`;
      const ofType = type === undefined ? '' : `\r\ncontent-type: ${type}`;
      const head = `--recorded\r\ncontent-disposition: form-data; name="${quoted(name)}"${file}${ofType}\r\n\r\n`;
      return [Buffer.from(head), bytesOf(part, bindings), Buffer.from('\r\n')];
    }),
    Buffer.from('--recorded--\r\n'),
  ]);

/** The body of a recorded request, as it was sent. */
const requestBody = ({ request }: Recording, bindings: Bindings): Buffer =>
  request.parts === undefined ? bytesOf(request, bindings) : formOf(request.parts, bindings);

function bytesOf(
  { json, text, base64, bytes }: Omit<RecordedPart, 'name' | 'filename' | 'type'>,
  bindings: Bindings,
): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  if (bytes !== undefined) return Buffer.alloc(bytes.length);
  return Buffer.from(json === undefined ? bindings.fill(text ?? '') : JSON.stringify(bindings.fillJson(json)));
}

/** Checks recordings by a document, with values for their references. Rejects with InvalidArgumentError. */
export async function checkRecordings(
  recordings: readonly Recording[],
  document: unknown,
  validator: ServiceValidator,
): Promise<void> {
  const check = createDocumentCheck(document, validator);
  for (const recording of recordings) {
    const bindings = new Bindings();
    const { method, path, query, request, file } = recording;
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.append(name, [value].flat().join(', '));
    if (request.parts !== undefined) headers.set('content-type', multipart);
    const { problems } = await check({
      method,
      path: bindings.fill(path),
      query: bindings.fill(query),
      headers,
      body: requestBody(recording, bindings),
      response: answerOf(recording, false, bindings),
    });
    if (problems.length > 0) throw new InvalidArgumentError(file, problems.join('; '));
  }
}
