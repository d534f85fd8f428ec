import { isObject } from '../../base/lib/values.js';
import { type DocumentParameter, readParameters } from '../../base/openapi-document/document-parameters.js';
import type { Shape } from '../../base/openapi-document/parameter-style.js';
import { readParameter } from '../../base/openapi-document/read-parameter.js';
import { readPairs } from '../../base/openapi-document/read-texts.js';
import { follow } from '../../base/openapi-document/reference.js';
import type { ServiceRequest } from '../kit/hosted/service-types.js';
import { type Conversion, convert, parseJson } from './convert.js';
import { essence, isJson, isTextSchema, mediaOf } from './media.js';
import type { Schemas, Violation } from './schemas.js';

/** An operation, with the path item that has it. */
export interface NamedOperation {
  /** Method and path. */
  readonly name: string;
  readonly path: string;
  readonly item: Readonly<Record<string, unknown>>;
  readonly operation: Readonly<Record<string, unknown>>;
}

const within = (place: Violation['place'], violations: readonly Violation[]): Violation[] =>
  violations.map((fault) => ({ ...fault, place: [...place, ...fault.place] }));

/** Reads requests of an operation as its document describes them. */
export class RequestReader {
  readonly #parameters: readonly DocumentParameter[];
  readonly #conversion: Conversion;
  readonly #schemas: Schemas;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #segments: readonly string[];

  /** @throws InvalidArgumentError naming a parameter whose style is not supported. */
  constructor(document: unknown, { name, path, item, operation }: NamedOperation, schemas: Schemas) {
    this.#parameters = readParameters(document, name, item.parameters ?? [], operation.parameters ?? []);
    this.#conversion = { document, fits: (value, schema) => schemas.check(value, schema).length === 0 };
    this.#schemas = schemas;
    this.#body = follow(document, operation.requestBody) ?? {};
    this.#segments = path.split('/');
  }

  /** Returns the request with its values in the document's types, and what does not fit. */
  async read(request: ServiceRequest): Promise<{ readonly request: ServiceRequest; readonly violations: Violation[] }> {
    const violations: Violation[] = [];
    const values = { path: new Map<string, unknown>(), query: new Map<string, unknown>() };
    const valueIn = this.#values(request);
    for (const parameter of this.#parameters) {
      const { name, in: place, required, schema, allowsEmpty } = parameter;
      const value = valueIn(parameter);
      if (value === undefined) {
        if (required) violations.push({ place: [place, name], keyword: 'required', message: 'Field required' });
        continue;
      }
      if (place === 'path' || place === 'query') values[place].set(name, value);
      if (!(allowsEmpty && value === '')) violations.push(...within([place, name], this.#schemas.check(value, schema)));
    }
    const body = await this.#readBody(request);
    violations.push(...within(['body'], body.violations));
    const path = { ...request.path, ...Object.fromEntries(values.path) };
    const query = { ...request.query, ...Object.fromEntries(values.query) };
    return { request: { ...request, path, query, body: body.value }, violations };
  }

  /** Returns a reader of the parameters of one request. */
  #values({ path, request }: ServiceRequest): (parameter: DocumentParameter) => unknown {
    const query = readPairs(request.search, '&');
    const cookies = readPairs(request.headers.get('cookie') ?? '', ';');
    const sent = request.path.split('/');
    const names = new Set(this.#parameters.flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : [])));
    return (parameter) => {
      const { name, in: place, style, schema } = parameter;
      const index = this.#segments.indexOf(`{${name}}`);
      const carrier = {
        path: () => sent[index] ?? encodeURIComponent(String(path[name])),
        header: () => request.headers.get(name),
        query: () => query,
        cookie: () => cookies,
      }[place]();
      const read = (shape: Shape) => readParameter(parameter, shape, carrier, names);
      if (style !== 'json') return convert(this.#conversion, schema, read);
      const text = read('value');
      return typeof text === 'string' ? parseJson(text) : undefined;
    };
  }

  async #readBody({ body, request }: ServiceRequest): Promise<{ value: unknown; violations: Violation[] }> {
    const { content, required } = this.#body;
    const fits = { value: body, violations: [] };
    const wrong = (keyword: string, message: string) => ({
      value: body,
      violations: [{ place: [], keyword, message }],
    });
    if (!isObject(content)) return fits;
    if (body === undefined) return required === true ? wrong('required', 'Field required') : fits;
    const type = request.headers.get('content-type') ?? '';
    const media = mediaOf(content, type);
    if (media === undefined) {
      return wrong('content', `The content type is not one of ${Object.keys(content).join(', ')}.`);
    }
    const check = (value: unknown) => this.#schemas.check(value, media.schema);
    if (isJson(type)) {
      const isText = typeof body === 'string' && !isJsonText(body);
      return isText ? wrong('json', 'The body is not valid JSON.') : { value: body, violations: check(body) };
    }
    const isMultipart = essence(type) === 'multipart/form-data';
    if (isMultipart || essence(type) === 'application/x-www-form-urlencoded') {
      // Few operations have forms. The cast: the body of one is text or bytes, or JSON like the form `7`.
      const { readForm, readMultipart } = await import('./form-body.js');
      const value = isMultipart
        ? await readMultipart(this.#conversion, media, body as BodyInit, type)
        : readForm(this.#conversion, media, String(body));
      if (value === undefined)
        return wrong('multipart', 'The body is not a form with the boundary of its content type.');
      return { value: isMultipart ? body : value, violations: check(value) };
    }
    const isText = essence(type).startsWith('text/') && isTextSchema(this.#conversion.document, media.schema);
    return typeof body === 'string' && isText ? { value: body, violations: check(body) } : fits;
  }
}

/** The body of a request is text if it could not be parsed; a JSON string is text, too. */
function isJsonText(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return !/^[{[]/.test(text);
  }
}
