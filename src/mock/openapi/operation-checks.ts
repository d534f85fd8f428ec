import { isObject } from '../../base/lib/values.js';
import { follow } from '../../base/openapi-document/reference.js';
import { type CustomResponse, isStreamed, readAnswerHeaders } from '../kit/custom-handler.js';
import type { ServiceRequest } from '../kit/hosted/types.js';
import { exampleOf } from './examples.js';
import { coerce, deepObject, type Parameter, readParameters, readValue } from './parameters.js';
import type { Schemas, Violation } from './schemas.js';

const isJson = (type: string) => /^[^;]+[/+]json\s*(?:;|$)/i.test(type);
const essence = (type: string) => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Finds the entry of a `content` for a content type: the type itself, else a range. */
function mediaOf(content: Record<string, unknown>, type: string): Record<string, unknown> | undefined {
  const wanted = essence(type);
  const range = `${wanted.split('/', 1)[0]}/*`;
  const find = (name: string) => Object.entries(content).find(([key]) => essence(key) === name)?.[1];
  const media = find(wanted) ?? find(range) ?? find('*/*');
  return isObject(media) ? media : undefined;
}

const formatPlace = (place: Violation['place']) =>
  place.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text && `${text}.${key}`) || `${key}`,
    '',
  );

const within = (place: Violation['place'], found: readonly Violation[]): Violation[] =>
  found.map((one) => ({ ...one, place: [...place, ...one.place] }));

/** An operation, with the path item that has it. */
interface NamedOperation {
  /** Method and path. */
  readonly name: string;
  readonly item: Readonly<Record<string, unknown>>;
  readonly operation: Readonly<Record<string, unknown>>;
}

export class OperationChecks {
  readonly #document: unknown;
  readonly #name: string;
  readonly #parameters: readonly Parameter[];
  readonly #operation: Readonly<Record<string, unknown>>;
  readonly #responses: Readonly<Record<string, unknown>>;
  readonly #schemas: { readonly request: Schemas; readonly response: Schemas };

  constructor(
    document: unknown,
    { name, item, operation }: NamedOperation,
    schemas: { readonly request: Schemas; readonly response: Schemas },
  ) {
    this.#document = document;
    this.#name = name;
    this.#operation = operation;
    this.#parameters = readParameters(document, item.parameters ?? [], operation.parameters ?? []);
    this.#responses = isObject(operation.responses) ? operation.responses : {};
    this.#schemas = schemas;
  }

