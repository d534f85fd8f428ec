import { isObject } from '../../base/lib/values.js';
import { follow } from '../../base/openapi-document/reference.js';
import { type CustomResponse, isStreamed, readResponseHeaders } from '../kit/custom-handler.js';
import type { ServiceRequest } from '../kit/hosted/service-types.js';
import { hasNoBody } from '../wire/http.js';
import { isJson, isTextSchema, mediaOf } from './media.js';
import { type NamedOperation, RequestReader } from './request-reader.js';
import type { Schemas, Violation } from './schemas.js';

const formatPlace = (place: Violation['place']) =>
  place.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text && `${text}.${key}`) || `${key}`,
    '',
  );

export class OperationChecks {
  readonly #document: unknown;
  readonly #name: string;
  readonly #requests: RequestReader;
  readonly #responses: Readonly<Record<string, unknown>>;
  readonly #schemas: Schemas;
  /** True for an operation whose guard may refuse, which documents often leave out. */
  readonly #isGuarded: boolean;

  constructor(
    document: unknown,
    named: NamedOperation,
    schemas: { readonly request: Schemas; readonly response: Schemas },
  ) {
    this.#document = document;
    this.#name = named.name;
    this.#requests = new RequestReader(document, named, schemas.request);
    this.#responses = isObject(named.operation.responses) ? named.operation.responses : {};
    this.#schemas = schemas.response;
    this.#isGuarded = isObject(named.operation['x-permission']);
  }

  /** Returns the request with its values in the document's types, or the answer that refuses it. */
  async request(original: ServiceRequest): Promise<ServiceRequest | CustomResponse> {
    const { request, violations } = await this.#requests.read(original);
    return violations.length === 0 ? request : this.#refuse(violations);
  }

  /** Returns the response, or a 500 that names the operation and the place that does not fit. */
  response(response: CustomResponse): CustomResponse | Promise<CustomResponse> {
    if (!(response instanceof Response)) {
      const { status = 200, headers, body } = response;
      const type = readResponseHeaders(headers).get('content-type') ?? undefined;
      // Nothing of a stream is read before it is sent.
      if (isStreamed(body)) return this.#wrong(status, type, body, false) ?? response;
      // Bytes without a type may be anything.
      const usual = isBytes(body) ? undefined : typeof body === 'string' ? 'text/plain' : 'application/json';
      return this.#wrong(status, type ?? usual, body) ?? response;
    }
    if (response.type === 'error' || response.body === null)
      return this.#wrong(response.status, undefined, undefined) ?? response;
    const type = response.headers.get('content-type') ?? '';
    if (!isJson(type)) return this.#wrong(response.status, type, undefined) ?? response;
    return response
      .clone()
      .text()
      .then(
        (body) => this.#wrong(response.status, type, body) ?? response,
        () => this.#failure(response.status, 'body: not JSON'),
      );
  }

  /** Creates an answer from the examples of the first success; undefined if there is none. */
  async example(): Promise<CustomResponse | undefined> {
    const key = Object.keys(this.#responses).find((name) => /^2/.test(name)) ?? 'default';
    const response = follow(this.#document, this.#responses[key]);
    if (response === undefined) return undefined;
    const status = /^\d{3}$/.test(key) ? Number(key) : 200;
    if (response.content === undefined) return { status };
    // Few validators answer by examples.
    const { exampleOf } = await import('./examples.js');
    const example = exampleOf(this.#document, response.content);
    if (example === undefined) return undefined;
    const { type, value } = example;
    // A handler's text is sent as it is, which is not JSON.
    const body = typeof value === 'string' && isJson(type) ? JSON.stringify(value) : value;
    return { status, headers: { 'content-type': type }, body };
  }

  /** 422 in FastAPI's form if the document has a 422, else 400. */
  #refuse(violations: readonly Violation[]): CustomResponse {
    const detail = violations.map(({ place, keyword, message }) => ({
      type: keyword === 'required' ? 'missing' : keyword,
      loc: place,
      msg: message,
    }));
    if (this.#responses[422] !== undefined) return { status: 422, body: { detail } };
    const [{ place, message } = { place: [], message: '' }] = violations;
    return { status: 400, body: { code: 400, message: `${formatPlace(place)}: ${message}`, details: detail } };
  }

  /** `isWhole` is false for a body of which only the type can be checked. */
  #wrong(status: number, type: string | undefined, body: unknown, isWhole = true): CustomResponse | undefined {
    const range = `${Math.floor(status / 100)}XX`;
    const entry =
      this.#responses[status] ??
      this.#responses[range] ??
      this.#responses[range.toLowerCase()] ??
      this.#responses.default;
    const response = follow(this.#document, entry);
    const mayRefuse = this.#isGuarded && this.#responses[status] === undefined && [401, 403, 503].includes(status);
    if (mayRefuse && (response === undefined || isRefusal(body))) return undefined;
    if (response === undefined) return this.#failure(status, 'status: the document does not have it');
    const { content } = response;
    // Responses with these statuses have no body, whatever the document says.
    if (body === undefined && hasNoBody(status)) return undefined;
    if (!isObject(content) || (body === undefined && Object.keys(content).length === 0))
      return body === undefined ? undefined : this.#failure(status, 'body: the document has none');
    if (body === undefined && type !== undefined && isJson(type)) return this.#failure(status, 'body: Field required');
    if (type === undefined) return undefined;
    const media = mediaOf(content, type);
    if (media === undefined) {
      return this.#failure(status, `headers.content-type: expected one of ${Object.keys(content).join(', ')}`);
    }
    // A text is not the value that the schema of events, lines of JSON or XML describes.
    const isText = typeof body === 'string' && isTextSchema(this.#document, media.schema);
    if (!isWhole || !(isJson(type) || isText)) return undefined;
    let sent: unknown = body;
    try {
      if (isJson(type)) sent = JSON.parse(jsonTextOf(body));
    } catch {
      return this.#failure(status, 'body: not JSON');
    }
    const [first] = this.#schemas.check(sent, media.schema);
    return first && this.#failure(status, `${formatPlace(['body', ...first.place])}: ${first.message}`);
  }

  #failure(status: number, what: string): CustomResponse {
    const message = `the answer ${status} of ${this.#name} does not fit the document: ${what}`;
    return { status: 500, body: { code: 500, message, details: [] } };
  }
}

const isBytes = (body: unknown): body is ArrayBuffer | ArrayBufferView<ArrayBuffer> =>
  ArrayBuffer.isView(body) || body instanceof ArrayBuffer;

/** The text of a body of JSON, as it is sent. */
const jsonTextOf = (body: unknown): string =>
  typeof body === 'string' ? body : isBytes(body) ? new TextDecoder().decode(body) : JSON.stringify(body);

/** True for the body of a guard's refusal, which a range or `default` of the document may not describe. */
function isRefusal(body: unknown): boolean {
  try {
    const { code, details } = Object(JSON.parse(jsonTextOf(body)));
    return [7, 14, 16].includes(code) && Array.isArray(details);
  } catch {
    return false;
  }
}
