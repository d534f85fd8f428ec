import { InvalidArgumentError } from '../../../errors.js';
import { expected } from '../../../lib/readers.js';
import { isObject } from '../../../lib/values.js';
import type { ServiceHandler, ServiceHandlers, ServiceMethod, ServiceOperation } from './types.js';

/** An operation of a service, with its handler if it has one. */
export interface Operation extends ServiceOperation {
  readonly handler: ServiceHandler | undefined;
}

/** The result of a lookup. `known` is true if the path exists, for this method or another. */
interface Match {
  readonly operation: Operation | undefined;
  readonly path: Readonly<Record<string, string>>;
  readonly known: boolean;
}

const isMethod = (name: string): name is ServiceMethod =>
  /^(?:get|put|post|delete|options|head|patch|trace)$/.test(name);

/** Compiles a template to an expression for paths in one encoding, and the names of its parameters. */
function compile(template: string): { readonly pattern: RegExp; readonly names: readonly string[] } {
  const names: string[] = [];
  const source = template.replace(/\{([^{}]+)\}|[^/{}]+/g, (text, name?: string) => {
    if (name === undefined) return encodeURIComponent(text).replace(/[^\w%]/g, '\\$&');
    names.push(name);
    return '([^/]+?)';
  });
  if (!/^\/[^{}]*$/.test(source)) throw expected('handlers', 'path templates like "/orders/{id}"', template);
  return { pattern: new RegExp(`^${source}$`), names };
}

/**
 * Creates the lookup of a service's operations: those of its handlers and those of its document. The most specific
 * template comes first, as OpenAPI demands.
 * @throws InvalidArgumentError for a template, a method or a handler that is not valid.
 */
export function createOperations(handlers: ServiceHandlers, document: unknown) {
  const templates = new Map<string, Map<string, Operation>>();
  const documented = isObject(document) && 'paths' in document && isObject(document.paths) ? document.paths : {};
  for (const [paths, isHandled] of [
    [documented, false],
    [handlers, true],
  ] as const) {
    for (const [path, item] of Object.entries(paths)) {
      const operations = templates.get(path) ?? new Map<string, Operation>();
      templates.set(path, operations);
      for (const [method, handler] of Object.entries(item ?? {})) {
        if (handler === undefined) continue;
        if (isMethod(method)) operations.set(method, { path, method, handler: isHandled ? handler : undefined });
        if (isHandled && (!isMethod(method) || typeof handler !== 'function'))
          throw new InvalidArgumentError('handlers', `expected functions by method (get, put, post, …) for ${path}`);
      }
    }
  }
  // Parameters sort before text, so this order is reversed.
  const rank = (path: string): string => path.replace(/\{[^}]*\}/g, '\0');
  const rows = [...templates.entries()]
    .sort(([a], [b]) => (rank(a) < rank(b) ? 1 : -1))
    .map(([path, operations]) => ({ ...compile(path), operations }));

  return (method: string, sent: string): Match => {
    const wanted = sent
      .split('/')
      .map((part) => encodeURIComponent(decodeURIComponent(part)))
      .join('/');
    const found = rows.flatMap(({ pattern, names, operations }) => {
      const [whole, ...values] = pattern.exec(wanted) ?? [];
      const path = Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(values[i] ?? '')]));
      return whole === undefined ? [] : [{ operations, path }];
    });
    const name = method.toLowerCase();
    for (const { operations, path } of found) {
      const operation = operations.get(name) ?? (name === 'head' ? operations.get('get') : undefined);
      if (operation !== undefined) return { operation, path, known: true };
    }
    return { operation: undefined, path: {}, known: found.length > 0 };
  };
}
