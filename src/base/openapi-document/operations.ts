import { InvalidArgumentError } from '../errors.js';
import { expected } from '../lib/readers.js';
import { isObject } from '../lib/values.js';
import { operationMethods } from './methods.js';
import type { OperationMethod } from './operation-types.js';
import { resolve } from './parameter-schema.js';
import { plainTexts } from './path-parameter.js';
import { isDocument, type Permission, readPermission } from './permission.js';
import { compareTemplates, type PathTemplate, parseTemplate } from './template.js';

export interface DocumentOperation {
  readonly method: OperationMethod;
  /** The path template. */
  readonly path: string;
  readonly operationId: string | undefined;
  /** Undefined if the operation has no `x-permission`. */
  readonly permission: Permission | 'public' | undefined;
}

export interface DocumentPath {
  readonly path: string;
  readonly template: PathTemplate;
  /** The path item, its `$ref` followed. */
  readonly item: Readonly<Record<string, unknown>>;
  readonly operations: ReadonlyMap<string, DocumentOperation>;
}

const methods = new Set<string>(operationMethods);
const isMethod = (name: string): name is OperationMethod => methods.has(name);

/** Names that are easily written for `x-permission`. */
const nearName = /^x?[-_]?(?:perm(?:s|it\w*)?$|p\w{1,3}m(?:is+[io]|ss))/i;

/**
 * Refuses names like `x-permissions`, with which an operation would be denied.
 * @param known the name that is accepted here, if any
 */
function refuseNearNames(object: object, field: string, known?: string): void {
  const near = Object.keys(object).find((name) => name !== known && nearName.test(name));
  if (near !== undefined) throw new InvalidArgumentError(`${field}.${near}`, 'expected x-permission in an operation');
}

/** Follows a `$ref` of a path item inside the document. */
function pathItem(document: Record<string, unknown>, item: unknown, field: string): Record<string, unknown> {
  if (!isObject(item)) throw expected(field, 'an object', item);
  return item.$ref === undefined ? item : { ...resolve(document, { $ref: item.$ref }, field).value, ...item };
}

/**
 * Reads the operations of an OpenAPI document and their permissions, the most specific path first.
 * @throws InvalidArgumentError naming the place in the document: Swagger 2, an invalid template or `x-permission`, a
 * name like it, a resource with a parameter that its path does not have or whose schema cannot be followed or has no
 * one text for each value, or two paths that differ only in the names of their parameters.
 */
export function readOperations(document: unknown): DocumentPath[] {
  if (!isDocument(document)) throw expected('document', 'an OpenAPI document, an object with paths', document);
  if (document.swagger !== undefined) throw new InvalidArgumentError('document.swagger', 'expected OpenAPI 3');
  const shapes = new Map<string, string>();
  const paths = Object.entries(document.paths).flatMap(([path, given]): DocumentPath[] => {
    if (path.startsWith('x-')) return [];
    const field = `document.paths["${path}"]`;
    const template = parseTemplate(path, field);
    const shape = path.replace(/\{[^{}]*\}/g, '{}');
    const other = shapes.get(shape);
    if (other !== undefined) throw new InvalidArgumentError(field, `matches the same paths as ${other}`);
    shapes.set(shape, path);
    const item = pathItem(document, given, field);
    refuseNearNames(item, field);
    const operations = Object.entries(item).flatMap(([method, operation]) => {
      if (!isMethod(method)) return [];
      const place = `${field}.${method}`;
      if (!isObject(operation)) throw expected(place, 'an object', operation);
      refuseNearNames(operation, place, 'x-permission');
      const { operationId } = operation;
      const lists = [
        [`${field}.parameters`, item.parameters],
        [`${place}.parameters`, operation.parameters],
      ] as const;
      const permission = readPermission(
        operation['x-permission'],
        template.names,
        `${place}.x-permission`,
        (...named) => plainTexts(document, lists, ...named),
      );
      const id = typeof operationId === 'string' ? operationId : undefined;
      return [[method, { method, path, operationId: id, permission }] as const];
    });
    return [{ path, template, item, operations: new Map(operations) }];
  });
  return paths.sort((a, b) => compareTemplates(a.template, b.template));
}
