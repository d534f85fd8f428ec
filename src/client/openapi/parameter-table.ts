import { InvalidArgumentError } from '../../base/errors.js';
import { isPlainObject } from '../../base/lib/values.js';
import {
  isPlace,
  isStyle,
  type ParameterPlace,
  type ParameterStyle,
  refusal,
  usualStyle,
} from '../../base/openapi-document/parameter-style.js';
import { writeParameter } from '../../base/openapi-document/write-parameter.js';
import type { ParameterTable } from './typed.js';

/**
 * The styles of the parameters of a document, by operation (`GET /orders`), place and name. Those that it leaves out
 * have the default of OpenAPI: `simple` in a path and a header, `form*` in a query and a cookie.
 */
export type ParameterStyles = Readonly<
  Record<string, { readonly [Place in ParameterPlace]?: Readonly<Record<string, ParameterStyle>> }>
>;

const dots = /\0|(?:^|[/\\])\.{1,2}(?:$|[/\\])/;

type Values = Readonly<Record<string, unknown>>;

/** Writes the fields of an object as the parameters of a place. */
function writeAll(
  styles: ParameterStyles[string] | undefined,
  place: ParameterPlace,
  values: unknown,
): [string, string][] {
  if (!isPlainObject(values)) return [];
  const placeStyles = styles?.[place] ?? {};
  return Object.entries(values).map(([name, value]) => {
    const style = Object.hasOwn(placeStyles, name) ? placeStyles[name] : undefined;
    return [name, writeParameter({ name, in: place, style: style ?? usualStyle(place) }, value)];
  });
}

/** Fills a template with written parameters. */
function fill(template: string, values: ReadonlyMap<string, string>, inputs: Values): string {
  return template.replace(/\{([^{}/]+)\}/g, (_, name: string) => {
    const text = values.get(name);
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    // The style `label` writes a dot before the value and makes `..` of `.`, so the value is checked beside the text.
    if (!text || /^\.{1,2}$/.test(text) || [value].flat().some((text) => typeof text === 'string' && dots.test(text))) {
      throw refusal({ name, in: 'path', style: 'simple' }, 'expected text, not empty and without "." or ".." segments');
    }
    return text;
  });
}

const texts = (written: readonly (readonly [string, string])[]) =>
  written.map(([, text]) => text).filter((text) => text !== '');

/**
 * Creates the option `parameters` of `typed`, with which a call writes lists, objects and JSON into the path, the
 * query, the headers and the cookies as the document says. `arango-services parameters openapi.json` writes the call
 * with the styles of a document.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the parameter whose style its place does not have.
 * @example
 * ```ts
 * import { parameterTable, typed } from 'arango-services/openapi';
 *
 * interface paths {
 *   '/orders/{ids}': {
 *     get: {
 *       parameters: { path: { ids: number[] }; query?: { filter?: { state?: string } } };
 *       responses: { 204: { content?: never } };
 *     };
 *   };
 * }
 * const parameters = parameterTable({ 'GET /orders/{ids}': { query: { filter: 'deepObject*' } } });
 * const shop = typed<paths>(client.route('shop'), { parameters });
 * // GET …/orders/7,8?filter%5Bstate%5D=open
 * await shop.get('/orders/{ids}', { path: { ids: [7, 8] }, query: { filter: { state: 'open' } } });
 * ```
 */
export function parameterTable(styles: ParameterStyles): ParameterTable {
  const table = new Map(Object.entries(styles));
  for (const [operation, of] of table) {
    for (const [place, named] of Object.entries(of)) {
      for (const [name, style] of Object.entries(Object(named))) {
        if (!isPlace(place) || !isStyle(place, style)) {
          throw new InvalidArgumentError(`styles["${operation}"].${place}["${name}"]`, 'not a style of this place');
        }
      }
    }
  }
  return {
    // Writes each place by its styles; the other options of the call stay.
    write(method, template, call) {
      const { path, query, headers, cookie, ...options } = call;
      const of = table.get(`${method.toUpperCase()} ${template}`);
      const cookies = texts(writeAll(of, 'cookie', cookie)).join('; ');
      const isWritten = isPlainObject(headers) || cookies !== '';
      // The names of headers are case-insensitive; undefined and null remove a header, so these values stay.
      const named = of?.header ?? {};
      const written = Object.entries(Object(headers)).map(([name, value]) => {
        const declaredName = Object.keys(named).find((header) => header.toLowerCase() === name.toLowerCase()) ?? name;
        const isRemoved = value === undefined || value === null;
        return [name, isRemoved ? value : writeAll(of, 'header', { [declaredName]: value })[0]?.[1]];
      });
      return [
        fill(template, new Map(writeAll(of, 'path', path)), Object(path)),
        {
          ...options,
          query: isPlainObject(query) ? texts(writeAll(of, 'query', query)).join('&') : query,
          headers: isWritten ? { ...Object.fromEntries(written), ...(cookies !== '' && { cookie: cookies }) } : headers,
        },
      ];
    },
  };
}
