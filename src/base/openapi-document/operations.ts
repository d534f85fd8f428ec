import { InvalidArgumentError } from '../errors.js';
import { type DocumentPath, readPaths } from './document-paths.js';
import { readPermission } from './permission.js';
import { readResourceParameter } from './resource-parameter.js';

/** Names that are easily written for `x-permission`. */
const nearName = /^x?[-_]?(?:perm(?:s|it\w*)?$|p\w{1,3}m(?:is+[io]|ss))/i;

/** Refuses names like `x-permissions`, with which an operation would be denied, except for the name `exception`. */
function refuseNearNames(object: object, field: string, exception?: string): void {
  const near = Object.keys(object).find((name) => name !== exception && nearName.test(name));
  if (near !== undefined) throw new InvalidArgumentError(`${field}.${near}`, 'expected x-permission in an operation');
}

/**
 * Reads the operations of an OpenAPI document and their permissions, the most specific path first.
 * @throws InvalidArgumentError naming the place in the document: as `readPaths`, for an invalid `x-permission`, a name
 * like it, or a resource with a parameter that its operation does not have or whose schema cannot be followed or has no
 * one text for each value.
 */
export const readOperations = (document: unknown): DocumentPath[] =>
  readPaths(document, ({ document, names, field, item, place, operation }) => {
    refuseNearNames(item, field);
    refuseNearNames(operation, place, 'x-permission');
    const lists = [
      [`${field}.parameters`, item.parameters],
      [`${place}.parameters`, operation.parameters],
    ] as const;
    return readPermission(operation['x-permission'], `${place}.x-permission`, (...named) =>
      readResourceParameter(document, lists, names, named),
    );
  });
