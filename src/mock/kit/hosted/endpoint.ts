import type { Endpoint } from '../../server/endpoints.js';
import type { Router } from '../../server/router.js';
import type { Exchange } from '../../wire/mock-exchange.js';
import { type CustomResponse, customRequest, runHandler } from '../custom-handler.js';
import type { Operation, ServiceLayer } from './layers.js';
import type { ServiceHandler } from './service-types.js';

/** The operation that a request is for, with the values of its parameters; or the refusal. */
type FoundOperation =
  | { readonly origin: string }
  | { readonly handler: ServiceHandler; readonly parameters: Readonly<Record<string, string>> }
  | { readonly status: number; readonly body: { readonly detail: string } };

const refusal = (status: number, detail: string) => ({ status, body: { detail } });

function find(router: Router<Operation>, method: string, path: string): FoundOperation {
  const ask = (wanted: string) => router.find(wanted, path, () => path.slice(1).split('/').map(decodeURIComponent));
  let match = ask(method);
  if (method === 'HEAD' && typeof match.target?.answer !== 'function') {
    const read = ask('GET');
    if (typeof read.target?.answer === 'function') match = read;
  }
  const { target, params, known } = match;
  if (typeof target?.answer === 'string') return { origin: target.answer };
  const values = Object.values(params);
  if (values.includes('') || !known) return refusal(404, 'Not Found');
  if (target === undefined) return refusal(405, 'Method Not Allowed');
  const entries = target.names.map((name, i) => [name, values[i]] as const);
  // The cast: there is a value for each name.
  return { handler: target.answer, parameters: Object.fromEntries(entries) as Record<string, string> };
}

function answer(exchange: Exchange, operation: FoundOperation, path: string): CustomResponse | Promise<CustomResponse> {
  if (!('handler' in operation)) return operation as CustomResponse;
  const request = customRequest(exchange, path);
  const { query, body, user } = request;
  const parameters = [...query.keys()].map((key) => {
    const all = query.getAll(key);
    return [key, all[1] === undefined ? all[0] : all];
  });
  return operation.handler({ path: operation.parameters, query: Object.fromEntries(parameters), body, user, request });
}

/** The path below `/_service/uds/_global/<name>` or `/_service/uds/_db/<database>/<name>`. */
const below = (path: string, global: boolean | undefined): string =>
  `/${path
    .split(/\/+/)
    .slice(global ? 5 : 6)
    .join('/')}`;

/** The endpoint of a service behind the gateway, with all operations that it has when a request arrives. */
export function hostedEndpoint(
  name: string,
  { options: { authentication = 'required', passMode = 'override' } }: ServiceLayer,
  global: boolean | undefined,
  operations: () => Router<Operation>,
): Endpoint {
  return {
    access: { authentication, passMode },
    streams: (method, path) => 'origin' in find(operations(), method, below(path, global)),
    async serve(exchange, platform) {
      const id = ['x-arango-platform-request-id', crypto.randomUUID()] as const;
      exchange.headers = new Map([...exchange.headers.entries(), id]);
      const { method, path: sent } = exchange.request;
      const path = below(sent, global);
      const operation = find(operations(), method, path);
      const response =
        'origin' in operation
          ? // Loaded only by a mock that forwards.
            await (await import('./forwarding.js')).forward(exchange, operation.origin, path)
          : await runHandler(exchange, platform, () => answer(exchange, operation, path));
      return { ...response, headers: [...response.headers, id, ['x-arango-platform-route', name]] };
    },
  };
}