  /** Returns the request with its values in the document's types, or the answer that refuses it. */
  request(given: ServiceRequest): ServiceRequest | CustomResponse {
    const violations: Violation[] = [];
    const values = { path: { ...given.path }, query: { ...given.query } };
    for (const parameter of this.#parameters) {
      const { name, in: place, required, schema } = parameter;
      const value = this.#valueOf(parameter, given);
      if (value === undefined) {
        if (required) violations.push({ place: [place, name], keyword: 'required', message: 'Field required' });
        continue;
      }
      if (place !== 'header') values[place][name] = value;
      violations.push(...within([place, name], this.#schemas.request.check(value, schema)));
    }
    const body = this.#readBody(given);
    violations.push(...within(['body'], body.violations));
    return violations.length === 0 ? { ...given, ...values, body: body.value } : this.#refuse(violations);
  }

  /** Returns the response, or a 500 that names the operation and the place that does not fit. */
  response(response: CustomResponse): CustomResponse | Promise<CustomResponse> {
    if (!(response instanceof Response)) {
      const { status = 200, headers, body } = response;
      const type = readAnswerHeaders(headers).get('content-type') ?? undefined;
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
      .json()
      .then(
        (body: unknown) => this.#wrong(response.status, type, body) ?? response,
        () => this.#failure(response.status, 'body: not JSON'),
      );
  }

  /** Creates an answer from the examples of the first success; undefined if there is none. */
  example(): CustomResponse | undefined {
    const key = Object.keys(this.#responses).find((name) => /^2/.test(name)) ?? 'default';
    const response = follow(this.#document, this.#responses[key]);
    if (response === undefined) return undefined;
    const status = /^\d{3}$/.test(key) ? Number(key) : 200;
    if (response.content === undefined) return { status };
    const found = exampleOf(this.#document, response.content);
    return found && { status, headers: { 'content-type': found.type }, body: found.value };
  }

  #valueOf(parameter: Parameter, { path, request }: ServiceRequest): unknown {
    const { name, in: place, style } = parameter;
    if (style === 'deepObject') return deepObject(this.#document, parameter, request.query);
    const text = place === 'path' ? path[name] : request.headers.get(name);
    const texts = place === 'query' ? request.query.getAll(name) : typeof text === 'string' ? [text] : [];
    return readValue(this.#document, parameter, texts);
  }

  #readBody({ body: given, request }: ServiceRequest): { readonly value: unknown; readonly violations: Violation[] } {
    const { content, required } = follow(this.#document, this.#operation.requestBody) ?? {};
    if (!isObject(content)) return { value: given, violations: [] };
    const wrong = (keyword: string, message: string) => ({
      value: given,
      violations: [{ place: [], keyword, message }],
    });
    if (given === undefined)
      return required === true ? wrong('required', 'Field required') : { value: given, violations: [] };
    const type = request.headers.get('content-type') ?? '';
    const media = mediaOf(content, type);
    if (media === undefined) {
      return wrong('content', `The content type is not one of ${Object.keys(content).join(', ')}.`);
    }
    if (isJson(type)) {
      if (typeof given === 'string' && !isJsonText(request.body, given))
        return wrong('json', 'The body is not valid JSON.');
      return { value: given, violations: this.#schemas.request.check(given, media.schema) };
    }
    if (essence(type) === 'application/x-www-form-urlencoded' && typeof given === 'string') {
      const { properties } = follow(this.#document, media.schema) ?? {};
      const fields = [...new URLSearchParams(given)].map(([name, text]) => [
        name,
        coerce(this.#document, text, isObject(properties) ? properties[name] : undefined),
      ]);
      const value: unknown = Object.fromEntries(fields);
      return { value, violations: this.#schemas.request.check(value, media.schema) };
    }
    const isText = typeof given === 'string' && essence(type).startsWith('text/');
    return { value: given, violations: isText ? this.#schemas.request.check(given, media.schema) : [] };
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
    const given =
      this.#responses[status] ??
      this.#responses[range] ??
      this.#responses[range.toLowerCase()] ??
      this.#responses.default;
    const response = follow(this.#document, given);
    if (response === undefined) return this.#failure(status, 'status: the document does not have it');
    const { content } = response;
    if (!isObject(content))
      return body === undefined ? undefined : this.#failure(status, 'body: the document has none');
    if (body === undefined && type !== undefined && isJson(type)) return this.#failure(status, 'body: Field required');
    if (type === undefined) return undefined;
    const media = mediaOf(content, type);
    if (media === undefined) {
      return this.#failure(status, `headers.content-type: expected one of ${Object.keys(content).join(', ')}`);
    }
    const isChecked = isWhole && (isJson(type) || typeof body === 'string');
    const [first] = isChecked ? within(['body'], this.#schemas.response.check(body, media.schema)) : [];
    return first && this.#failure(status, `${formatPlace(first.place)}: ${first.message}`);
  }

  #failure(status: number, what: string): CustomResponse {
    const message = `the answer ${status} of ${this.#name} does not fit the document: ${what}`;
    return { status: 500, body: { code: 500, message, details: [] } };
  }
}

const isBytes = (body: unknown) => ArrayBuffer.isView(body) || body instanceof ArrayBuffer;

/** The body of a request is text if it could not be parsed; a JSON string is text, too. */
function isJsonText(body: unknown, given: string): boolean {
  if (body !== given) return true;
  try {
    return JSON.parse(given) !== undefined;
  } catch {
    return /^[^{[]/.test(given);
  }
}
