import { InvalidArgumentError } from '../../base/errors.js';
import { expected } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type {
  OperationDocument,
  OperationIn,
  OperationKey,
  ParameterNames,
} from '../../base/openapi-document/operation-types.js';
import { readOperations } from '../../base/openapi-document/operations.js';
import type { DocumentOperation } from '../../base/openapi-document/paths.js';
import { requiredBy } from '../../base/openapi-document/permission.js';
import { isNumberText } from '../../base/openapi-document/value-forms.js';
import type { Guard } from './guard.js';
import type { GuardedRequest } from './guarded-request.js';
import { checkAll, denied, type OperationAccess, readCheck } from './operation-access.js';

/** The path parameters of an operation, as its handler receives them; others are ignored. */
export type OperationParameters<Key extends string> = [ParameterNames<Key>] extends [never]
  ? readonly [parsed?: { readonly params?: object }]
  : readonly [parsed: { readonly params: { readonly [Name in ParameterNames<Key>]: string | number | boolean } }];

/** The operation that a key like `GET /orders/{id}` selects from the document's `paths`. */
export type OperationOfKey<Paths, Key> = unknown extends Paths
  ? OperationIn
  : Extract<OperationIn<Paths>, Key extends `${infer M} ${infer P}` ? { method: Lowercase<M>; path: P } : never>;

/** The check of one operation, for its handler. */
export interface OperationGuard<Paths, Key extends string> {
  /**
   * Checks that the sender of a request may use the operation with these parameters.
   * @param request a `Request`, an `IncomingMessage`, `Headers`, or a record of headers
   * @param parsed `params`: the path parameters that the framework has parsed, decoded; text, numbers or booleans
   * @returns `allowed`, else a `response` as of `guard.check`. A parameter that is empty, in another spelling than the
   * one of its type (`07` for a number) or could reach another resource (a `:`) is denied (403).
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection, for a parameter that is missing, or neither
   * text nor a number nor a boolean.
   */
  check(
    request: GuardedRequest,
    ...parsed: OperationParameters<Key>
  ): Promise<OperationAccess<Paths, OperationOfKey<Paths, Key>>>;
}

/** The checks of a document's operations. Created by `operationGuards`. */
export interface OperationGuards<Paths = unknown> {
  /**
   * Returns the check of an operation by its method and path: `GET /orders/{id}`. Call it once for each handler, at
   * start.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an operation that the document does not have.
   */
  for<const Key extends OperationKey<Paths>>(key: Key): OperationGuard<Paths, Key>;
  /** Returns the keys of the operations that `for` was never called with: those without a check. */
  unguarded(): OperationKey<Paths>[];
}

/**
 * Reads the values of parameters as texts. A number that is not exact has lost digits of the text that it was parsed
 * from, so it counts as empty, which is denied.
 */
function readParameters(names: readonly string[], parsed: unknown): Map<string, string> {
  const params = isObject(parsed) && isObject(parsed.params) ? parsed.params : {};
  return new Map(
    names.map((name) => {
      const value = Object.hasOwn(params, name) ? params[name] : undefined;
      if (typeof value === 'string') return [name, value];
      if (typeof value === 'number') return [name, isNumberText(`${value}`) ? `${value}` : ''];
      if (typeof value === 'boolean') return [name, `${value}`];
      throw expected(`params.${name}`, 'text, a number or a boolean', value);
    }),
  );
}

/**
 * Creates the checks of a document's operations for their handlers: each checks `x-permission` of its operation with
 * the parameters that the framework has parsed. So the permission is always that of the handler that runs, however the
 * framework reads paths.
 *
 * @param guard the guard that decides
 * @param document the service's OpenAPI document; with a type argument, keys and parameters are those of its paths
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the place in the document: an invalid path or
 * `x-permission`, a resource with an unknown parameter, a schema that cannot be followed or that has no one text for
 * each value.
 * @example
 * ```ts
 * import { createGuard, operationGuards } from 'arango-services/guard';
 *
 * const document = {
 *   paths: {
 *     '/orders/{id}': {
 *       parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
 *       get: { 'x-permission': { action: 'orders:read', resource: 'order:{id}' } },
 *     },
 *   },
 * };
 * const operations = operationGuards(createGuard(client), document);
 * const getOrder = operations.for('GET /orders/{id}');
 *
 * // The handler of GET /orders/:id in any framework.
 * export async function handle(request: Request, params: { id: string }): Promise<Response> {
 *   const access = await getOrder.check(request, { params }); // needs orders:read on order:7
 *   return access.allowed ? Response.json({ id: params.id }) : access.response;
 * }
 * console.log(operations.unguarded()); // []
 * ```
 */
export function operationGuards<Paths = unknown>(
  guard: Guard,
  document: NoInfer<OperationDocument<Paths>>,
): OperationGuards<Paths> {
  const checkOne = readCheck(guard);
  const operations = new Map<string, { operation: DocumentOperation; names: readonly string[] }>(
    readOperations(document).flatMap(({ template, operations }) =>
      [...operations.values()].map((operation) => {
        const { method, path } = operation;
        return [`${method.toUpperCase()} ${path}`, { operation, names: template.names }] as const;
      }),
    ),
  );
  const unguarded = new Set(operations.keys());
  // The cast: the type argument describes the document.
  return {
    for(key: string) {
      const found = operations.get(key);
      if (found === undefined) {
        throw new InvalidArgumentError('key', 'expected an operation of the document, like "GET /orders/{id}"');
      }
      unguarded.delete(key);
      const { operation, names } = found;
      return {
        async check(request: GuardedRequest, parsed?: unknown) {
          const values = readParameters(names, parsed);
          const needs = requiredBy(operation.permission, values);
          return typeof needs === 'string'
            ? denied(request, needs)
            : checkAll(checkOne, request, { operation, values, needs });
        },
      };
    },
    unguarded: () => [...unguarded],
  } as unknown as OperationGuards<Paths>;
}
