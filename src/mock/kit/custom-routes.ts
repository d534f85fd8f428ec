import { InvalidArgumentError } from '../../errors.js';
import {
  asGiven,
  expected,
  oneOf,
  optionsOf,
  readArgument,
  readFields,
  readFlag,
  readObject,
  withMethods,
} from '../../lib/readers.js';
import type { RouteSettings } from '../config/settings.js';
import type { Endpoint } from '../server/endpoints.js';
import type { Router } from '../server/router.js';
import { echo } from '../services/database.js';
import { pathFault } from '../wire/paths.js';
import { type CustomHandler, customEndpoint } from './custom-handler.js';
import { readFilter } from './filter.js';
import { hostedEndpoint } from './hosted/endpoint.js';
import type { ServiceHandlers, ServiceOptions, ServiceValidator } from './hosted/types.js';

/** The custom routes of a mock. */
export interface Routes {
  add(method: string, pattern: string, handler: CustomHandler): () => void;
  service(name: string, handlers: ServiceHandlers, options?: ServiceOptions): () => void;
  /** Adds a route of the configuration, already checked. */
  seed(route: RouteSettings): void;
  save(): readonly Added[];
  load(saved: readonly Added[]): void;
}

interface Added {
  readonly method: string;
  readonly pattern: string;
  readonly endpoint: Endpoint;
  remove(): void;
}

const readServiceOptions = optionsOf({
  global: readFlag,
  authentication: oneOf('required', 'optional'),
  passMode: oneOf('override', 'pass', 'remove'),
  document: asGiven,
  examples: readFlag,
  validate: withMethods<ServiceValidator>('a validator', 'wrap'),
});

/** Creates the custom routes of a router, at first none. */
export function createRoutes(router: Router<Endpoint>): Routes {
  let added: readonly Added[] = [];

  function put(method: string, pattern: string, endpoint: Endpoint): () => void {
    const name = method.toUpperCase();
    const route = { method: name, pattern, endpoint, remove: router.add(name, pattern, endpoint) };
    added = [...added, route];
    return () => {
      if (!added.includes(route)) return;
      added = added.filter((one) => one !== route);
      route.remove();
    };
  }

  return {
    add(method, pattern, handler) {
      if (method !== '*') readFilter({ method });
      if (typeof pattern !== 'string') throw expected('path', 'a pattern like "/_db/:db/my-service/*"', pattern);
      const fault = pathFault(pattern);
      if (fault !== undefined) throw new InvalidArgumentError('path', fault);
      if (typeof handler !== 'function') throw expected('handler', 'a function', handler);
      return put(method, pattern, customEndpoint(handler));
    },
    service(name, handlers, options = {}) {
      // The names that the gateway's own paths may have.
      if (typeof name !== 'string' || !/^(?!\.\.?$)[\w.-]+$/.test(name))
        throw expected('name', 'a name of letters, digits, ".", "_" and "-"', name);
      readArgument(handlers, 'handlers', readObject);
      const endpoint = hostedEndpoint(name, handlers, readFields(options, 'options', readServiceOptions));
      return put('*', `/_service/uds/${options.global === true ? '_global' : '_db/:db'}/${name}/*`, endpoint);
    },
    seed({ method, path, echo: echoes, ...response }) {
      put(method, path, echoes ? { serve: echo } : customEndpoint(() => response));
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
