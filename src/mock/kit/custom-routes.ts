import { InvalidArgumentError } from '../../errors.js';
import { expected } from '../../lib/readers.js';
import { type Endpoint, isOwned } from '../server/endpoints.js';
import type { Router } from '../server/router.js';
import { type CustomHandler, customEndpoint } from './custom-handler.js';
import { readFilter } from './filter.js';

/** The routes that a test added to a mock. */
export interface Routes {
  add(method: string, pattern: string, handler: CustomHandler): () => void;
  save(): readonly Added[];
  load(saved: readonly Added[]): void;
}

interface Added {
  readonly method: string;
  readonly pattern: string;
  readonly endpoint: Endpoint;
  remove(): void;
}

/** Adds routes to a router, and takes them away again. */
export function createRoutes(router: Router<Endpoint>): Routes {
  let added: readonly Added[] = [];
  return {
    add(method, pattern, handler) {
      if (method !== '*') readFilter({ method });
      if (typeof pattern !== 'string') throw expected('path', 'a pattern like "/_db/:db/my-service/*"', pattern);
      if (isOwned(pattern)) {
        throw new InvalidArgumentError(
          'path',
          'is served by the mock itself: expected a path of your own service, like "/_db/:db/my-service/*"',
        );
      }
      if (typeof handler !== 'function') throw expected('handler', 'a function', handler);
      const name = method.toUpperCase();
      const endpoint = customEndpoint(handler);
      const route = { method: name, pattern, endpoint, remove: router.add(name, pattern, endpoint) };
      added = [...added, route];
      return () => {
        if (!added.includes(route)) return;
        added = added.filter((one) => one !== route);
        route.remove();
      };
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
