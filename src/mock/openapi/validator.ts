import { InvalidArgumentError } from '../../base/errors.js';
import { expected, optionsOf, type ReadersOf, readFields, readFlag } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import { readPaths } from '../../base/openapi-document/document-paths.js';
import type {
  MockServiceOptions,
  ServiceHandler,
  ServiceHandlers,
  ServiceMethod,
  ServiceValidator,
} from '../kit/hosted/service-types.js';
import { OperationChecks } from './operation-checks.js';
import { Schemas } from './schemas.js';

/** Options of {@link openApiValidator}. */
export interface ValidatorOptions {
  /**
   * True if handlers may have operations that the document lacks, like those of a probe; their requests and answers are
   * not checked. Default `false`: such a handler is an error.
   */
  readonly otherPaths?: boolean | undefined;
}

export const readValidatorOptions = optionsOf({ otherPaths: readFlag } satisfies ReadersOf<ValidatorOptions>);

/**
 * Creates the validator for the option `validate` of `mock.service`: it checks requests and answers by the service's
 * OpenAPI document, 3.0 or 3.1, and takes answers from its examples. It needs `@cfworker/json-schema`, and runs under a
 * Content Security Policy without `unsafe-eval`.
 *
 * An invalid request gets a 400 that names the place, or a 422 in FastAPI's form if the document has a 422 for the
 * operation. An invalid answer of a handler becomes a 500 whose message names the operation and the place. Handlers get
 * the values of parameters in the types of the document.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
 * @example
 * ```ts
 * import { createMock } from 'arango-services/mock';
 * import { openApiValidator } from 'arango-services/mock/openapi';
 *
 * const document = {
 *   openapi: '3.1.0',
 *   paths: {
 *     '/orders/{id}': {
 *       get: {
 *         parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
 *         responses: { 200: { description: 'The order' } },
 *       },
 *     },
 *   },
 * };
 * const mock = await createMock();
 * mock.service('orders', {}, { document, validate: openApiValidator(), examples: true });
 * ```
 */
export function openApiValidator(options: ValidatorOptions = {}): ServiceValidator {
  const { otherPaths = false } = readFields(options, 'options', readValidatorOptions);
  return { wrap: (handlers, service) => wrap(handlers, service, otherPaths) };
}

/** Adds the checks to the handlers, and handlers for the other operations of the document. */
function wrap(
  handlers: ServiceHandlers,
  { document, examples }: MockServiceOptions,
  otherPaths: boolean,
): ServiceHandlers {
  if (!isObject(document)) throw expected('options.document', 'an OpenAPI document for `validate`', document);
  const version = document.openapi;
  if (typeof version !== 'string' || !/^3\.[01]\./.test(version)) {
    throw new InvalidArgumentError('options.document.openapi', 'expected a version 3.0 or 3.1');
  }
  const schemas = { request: new Schemas(document, 'request'), response: new Schemas(document, 'response') };
  const wrapped = new Map<string, Record<string, ServiceHandler>>();
  const unknown = new Map(
    Object.entries(handlers).flatMap(([path, item]) =>
      Object.entries(item).map(([method, handler]) => [`${method} ${path}`, [path, method, handler]] as const),
    ),
  );
  const all = (path: string): Record<string, ServiceHandler> => {
    const methods = wrapped.get(path) ?? {};
    wrapped.set(path, methods);
    return methods;
  };
  for (const { path, item, operations } of readPaths(document)) {
    for (const method of operations.keys()) {
      const operation = item[method];
      unknown.delete(`${method} ${path}`);
      const pathHandlers = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
      const custom = pathHandlers?.[method as ServiceMethod];
      // The mock serves only templates whose parameters are whole segments.
      const isServed = !/[^/]\{|\}[^/]/.test(path);
      if (!isObject(operation) || !(custom || isServed)) continue;
      const name = `${method.toUpperCase()} ${path}`;
      const checks = new OperationChecks(document, { name, path, item, operation }, schemas);
      const missing = { status: 501, body: { detail: `the mock has no handler for ${name}` } };
      const handler = custom ?? (async () => (examples === true && (await checks.example())) || missing);
      all(path)[method] = async (request) => {
        const checked = await checks.request(request);
        if (!('request' in checked)) return checked;
        const response = await handler(checked);
        return response === missing ? response : checks.response(response);
      };
    }
  }
  for (const [name, [path, method, handler]] of unknown) {
    if (!otherPaths) {
      const problem = `the document has no operation ${name}; openApiValidator({ otherPaths: true }) lets it in`;
      throw new InvalidArgumentError('handlers', problem);
    }
    all(path)[method] = handler;
  }
  return Object.fromEntries(wrapped);
}
