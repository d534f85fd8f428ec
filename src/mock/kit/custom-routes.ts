import { InvalidArgumentError } from '../../base/errors.js';
import {
  asGiven,
  expected,
  oneOf,
  optionsOf,
  type ReadersOf,
  readFields,
  readFlag,
  withMethods,
} from '../../base/lib/readers.js';
import type { Settings } from '../config/mock-config.js';
import type { Endpoint } from '../server/endpoints.js';
import type { Router } from '../server/router.js';
import { echo } from '../services/database.js';
import { pathFault, serviceNameFault } from '../wire/path-rules.js';
import {
  type CustomHandler,
  type CustomRouteOptions,
  customEndpoint,
  type StreamHandler,
  streamedEndpoint,
} from './custom-handler.js';
import { hostedEndpoint } from './hosted/endpoint.js';
import { type AddOptions, combine, type Operation, readLayer, type ServiceLayer } from './hosted/layers.js';
import type { ForwardOptions, MockServiceOptions, ServiceHandlers, ServiceValidator } from './hosted/service-types.js';
import { readFilter } from './match-request.js';

/** The custom routes of a mock. */
export interface Routes {
  add(
    method: string,
    pattern: string,
    handler: CustomHandler | StreamHandler,
    options?: CustomRouteOptions,
  ): () => void;
  service(name: string, target: ServiceHandlers | string, options?: AddOptions): () => void;
  /** Adds the routes and services of the configuration, already checked. */
  seed(settings: Pick<Settings, 'routes' | 'services'>): void;
  save(): readonly Added[];
  load(saved: readonly Added[]): void;
}

interface Added {
  readonly method: string;
  readonly pattern: string;
  readonly endpoint: Endpoint;
  /** The part of a service that it adds. */
  readonly layer: ServiceLayer | undefined;
  remove(): void;
}

const accessReaders = {
  global: readFlag,
  authentication: oneOf('required', 'optional'),
  passMode: oneOf('override', 'pass', 'remove'),
  replace: readFlag,
};
export const readForwardOptions = optionsOf({
  ...accessReaders,
  allowRemote: readFlag,
} satisfies ReadersOf<ForwardOptions>);
export const readHostedOptions = optionsOf({
  ...accessReaders,
  document: asGiven,
  examples: readFlag,
  validate: withMethods<ServiceValidator>('a validator', 'wrap'),
} satisfies ReadersOf<MockServiceOptions>);

export const readCustomRouteOptions = optionsOf({ body: oneOf('stream') } satisfies ReadersOf<CustomRouteOptions>);

/** Creates the custom routes of a router, at first none. */
export function createRoutes(router: Router<Endpoint>): Routes {
  let added: readonly Added[] = [];

  /** The operations of services, by pattern, as long as nothing is added or removed. */
  let combined: { readonly of: readonly Added[]; readonly services: Map<string, Router<Operation>> };

  const layersOf = (pattern: string): readonly ServiceLayer[] =>
    added.flatMap((route) => (route.pattern === pattern && route.layer !== undefined ? [route.layer] : []));

  function operationsOf(pattern: string): Router<Operation> {
    if (combined?.of !== added) combined = { of: added, services: new Map() };
    const { services } = combined;
    const operations = services.get(pattern) ?? combine(layersOf(pattern));
    services.set(pattern, operations);
    return operations;
  }

  function put(method: string, pattern: string, endpoint: Endpoint, layer?: ServiceLayer): () => void {
    const name = method.toUpperCase();
    const route = { method: name, pattern, endpoint, layer, remove: router.add(name, pattern, endpoint) };
    added = [...added, route];
    return () => {
      if (!added.includes(route)) return;
      added = added.filter((other) => other !== route);
      route.remove();
    };
  }

  function service(name: string, target: ServiceHandlers | string, input: AddOptions = {}): () => void {
    const fault = serviceNameFault(name);
    if (fault !== undefined) throw new InvalidArgumentError('name', fault);
    const options: AddOptions =
      typeof target === 'string'
        ? readFields(input, 'options', readForwardOptions)
        : readFields(input, 'options', readHostedOptions);
    const pattern = `/_service/uds/${options.global === true ? '_global' : '_db/:db'}/${name}/*`;
    const layer = readLayer(target, options, layersOf(pattern));
    const endpoint = hostedEndpoint(name, layer, options.global, () => operationsOf(pattern));
    return put('*', pattern, endpoint, layer);
  }

  return {
    add(method, pattern, handler, options = {}) {
      if (method !== '*') readFilter({ method });
      if (typeof pattern !== 'string') throw expected('path', 'a pattern like "/_db/:db/my-service/*"', pattern);
      const fault = pathFault(pattern);
      if (fault !== undefined) throw new InvalidArgumentError('path', fault);
      if (typeof handler !== 'function') throw expected('handler', 'a function', handler);
      const { body } = readFields(options, 'options', readCustomRouteOptions);
      // The casts: the types of `mock.route` tie the handler to `body`.
      const toEndpoint = body === 'stream' ? streamedEndpoint : customEndpoint;
      return put(method, pattern, toEndpoint(handler as CustomHandler & StreamHandler));
    },
    service,
    seed({ routes, services }) {
      for (const { method, path, echo: echoes, ...response } of routes)
        put(method, path, echoes ? { serve: echo } : customEndpoint(() => response));
      for (const [name, { url, ...options }] of services) service(name, url, options);
    },
    save: () => added,
    load(saved) {
      if (saved === added) return;
      for (const route of added) route.remove();
      for (const route of saved) route.remove = router.add(route.method, route.pattern, route.endpoint);
      added = saved;
    },
  };
}
