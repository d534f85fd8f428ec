import {
  asGiven,
  expected,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFields,
  refuseKind,
} from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type { DocumentOperation } from '../../base/openapi-document/document-paths.js';
import { findOperation } from '../../base/openapi-document/find-operation.js';
import type { OperationDocument, OperationName } from '../../base/openapi-document/operation-types.js';
import { readOperations } from '../../base/openapi-document/operations.js';
import { sentSegments } from '../../base/openapi-document/sent-path.js';
import type { AuthorizationClient } from '../services/authorization/authorization-client.js';
import type { ServiceCallOptions } from '../services/service-client.js';

/** The client whose own token is asked about. */
export interface AllowedOperationsClient {
  readonly authorization: Pick<AuthorizationClient, 'evaluateMany'>;
}

/** Options of `allowedOperations`. */
export interface AllowedOperationsOptions extends ServiceCallOptions {
  /** The values of path parameters: `{ id: 7 }`, `{ ids: [7, 8] }`. Default none. */
  readonly path?:
    | Readonly<Record<string, string | number | bigint | boolean | readonly (string | number | bigint | boolean)[]>>
    | undefined;
}

/** Reads path parameters as a map. */
const readValues: Reader<ReadonlyMap<string, unknown>> = (value, reading) => {
  if (!isObject(value)) return refuseKind(reading, 'an object of values by the names of parameters', value);
  for (const [name, input] of Object.entries(value)) {
    if ([input].flat().every((raw) => /^(?:string|boolean|bigint)$/.test(typeof raw) || Number.isFinite(raw))) continue;
    reading.at(name, input, () =>
      reading.report('expected a string, a finite number, a bigint, a boolean, or a list of them'),
    );
  }
  return new Map(Object.entries(value));
};

/** The path of an operation with these values, as a client sends it; undefined if one is missing or cannot be sent. */
function fillPath({ path, permission }: DocumentOperation, values: ReadonlyMap<string, unknown>): string | undefined {
  const parts = typeof permission === 'object' ? permission.parts : [];
  try {
    return path
      .replace(/\{([^{}]*)\}/g, (_, name: string) => {
        const [style = ''] = parts.flatMap((part) =>
          typeof part === 'object' && part.name === name ? part.style : [],
        );
        const separator = style === 'label*' ? '.' : ',';
        const texts = [values.get(name) ?? []].flat().map((item) => encodeURIComponent(`${item}`));
        const text = texts.map((text) => text.replaceAll(separator, '%2E')).join(separator);
        // A missing value leaves a slash, which no segment may hold.
        return text ? `${style.startsWith('label') ? '.' : ''}${text}` : '/';
      })
      .replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  } catch {
    return undefined;
  }
}

const none: ReadonlyMap<string, unknown> = new Map();
export const readAllowedOptions = optionsOf({
  path: readValues,
  timeout: asGiven,
  signal: asGiven,
  retry: asGiven,
  operation: asGiven,
  headers: asGiven,
} satisfies ReadersOf<AllowedOperationsOptions>);

/**
 * Returns the operations of an OpenAPI document that the client's own token may use with these path parameters, for the
 * buttons of a page. Public operations are included. Operations without `x-permission`, with a parameter that has no
 * value, or that a guard would deny, are left out. (one POST evaluate-token-many)
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection, for an invalid document or value; otherwise as
 * `client.authorization.evaluateMany`.
 * @example
 * ```ts
 * import { allowedOperations } from 'arango-services/openapi';
 *
 * const document = {
 *   paths: {
 *     '/orders/{id}': {
 *       parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
 *       delete: { 'x-permission': { action: 'orders:delete', resource: 'order:{id}' } },
 *     },
 *   },
 * };
 * const allowed = await allowedOperations(client, document, { path: { id: 7 } });
 * console.log(allowed.some(({ method }) => method === 'delete'));
 * ```
 */
export async function allowedOperations<Paths = unknown>(
  client: AllowedOperationsClient,
  document: NoInfer<OperationDocument<Paths>>,
  options: AllowedOperationsOptions = {},
): Promise<OperationName<Paths>[]> {
  const authorization = client?.authorization;
  if (typeof authorization?.evaluateMany !== 'function') throw expected('client', 'a client', client);
  const { path: values = none, ...call } = readFields(options, 'options', readAllowedOptions);
  const paths = readOperations(document);
  // Leaves out what a guard would deny, such as a value `export` that may name another operation.
  const possible = paths.flatMap(({ path, operations }) => {
    return [...operations.values()].flatMap((operation) => {
      const { method } = operation;
      const sent = sentSegments(fillPath(operation, values) ?? '', []);
      const match = sent && findOperation(paths, method, sent);
      return typeof match === 'object' && match.operation.path === path ? [{ method, path, needs: match.needs }] : [];
    });
  });
  const items = possible.flatMap(({ needs }) => needs);
  // The cast: the call reads its options.
  const answer =
    items.length === 0
      ? undefined
      : await authorization.evaluateMany({ self: true, items }, call as ServiceCallOptions);
  const allowed = new Set(items.filter((_, index) => answer?.items[index]?.allowed === true));
  return (
    possible
      .filter(({ needs }) => needs.every((need) => allowed.has(need)))
      // The cast: the type argument describes the document.
      .map(({ method, path }) => ({ method, path }) as OperationName<Paths>)
  );
}
