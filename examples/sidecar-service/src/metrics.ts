import type { CallEvent } from 'arango-services';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics for Prometheus. Each label has few values: the template of a path, and never an id or a user. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const seconds = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, registers });
  const served = seconds('http_server_seconds', 'Requests to this service', ['method', 'route', 'status']);
  const called = seconds('http_client_seconds', 'Attempts of calls to others', ['method', 'operation', 'result']);
  const live = new Gauge({ name: 'replica_live', help: '1 while the replica knows every change', registers });
  return {
    read: () => registry.metrics(),
    setLive: (isLive: boolean) => live.set(isLive ? 1 : 0),
    observe({ method, operation = 'other', status, code, durationMs }: CallEvent): void {
      called.observe({ method, operation, result: status ?? code }, durationMs / 1_000);
    },
    async onResponse({ method, routeOptions }: FastifyRequest, { statusCode, elapsedTime }: FastifyReply) {
      served.observe({ method, route: routeOptions.url ?? 'none', status: statusCode }, elapsedTime / 1_000);
    },
  };
}
