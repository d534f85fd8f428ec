import { expected } from '../../../lib/readers.js';
import type { Endpoint } from '../../server/endpoints.js';
import { createRouter } from '../../server/router.js';
import type { Exchange } from '../../wire/exchange.js';
import { type CustomResponse, customRequest, runHandler } from '../custom-handler.js';
import type { ServiceHandler, ServiceHandlers, ServiceOptions } from './types.js';

/** An operation of a service: its handler, and the names of its parameters in order. */
type Operation = readonly [handler: ServiceHandler, names: readonly string[]];

const refusal = (status: number, detail: string): CustomResponse => ({ status, body: { detail } });

/**
 * The endpoint of a service behind the gateway.
 * @throws InvalidArgumentError for handlers that are not valid.
 */
export function hostedEndpoint(name: string, handlers: ServiceHandlers, options: ServiceOptions): Endpoint {
  const { global, authentication = 'required', passMode = 'override', validate } = options;
  const router = createRouter<Operation>();
  for (const [path, item] of Object.entries(validate?.wrap(handlers, options) ?? handlers)) {
    const names: string[] = [];
    // A name may hold any character, so the router gets numbers.
    const pattern = path.replace(/\/\{([^{}/]+)\}(?=\/|$)/g, (_, parameter) => `/:${names.push(parameter)}`);
    for (const [method, handler] of Object.entries(item ?? {})) {
      if (typeof handler !== 'function' || !/^\/[^{]*$/.test(pattern))
        throw expected('handlers', 'functions by method, for paths like "/orders/{id}"', path);
      router.add(method.toUpperCase(), pattern, [handler, names]);
    }
  }

  function answer(exchange: Exchange): CustomResponse | Promise<CustomResponse> {
    const { method, path: sent } = exchange.request;
    // Below `/_service/uds/_global/<name>` or `/_service/uds/_db/<database>/<name>`.
    const parts = sent.split(/\/+/).slice(global ? 5 : 6);
    const path = `/${parts.join('/')}`;
    const find = (wanted: string) => router.find(wanted, path, () => path.slice(1).split('/').map(decodeURIComponent));
    let found = find(method);
    if (found.target === undefined && method === 'HEAD') found = find('GET');
    const { target, params, known } = found;
    const values = Object.values(params);
    if (values.includes('') || !known) return refusal(404, 'Not Found');
    if (target === undefined) return refusal(405, 'Method Not Allowed');
    const [handler, names] = target;
    const request = customRequest(exchange, path);
    const { query, body, user } = request;
    const parameters = [...query.keys()].map((key) => {
      const all = query.getAll(key);
      return [key, all[1] === undefined ? all[0] : all];
    });
    return handler({
      path: Object.fromEntries(names.map((parameter, i) => [parameter, values[i]])),
      query: Object.fromEntries(parameters),
      body,
      user,
      request,
    });
  }

  return {
    access: { authentication, passMode },
    async serve(exchange, platform) {
      const id = ['x-arango-platform-request-id', crypto.randomUUID()] as const;
      exchange.headers = new Map([...exchange.headers.entries(), id]);
      const response = await runHandler(exchange, platform, () => answer(exchange));
      return { ...response, headers: [...response.headers, id, ['x-arango-platform-route', name]] };
    },
  };
}
