import type { Endpoint } from '../../server/endpoints.js';
import { requestIdHeader } from '../../services/gateway/pass.js';
import type { Exchange } from '../../wire/exchange.js';
import { type CustomReply, customRequest, runHandler } from '../custom-handler.js';
import { createOperations } from './operations.js';
import type { ServiceHandlers, ServiceOptions, ServiceRequest } from './types.js';

const isReply = (value: ServiceRequest | CustomReply): value is CustomReply => !('request' in value);

/**
 * The endpoint of a service behind the gateway.
 * @throws InvalidArgumentError for handlers or a document that are not valid.
 */
export function hostedEndpoint(name: string, handlers: ServiceHandlers, options: ServiceOptions): Endpoint {
  const find = createOperations(handlers, options.document);
  const checks = options.validate?.open(options.document);
  // `/_service/uds/_global/<name>` or `/_service/uds/_db/<database>/<name>`
  const depth = options.global === true ? 5 : 6;

  async function answer(exchange: Exchange): Promise<CustomReply> {
    const { method, path: sent } = exchange.request;
    const path = `/${sent.split('/').slice(depth).join('/')}`.replace(/\/+/g, '/');
    const match = find(method, path);
    const { operation } = match;
    const missing = (status: number, what: string): CustomReply => ({ status, body: { detail: what } });
    if (operation === undefined) return match.known ? missing(405, 'Method Not Allowed') : missing(404, 'Not Found');
    const request = customRequest(exchange, path);
    const parameters = [...new Set(request.query.keys())].map((key) => {
      const values = request.query.getAll(key);
      return [key, values.length > 1 ? values : values[0]];
    });
    const given = {
      path: match.path,
      query: Object.fromEntries(parameters),
      get body() {
        return request.body;
      },
      user: exchange.user,
      request,
    };
    const checked = checks === undefined ? given : await checks.request(operation, given);
    if (isReply(checked)) return checked;
    const reply =
      operation.handler === undefined
        ? options.examples === true && checks?.example(operation)
        : await operation.handler(checked);
    if (!reply) return missing(501, `the mock has no handler for ${method} ${operation.path}`);
    return checks === undefined ? reply : checks.response(operation, reply);
  }

  return {
    access: { authentication: options.authentication ?? 'required', passMode: options.passMode ?? 'override' },
    async serve(exchange, platform) {
      const reply = await runHandler(exchange, platform, () => answer(exchange));
      const id = exchange.headers.get(requestIdHeader) ?? '';
      return { ...reply, headers: [...reply.headers, [requestIdHeader, id], ['x-arango-platform-route', name]] };
    },
  };
}
