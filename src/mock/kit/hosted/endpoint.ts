import { expected } from '../../../lib/readers.js';
import type { Endpoint } from '../../server/endpoints.js';
import { createRouter } from '../../server/router.js';
import { requestIdHeader } from '../../services/gateway/pass.js';
import type { Exchange } from '../../wire/exchange.js';
import { type CustomReply, customRequest, runHandler } from '../custom-handler.js';
import type { ServiceHandler, ServiceHandlers, ServiceOperation, ServiceOptions, ServiceRequest } from './types.js';

/** An operation of a service; `handler` is a function if it has one. */
interface Operation extends ServiceOperation {
  readonly handler: unknown;
  /** The names of its parameters, in order. */
  readonly names: readonly string[];
}

const isReply = (value: ServiceRequest | CustomReply): value is CustomReply => !('request' in value);

const refusal = (status: number, detail: string): CustomReply => ({ status, body: { detail } });

/**
 * The endpoint of a service behind the gateway.
 * @throws InvalidArgumentError for handlers or a document that are not valid.
 */
export function hostedEndpoint(name: string, handlers: ServiceHandlers, options: ServiceOptions): Endpoint {
  const { global, authentication = 'required', passMode = 'override', document, examples, validate } = options;
  const checks = validate?.open(document);
  const router = createRouter<Operation>();
  // The cast: any JSON, of which only the paths count here.
  const paths = (document as { paths?: ServiceHandlers } | undefined)?.paths ?? {};
  for (const [path, item] of [...Object.entries(paths), ...Object.entries(handlers)]) {
    const names: string[] = [];
    // A name may hold any character, so the router gets numbers.
    const pattern = path.replace(/\/\{([^{}/]+)\}(?=\/|$)/g, (_, name) => `/:${names.push(name)}`);
    for (const [method, handler] of Object.entries(item ?? {})) {
      if (item === handlers[path] && !(typeof handler === 'function' && /^\/[^{]*$/.test(pattern)))
        throw expected('handlers', 'functions by method, for paths like "/orders/{id}"', path);
      router.add(method.toUpperCase(), pattern, { path, method, handler, names });
    }
  }

  async function answer(exchange: Exchange): Promise<CustomReply> {
    const { method, path: sent } = exchange.request;
    // Below `/_service/uds/_global/<name>` or `/_service/uds/_db/<database>/<name>`.
    const path = `/${sent
      .split('/')
      .slice(global ? 5 : 6)
      .join('/')}`.replace(/\/+/g, '/');
    const find = (name: string) => router.find(name, path, () => path.slice(1).split('/').map(decodeURIComponent));
    let found = find(method);
    if (found.target === undefined && method === 'HEAD') found = find('GET');
    const { target, params, known } = found;
    const values = Object.values(params);
    if (values.includes('') || !known) return refusal(404, 'Not Found');
    if (target === undefined) return refusal(405, 'Method Not Allowed');
    const request = customRequest(exchange, path);
    const { query, user } = request;
    const parameters = [...query.keys()].map((key) => {
      const all = query.getAll(key);
      return [key, all.length > 1 ? all : all[0]];
    });
    const given = {
      path: Object.fromEntries(target.names.map((name, i) => [name, values[i]])),
      query: Object.fromEntries(parameters),
      get body() {
        return request.body;
      },
      user,
      request,
    };
    const checked = checks === undefined ? given : await checks.request(target, given);
    if (isReply(checked)) return checked;
    const { handler } = target;
    const reply =
      typeof handler === 'function'
        ? // The cast: functions come from the handlers only, because a document is JSON.
          await (handler as ServiceHandler)(checked)
        : examples && checks?.example(target);
    if (!reply) return refusal(501, `no handler for ${method} ${target.path}`);
    return checks === undefined ? reply : checks.response(target, reply);
  }

  return {
    access: { authentication, passMode },
    async serve(exchange, platform) {
      const reply = await runHandler(exchange, platform, () => answer(exchange));
      const id = exchange.headers.get(requestIdHeader) ?? '';
      return { ...reply, headers: [...reply.headers, [requestIdHeader, id], ['x-arango-platform-route', name]] };
    },
  };
}
