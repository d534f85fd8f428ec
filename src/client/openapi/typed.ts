import { isHttpError } from '../../base/error-guards.js';
import type { InvalidArgumentError } from '../../base/errors.js';
import { operationMethods } from '../../base/openapi-document/methods.js';
import type { Route } from '../route.js';
import type { RequestOptions } from '../route-types.js';
import type { TypedRoute } from './typed-types.js';

/** A call as it arrives: only the compiler has checked it. */
interface GivenCall {
  readonly path?: Readonly<Record<string, unknown>> | null;
  readonly query?: unknown;
  readonly [option: string]: unknown;
}

/** Writes the parameters of calls in the styles of a document. Created by {@link parameterTable}. */
export interface ParameterTable {
  /** @internal Returns the path of a call, encoded, and the call without its path parameters. */
  write(method: string, template: string, call: GivenCall): readonly [path: string, call: GivenCall];
}

/** Options of {@link typed}. */
export interface TypedRouteOptions {
  /** Writes parameters in the styles of the document. Default: each in the default style of OpenAPI. */
  readonly parameters: ParameterTable;
}

// A parameter that is a whole segment, or one beside other text.
const segment = /(?<=\/)\{([^{}/]+)\}(?=\/|$)/;
const within = /\{([^{}/]+)\}/g;

/** Replaces a template's parameters by values, each encoded as a whole. */
function place(route: Route, template: string, values?: Readonly<Record<string, unknown>> | null): Route {
  const add = (name: string, at: Route): [Route, string] => {
    const value = values && Object.hasOwn(values, name) ? values[name] : undefined;
    const text = typeof value === 'boolean' ? `${value}` : (value as string);
    try {
      return [at.route([text]), text];
    } catch (error) {
      // The route names the argument by its position. The class is taken from the error, to stay out of the bundle.
      const { problem, constructor: Refusal } = error as InvalidArgumentError;
      throw new (Refusal as typeof InvalidArgumentError)(`path.${name}`, problem);
    }
  };
  return template.split(segment).reduce((at, part, index) => {
    if (index % 2) return add(part, at)[0];
    return at.route(part.replace(within, (_, name: string) => encodeURIComponent(add(name, at)[1])));
  }, route);
}

/**
 * Gives a route the types of an OpenAPI document: paths, parameters, bodies and responses. `Paths` is the `paths` that
 * openapi-typescript generates; the document itself is not needed at run time.
 *
 * Options of a call (`timeout`, `signal`, `retry`, `schema`, `responseType`, `allowStatus`, `headers`) are those of
 * `route.request`. Lists in a path, objects, and other styles of parameters need the option `parameters`: a table of
 * {@link parameterTable}. The route's own `schema`, `responseType` and `allowStatus` do not apply, because they would
 * change the type of a body.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection of a call, naming the path parameter that is
 * missing, empty, `.` or `..`; otherwise what the route throws.
 * @example
 * ```ts
 * import { typed } from 'arango-services/openapi';
 *
 * // Generated: npx openapi-typescript openapi.json -o orders.d.ts
 * interface paths {
 *   '/orders/{id}': {
 *     get: {
 *       parameters: { path: { id: number }; query?: { expand?: boolean } };
 *       responses: { 200: { content: { 'application/json': { id: number; total: number } } } };
 *     };
 *   };
 * }
 * const shop = typed<paths>(client.route('orders'));
 * const { body } = await shop.get('/orders/{id}', { path: { id: 7 }, query: { expand: true } });
 * console.log(body.total);
 * ```
 */
export function typed<Paths>(route: Route<unknown, boolean>, options: TypedRouteOptions): TypedRoute<Paths, true>;
export function typed<Paths>(route: Route<unknown, boolean>): TypedRoute<Paths>;
export function typed<Paths>(
  route: Route<unknown, boolean>,
  { parameters }: Partial<TypedRouteOptions> = {},
): TypedRoute<Paths> {
  const plain = route.with({ schema: undefined, responseType: undefined, allowStatus: undefined });
  const verbs = operationMethods.map((method) => [
    method,
    async (template: string, call: GivenCall = {}) => {
      const [at, { path, query, ...options }] = parameters?.write(method, template, call) ?? [template, call];
      return place(plain, at, path).request<unknown, RequestOptions>({
        operation: template,
        ...options,
        method,
        // The cast: the route reads it.
        qs: query as never,
        absolutePath: false,
      });
    },
  ]);
  const isError = (error: unknown, _method: string, _path: string, status: number) =>
    isHttpError(error) && error.status === status;
  // The cast: the types are those of the document, and its paths are text at run time.
  return { ...Object.fromEntries(verbs), isError, path: plain.path } as TypedRoute<Paths>;
}
