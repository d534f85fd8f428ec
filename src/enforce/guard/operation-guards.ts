import { InvalidArgumentError } from '../../base/errors.js';
import { expected } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type { DocumentOperation } from '../../base/openapi-document/document-paths.js';
import type {
  OperationDocument,
  OperationIn,
  OperationKey,
  ParameterNames,
} from '../../base/openapi-document/operation-types.js';
import { readOperations } from '../../base/openapi-document/operations.js';
import { requiredBy } from '../../base/openapi-document/permission.js';
import type { ResourceParameter } from '../../base/openapi-document/resource-parameter.js';
import { isNumberText } from '../../base/openapi-document/value-forms.js';
import type { Guard } from './guard.js';
import type { GuardedRequest } from './guarded-request.js';
import { checkAll, denied, type OperationAccess, readChecks } from './operation-access.js';

/**
 * The parameters of an operation, as its handler receives them: all of the path, and of the query those that the
 * resource names. Other parameters of the query are ignored.
 */
export type OperationParameters<Key extends string> = [ParameterNames<Key>] extends [never]
  ? readonly [parsed?: { readonly params?: object; readonly query?: unknown }]
  : readonly [
      parsed: {
        readonly params: {
          readonly [Name in ParameterNames<Key>]: string | number | boolean | readonly (string | number | boolean)[];
        };
        readonly query?: unknown;
      },
    ];

/** The operation that a key like `GET /orders/{id}` selects from the document's `paths`. */
export type OperationOfKey<Paths, Key> = unknown extends Paths
  ? OperationIn
  : Extract<OperationIn<Paths>, Key extends `${infer M} ${infer P}` ? { method: Lowercase<M>; path: P } : never>;

/** The check of one operation, for its handler. */
export interface OperationGuard<Paths, Key extends string> {
  /**
   * Checks that the sender of a request may use the operation with these parameters.
   * @param request a `Request`, an `IncomingMessage`, `Headers`, or a record of headers
   * @param parsed `params` and `query`: the parameters that the framework has parsed, decoded; text, numbers, booleans,
   * and lists of them where the document has a list
   * @returns `allowed`, else a `response` as of `guard.check`. A parameter that is empty, in another spelling than the
   * one of its type (`07` for a number) or could reach another resource (a `:`) is denied (403).
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection, for a parameter of the path that is missing,
   * or neither text nor a number nor a boolean.
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
 * The text of a value; undefined if it is neither text nor a number nor a boolean. A number that is not exact has lost
 * digits of the text that it was parsed from, so it counts as empty, which is denied.
 */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return isNumberText(`${value}`) ? `${value}` : '';
  return /^(?:string|boolean)$/.test(typeof value) ? `${value}` : undefined;
}

/** The texts of a parameter that a framework has read, one of each item of a list; undefined if one is undefined. */
function textsOf(of: unknown, name: string, isList: boolean): string | readonly string[] | undefined {
  const value = isObject(of) && Object.hasOwn(of, name) ? of[name] : undefined;
  if (!isList || !Array.isArray(value)) return textOf(value);
  const texts = value.map(textOf);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Reads the parameters that a framework has parsed: the `values` of the path, and all as they were `sent`, encoded. */
function readParsed(parsed: unknown, names: readonly string[], parts: readonly ResourceParameter[]) {
  const { params, query } = Object(parsed);
  const values = new Map<string, string>();
  const sent = new Map<string, string | readonly string[]>();
  // `requiredBy` decodes a text by its style, but not the items of a list.
  const send = (name: string, texts: string | readonly string[]) =>
    sent.set(name, typeof texts === 'string' ? texts.replace(/[%+ ]/g, encodeURIComponent) : texts);
  for (const name of names) {
    const isList = parts.some((part) => part.name === name && part.isList);
    const texts = textsOf(params, name, isList);
    if (texts === undefined) throw expected(`params.${name}`, 'text, a number or a boolean', Object(params)[name]);
    values.set(name, `${texts}`);
    send(name, texts);
  }
  // The caller chose the query: another value than texts counts as empty.
  for (const { name, in: place, isList } of parts)
    if (place === 'query') send(name, textsOf(query, name, isList) ?? '');
  return [values, sent] as const;
}

/**
 * Creates the checks of a document's operations for their handlers: each checks `x-permission` of its operation with
 * the parameters that the framework has parsed. So the permission is always that of the handler that runs, however the
 * framework reads paths. A list needs the permission on the resource of each item, and is denied if it is empty.
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
  const checks = readChecks(guard);
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
      const entry = operations.get(key);
      if (entry === undefined) {
        throw new InvalidArgumentError('key', 'expected an operation of the document, like "GET /orders/{id}"');
      }
      unguarded.delete(key);
      const { operation, names } = entry;
      const { permission } = operation;
      const parts = typeof permission === 'object' ? permission.parts.filter((part) => typeof part === 'object') : [];
      return {
        async check(request: GuardedRequest, parsed?: unknown) {
          const [values, sent] = readParsed(parsed, names, parts);
          const needs = requiredBy(permission, sent);
          return typeof needs === 'string'
            ? denied(request, needs)
            : checkAll(checks, request, { operation, values, needs });
        },
      };
    },
    unguarded: () => [...unguarded],
  } as unknown as OperationGuards<Paths>;
}
