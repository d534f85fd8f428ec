import { InvalidArgumentError } from '../errors.js';
import { expected } from '../lib/readers.js';
import { isObject } from '../lib/values.js';
import { operationMethods } from './methods.js';
import type { OperationMethod } from './operation-types.js';
import { resolve } from './parameter-schema.js';
import type { Permission } from './permission.js';
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

/** An operation in its document, and the names of its path parameters. */
export interface OperationPlace {
  readonly document: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  /** The place of the path item. */
  readonly field: string;
  readonly item: Readonly<Record<string, unknown>>;
  /** The place of the operation. */
  readonly place: string;
  readonly operation: Readonly<Record<string, unknown>>;
}

const isMethod = (name: string): name is OperationMethod => operationMethods.some((method) => method === name);

/** True for a value that may stand in a document: JSON, or the output of a YAML parser. */
const isDocument = (value: unknown): value is Record<string, unknown> & { readonly paths: Record<string, unknown> } =>
  isObject(value) && isObject(value.paths);

/** Follows a `$ref` of a path item inside the document. */
function pathItem(document: Record<string, unknown>, item: unknown, field: string): Record<string, unknown> {
  if (!isObject(item)) throw expected(field, 'an object', item);
  return item.$ref === undefined ? item : { ...resolve(document, { $ref: item.$ref }, field).value, ...item };
}

/**
 * Reads the paths of an OpenAPI document, the most specific first.
 * @param permissionOf reads the permission of an operation
 * @throws InvalidArgumentError naming the place in the document: Swagger 2, an invalid template, or two paths that
 * differ only in the names of their parameters.
 */
export function readPaths(
  document: unknown,
  permissionOf?: (operation: OperationPlace) => DocumentOperation['permission'],
): DocumentPath[] {
  if (!isDocument(document)) throw expected('document', 'an OpenAPI document, an object with paths', document);
  if (document.swagger !== undefined) throw new InvalidArgumentError('document.swagger', 'expected OpenAPI 3');
  const shapes = new Map<string, string>();
  const paths = Object.entries(document.paths).flatMap(([path, value]): DocumentPath[] => {
    if (path.startsWith('x-')) return [];
    const field = `document.paths["${path}"]`;
    const template = parseTemplate(path, field);
    const shape = path.replace(/\{[^{}]*\}/g, '{}');
    const other = shapes.get(shape);
    if (other !== undefined) throw new InvalidArgumentError(field, `matches the same paths as ${other}`);
    shapes.set(shape, path);
    const item = pathItem(document, value, field);
    const operations = Object.entries(item).flatMap(([method, operation]) => {
      if (!isMethod(method)) return [];
      const place = `${field}.${method}`;
      if (!isObject(operation)) throw expected(place, 'an object', operation);
      const { operationId } = operation;
      const permission = permissionOf?.({ document, names: template.names, field, item, place, operation });
      const id = typeof operationId === 'string' ? operationId : undefined;
      return [[method, { method, path, operationId: id, permission }] as const];
    });
    return [{ path, template, item, operations: new Map(operations) }];
  });
  return paths.sort((a, b) => compareTemplates(a.template, b.template));
}
