import { printable } from '../../../base/lib/text/printable.js';
import { isObject } from '../../../base/lib/values.js';
import { readOperations } from '../../../base/openapi-document/operations.js';
import { decodePointer } from '../../../base/openapi-document/reference.js';
import { permissionsOf } from '../../../client/openapi/operation-permissions.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { rows } from '../shared/help.js';
import { print } from '../shared/output.js';
import { readDocumentWith } from '../shared/read-document.js';

type Holder = Record<string, unknown>;

const text = { type: 'string' };
/** The schema of the bodies. */
const refusal = {
  type: 'object',
  required: ['code', 'message', 'details'],
  properties: { code: { type: 'integer' }, message: text, details: { type: 'array', items: {} } },
};

/** The refusals of a guard: status, name of the component, description and header. */
const refusals = [
  [401, 'Unauthenticated', 'The caller is unknown', { headers: { 'WWW-Authenticate': { schema: text } } }],
  [403, 'PermissionDenied', 'The caller has not the permission', {}],
  [503, 'Unavailable', 'No decision could be made', { headers: { 'Retry-After': { schema: { type: 'integer' } } } }],
] as const;

const content = { 'application/json': { schema: { $ref: '#/components/schemas/GuardRefusal' } } };

/** The components of a guard's refusals. */
const components: Readonly<Record<string, Holder>> = {
  responses: Object.fromEntries(
    refusals.map(([, name, description, headers]) => [name, { description, ...headers, content }]),
  ),
  schemas: { GuardRefusal: refusal },
};

/** Adds to a patch what an object lacks at a place. */
function add(patch: Holder, object: unknown, [key, ...keys]: readonly string[], fields: Holder): Holder {
  const own = isObject(object) ? object : {};
  if (key === undefined) {
    const missing = Object.entries(fields).filter(([name]) => !Object.hasOwn(own, name));
    return { ...patch, ...Object.fromEntries(missing) };
  }
  const part = add(Object(patch[key]) as Holder, own[key], keys, fields);
  return Object.keys(part).length === 0 ? patch : { ...patch, [key]: part };
}

/**
 * Returns the merge patch (RFC 7396) that declares the refusals of a guard as responses of the operations with a
 * permission. A response that an operation has, and a component of the same name, stays.
 * @throws InvalidArgumentError naming the place in the document.
 */
export function refusalsFor(document: unknown): Holder {
  let patch: Holder = {};
  // The cast: `readOperations` has read the paths.
  const { paths } = { paths: {}, ...(document as Holder) };
  for (const { path, operations } of readOperations(document)) {
    for (const { method, permission } of operations.values()) {
      if (typeof permission !== 'object') continue;
      const { $ref, ...own } = Object(Object(paths)[path]) as Holder;
      // The operation may stand in the path item that this one refers to.
      const place =
        typeof $ref === 'string' && own[method] === undefined
          ? $ref
              .split('/')
              .slice(1)
              .flatMap((name) => decodePointer(name) ?? [])
          : ['paths', path];
      const responses = refusals.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]);
      patch = add(patch, document, [...place, method, 'responses'], Object.fromEntries(responses));
    }
  }
  if (Object.keys(patch).length === 0) return patch;
  return Object.entries(components).reduce((all, [kind, of]) => add(all, document, ['components', kind], of), patch);
}

/** `permissions operations <openapi.json>`: the permission of each operation, or the refusals to declare. */
export const operations: RunSubcommand = async (context) => {
  const { flags, surroundings } = context;
  const lines = await readDocumentWith(context, (document) => {
    if (flags.responses) return JSON.stringify(refusalsFor(document), null, 2);
    // The cast: `permissionsOf` refuses what is not a document.
    return rows(
      permissionsOf(document as object).map(({ method, path, permission, public: isPublic }) => [
        printable(`${method.toUpperCase()} ${path}`),
        permission
          ? printable(`${permission.action} on ${permission.resource}`)
          : isPublic
            ? 'public'
            : 'denied: no x-permission',
      ]),
    );
  });
  print(surroundings, lines);
  return exitCodes.done;
};
