import { InvalidArgumentError } from '../../base/errors.js';
import { listOf, readArgument, refuse } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type { DocumentOperation } from '../../base/openapi-document/document-paths.js';
import type { OperationDocument, OperationName } from '../../base/openapi-document/operation-types.js';
import { readOperations } from '../../base/openapi-document/operations.js';
import type { Permission, ResourcePart } from '../../base/openapi-document/permission.js';
import type { Policy } from '../../policy/model/model.js';

/** The permission that an operation needs. */
export interface OperationPermission {
  readonly method: OperationName['method'];
  /** The path template. */
  readonly path: string;
  readonly operationId?: string;
  /** True for `x-permission: public`. */
  readonly public: boolean;
  /** Undefined for a public operation, and for one without `x-permission`, which a guard denies. */
  readonly permission?: {
    readonly action: string;
    /** The resource as in the document, with its `{name}`s. */
    readonly resource: string;
  };
}

const allOf = (document: unknown): DocumentOperation[] =>
  readOperations(document).flatMap(({ operations }) => [...operations.values()]);

/**
 * Lists the operations of an OpenAPI document with the permissions that they need (`x-permission`).
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the place in the document.
 * @example
 * ```ts
 * import { permissionsOf } from 'arango-services/openapi';
 *
 * const document = {
 *   paths: {
 *     '/orders/{id}': {
 *       parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
 *       get: { 'x-permission': { action: 'orders:read', resource: 'order:{id}' } },
 *     },
 *   },
 * };
 * for (const { method, path, permission } of permissionsOf(document)) console.log(method, path, permission?.action);
 * ```
 */
export function permissionsOf(document: object): OperationPermission[] {
  return allOf(document).map(({ method, path, operationId, permission }) => ({
    method,
    path,
    ...(operationId !== undefined && { operationId }),
    public: permission === 'public',
    ...(typeof permission === 'object' && {
      permission: { action: permission.action, resource: permission.resource },
    }),
  }));
}

/** The segments of a resource, which are separated by `:`. */
function segmentsOf({ parts }: Permission): ResourcePart[][] {
  const segments: ResourcePart[][] = [[]];
  for (const part of parts) {
    const [first = '', ...rest] = typeof part === 'string' ? part.split(':') : [part];
    segments.at(-1)?.push(first);
    for (const next of rest) segments.push([next]);
  }
  return segments.map((segment) => segment.filter((part) => part !== ''));
}

/** The narrowest pattern for all resources of a permission: exact segments, `*`, `prefix*` and `*suffix`. */
function patternOf(permission: Permission): string {
  const pattern: string[] = [];
  for (const segment of segmentsOf(permission)) {
    const [first = '', second = ''] = segment;
    // A value with colons may be several segments, which only a final `*` matches.
    if (segment.some((part) => typeof part === 'object' && part.takesColons)) return [...pattern, '*'].join(':');
    if (segment.every((part) => typeof part === 'string')) pattern.push(segment.join(''));
    else if (typeof first === 'string') pattern.push(`${first}*`);
    else
      pattern.push(segment.length === 2 && typeof second === 'string' ? `*${second.endsWith('*') ? '' : second}` : '*');
  }
  return pattern.join(':');
}

/** Reads operations by method and path; other fields, as those of `permissionsOf`, are ignored. */
const readNames = listOf((value, reading) =>
  isObject(value) ? value : refuse<Record<string, unknown>>(reading, 'an object with method and path', value),
);

/**
 * Returns the smallest policy that allows these operations of an OpenAPI document: each action on the narrowest pattern
 * of its resource. A parameter becomes `*`, which at the end of a pattern also matches further segments. Public
 * operations need no permission.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an operation that the document does not have or that has
 * no `x-permission`, which no policy can allow, and for an invalid document.
 * @example
 * ```ts
 * import { policyForOperations } from 'arango-services/openapi';
 *
 * const document = {
 *   paths: {
 *     '/orders/{id}': {
 *       parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
 *       get: { 'x-permission': { action: 'orders:read', resource: 'order:{id}' } },
 *     },
 *   },
 * };
 * const policy = policyForOperations(document, [{ method: 'get', path: '/orders/{id}' }]);
 * console.log(policy.statements); // [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] }]
 * ```
 */
export function policyForOperations<Paths = unknown>(
  document: NoInfer<OperationDocument<Paths>>,
  operations: readonly NoInfer<OperationName<Paths>>[],
): Policy {
  const all = allOf(document);
  const actions = new Map<string, Set<string>>();
  for (const [index, wanted] of readArgument(operations, 'operations', readNames).entries()) {
    const operation = all.find(({ method, path }) => method === wanted.method && path === wanted.path);
    const problem = operation === undefined ? 'not an operation of the document' : 'has no x-permission';
    if (operation?.permission === undefined) throw new InvalidArgumentError(`operations[${index}]`, problem);
    if (operation.permission === 'public') continue;
    const pattern = patternOf(operation.permission);
    const named = actions.get(pattern) ?? new Set<string>();
    actions.set(pattern, named.add(operation.permission.action));
  }
  return {
    statements: [...actions].map(([resource, names]) => ({
      effect: 'Allow',
      actions: [...names].sort(),
      resources: [resource],
    })),
  };
}
