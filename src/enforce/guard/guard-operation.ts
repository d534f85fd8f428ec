import { InvalidArgumentError } from '../../base/errors.js';
import { optional, type ReadersOf, readFields, strictObject } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import { findOperation } from '../../base/openapi-document/find-operation.js';
import type { OperationDocument } from '../../base/openapi-document/operation-types.js';
import { readOperations } from '../../base/openapi-document/operations.js';
import { readBasePath, sentSegments } from '../../base/openapi-document/sent-path.js';
import type { Guard } from './guard.js';
import type { RequestLike } from './guarded-request.js';
import { checkAll, denied, type OperationAccess, readChecks } from './operation-access.js';

/** Options of `guardOperation`. */
export interface OperationOptions {
  /** The prefix of the document's paths in requests, percent-encoded as it is sent: `/api`. Default none. */
  readonly basePath?: string | undefined;
}

/** Checks a request against the document of `guardOperation`. */
export type OperationCheck<Paths> = (request: RequestLike) => Promise<OperationAccess<Paths>>;

export const readOperationOptions = strictObject({
  basePath: optional(readBasePath, ''),
} satisfies ReadersOf<OperationOptions>);

/**
 * Creates a check of requests in front of a router, by the permissions of an OpenAPI document: `x-permission: { action,
 * resource }` of the operation, or `x-permission: public`. A request without a matching operation, or for an operation
 * without `x-permission`, is denied (403). Where you write the handlers, use `operationGuards` beside them: it need not
 * guess which handler the router runs.
 *
 * The path is read as it was sent, below `basePath`, and each segment is decoded once. A path that routers may read in
 * more than one way is denied: with an empty, `.`, `..` or undecodable segment, an encoded slash or a raw `;`; with
 * fixed text in another case or encoding than the document has it; or if it may match another path of the document with
 * another permission, unless it matches both exactly and one of them is more specific. HEAD needs all that HEAD and GET
 * of the matching paths need; headers that override the method are ignored. A value that contains `:` is denied,
 * because it would reach other resources, unless the resource says `{name*}`. A value is taken in one text only, which
 * depends on the type of the parameter: `7` for an integer, not `07`. `{name:text}` takes any text as it is. A list in
 * the path or the query needs the permission on the resource of each of its items, and is denied if it is empty.
 *
 * @param guard the guard that decides
 * @param document the service's OpenAPI document; with a type argument it must have its paths
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the place in the document: an invalid path or
 * `x-permission`, a resource with an unknown parameter, a schema that cannot be followed or that has no one text for
 * each value, two paths that match the same requests. The check rejects with it for a request without a method or a
 * URL.
 * @example
 * ```ts
 * import { createGuard, guardOperation } from 'arango-services/guard';
 *
 * const document = {
 *   paths: {
 *     '/orders/{id}': {
 *       parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
 *       get: { 'x-permission': { action: 'orders:read', resource: 'order:{id}' } },
 *     },
 *   },
 * };
 * const check = guardOperation(createGuard(client), document, { basePath: '/api' });
 *
 * export async function serve(request: Request): Promise<Response> {
 *   const access = await check(request); // GET /api/orders/7 needs orders:read on order:7
 *   return access.allowed ? Response.json(access.operation.parameters) : access.response;
 * }
 * ```
 */
export function guardOperation<Paths = unknown>(
  guard: Guard,
  document: NoInfer<OperationDocument<Paths>>,
  options: OperationOptions = {},
): OperationCheck<Paths> {
  const checks = readChecks(guard);
  const { basePath } = readFields(options, 'options', readOperationOptions);
  const base = basePath.split('/').slice(1);
  const paths = readOperations(document);

  return async (request) => {
    const fields: Partial<Record<string, unknown>> = isObject(request) ? request : {};
    const { method, url } = fields;
    if (typeof method !== 'string' || typeof url !== 'string') {
      throw new InvalidArgumentError('request', 'expected a Request, or an object with headers, method and url');
    }
    const sent = sentSegments(url, base);
    if (sent === undefined)
      return denied(request, 'the path is outside of basePath, or can be read in more than one way');
    const match = findOperation(paths, method, sent, /\?(.*)/s.exec(url)?.[1]);
    // The cast: the type argument describes the document.
    return (typeof match === 'string' ? denied(request, match) : checkAll(checks, request, match)) as Promise<
      OperationAccess<Paths>
    >;
  };
}
