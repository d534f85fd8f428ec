import { findOperation } from '../document/find-operation.js';
import type { OperationDocument, OperationIn } from '../document/operation-types.js';
import { readOperations } from '../document/operations.js';
import { resourceOf } from '../document/permission.js';
import { readBasePath, sentSegments } from '../document/sent-path.js';
import { InvalidArgumentError } from '../errors.js';
import { optional, readArgument, readFields, strictObject, withMethods } from '../lib/readers.js';
import { isObject } from '../lib/values.js';
import { type Granted, type Refused, toRefused } from './access.js';
import { answer } from './answers.js';
import type { Guard } from './guard.js';
import type { RequestLike } from './guarded-request.js';

/** Options of `guardOperation`. */
export interface OperationOptions {
  /** The prefix of the document's paths in requests, percent-encoded as it is sent: `/api`. Default none. */
  readonly basePath?: string | undefined;
}

/** Access to an operation was granted. */
export interface OperationGranted<Paths> extends Granted {
  /** The operation and the values of its path parameters, decoded. */
  readonly operation: OperationIn<Paths>;
}

/** The operation is public: neither a token nor a permission was checked. */
export interface OperationPublic<Paths> {
  readonly allowed: true;
  readonly status: 200;
  readonly operation: OperationIn<Paths>;
  readonly token?: undefined;
  readonly user?: undefined;
  readonly groups?: undefined;
  readonly response?: undefined;
}

/** The result of a check by `guardOperation`. */
export type OperationAccess<Paths> =
  | OperationGranted<Paths>
  | OperationPublic<Paths>
  | (Refused & { readonly operation?: undefined });

/** Checks a request against the document of `guardOperation`. */
export type OperationCheck<Paths> = (request: RequestLike) => Promise<OperationAccess<Paths>>;

const readOptions = strictObject({ basePath: optional(readBasePath, '') });

/**
 * Creates a check of requests by the permissions of an OpenAPI document: `x-permission: { action, resource }` of the
 * operation, or `x-permission: public`. A request without a matching operation, or for an operation without
 * `x-permission`, is denied (403).
 *
 * The path is read as it was sent, below `basePath`, and each segment is decoded once. A path that can be read in more
 * than one way is denied: with an empty, `.`, `..` or undecodable segment, an encoded slash or a raw `;`, in another
 * case or encoding than the document has it, or if two paths with different permissions match and neither is more
 * specific. HEAD counts as GET; headers that override the method are ignored. A value that contains `:` is denied,
 * because it would reach other resources, unless the resource says `{name*}`; so is `07` for a number.
 *
 * @param guard the guard that decides
 * @param document the service's OpenAPI document; with a type argument it must have its paths
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the place in the document: an invalid path or
 * `x-permission`, a resource with an unknown parameter, two paths that match the same requests. The check rejects with
 * it for a request without a method or a URL.
 * @example
 * ```ts
 * import { createGuard, guardOperation } from 'arango-services/guard';
 *
 * const document = {
 *   paths: {
 *     '/orders/{id}': { get: { 'x-permission': { action: 'orders:read', resource: 'order:{id}' } } },
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
  const { check } = readArgument(guard, 'guard', withMethods<Guard>('a guard of createGuard', 'check'));
  const { basePath } = readFields(options, 'options', readOptions);
  const base = basePath.split('/').slice(1);
  const paths = readOperations(document);

  return async (request) => {
    const given: Partial<Record<string, unknown>> = isObject(request) ? request : {};
    const { method, url } = given;
    if (typeof method !== 'string' || typeof url !== 'string') {
      throw new InvalidArgumentError('request', 'expected a Request, or an object with headers, method and url');
    }
    const refuse = (why: string) => toRefused(answer(403), method.toUpperCase(), new TypeError(`denied: ${why}`));
    const sent = sentSegments(url, base);
    if (sent === undefined) return refuse('the path is outside of basePath, or can be read in more than one way');
    const found = findOperation(paths, method, sent);
    if (typeof found === 'string') return refuse(found);
    const { operation, values } = found;
    const { permission, path } = operation;
    if (permission === undefined) return refuse('the operation has no x-permission');
    // The cast: the type argument describes the document.
    const named = {
      method: operation.method,
      path,
      parameters: Object.fromEntries(values),
    } as unknown as OperationIn<Paths>;
    if (permission === 'public') return { allowed: true, status: 200, operation: named };
    const resource = resourceOf(permission, values);
    if (resource === undefined) return refuse('a parameter is empty, or could reach another resource');
    const access = await check.call(guard, request, { action: permission.action, resource });
    if (!access.allowed) return access;
    // Keeps the token, which is not enumerable.
    return Object.defineProperties({ operation: named }, Object.getOwnPropertyDescriptors(access)) as typeof access & {
      readonly operation: OperationIn<Paths>;
    };
  };
}
