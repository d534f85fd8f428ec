import { ServiceFailure } from './http.js';
import type { Exchange } from './mock-exchange.js';
import { checkForm } from './protobuf-json.js';

// Headers that the services' gRPC gateway handles before a service sees the request.

/** Nanoseconds of each unit of `grpc-timeout`. */
const units = { H: 3_600e9, M: 60e9, S: 1e9, m: 1e6, u: 1e3, n: 1 } as const;

const timeoutForm = /^([+-]?\d{1,19})([HMSmun])$/;

/** Reads `grpc-timeout`, which wraps at 64 bits. A negative time, or one below a millisecond, is over at once. */
export function readTimeout(exchange: Exchange): void {
  const timeout = exchange.headers.get('grpc-timeout');
  if (!timeout) return;
  const [, count, unit] = timeoutForm.exec(timeout) ?? [];
  if (unit === undefined) throw new ServiceFailure(3, `invalid grpc-timeout: ${timeout}`);
  // The cast: the expression allows these units only. Zero sets no deadline.
  const ns = Number(BigInt.asIntN(64, BigInt(count ?? 0) * BigInt(units[unit as keyof typeof units])));
  exchange.isLate = ns < 1e6 && ns !== 0;
}

/** True for a form in a POST, which the gateway may treat as a long GET. */
export const isForm = ({ request: { method, headers } }: Exchange): boolean =>
  method === 'POST' && headers.get('content-type') === 'application/x-www-form-urlencoded';

/** Parses body and query as a form, which leaves no body for the service. */
export function takeForm(exchange: Exchange): void {
  checkForm(exchange.takeText());
  checkForm(exchange.request.query);
}

/** The method that the gateway looks for: `X-HTTP-Method-Override` counts in a form only. */
export function gatewayMethod(exchange: Exchange): string {
  const { method, headers } = exchange.request;
  const override = headers.get('x-http-method-override');
  if (!override || !isForm(exchange)) return method;
  takeForm(exchange);
  return override.toUpperCase();
}
