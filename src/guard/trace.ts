import type { ReadRequest } from './guarded-request.js';
import type { Trace } from './source.js';

/** The headers that a decision's call carries on, by their forms. Anything else that a caller sends stays behind. */
const forms: readonly (readonly [name: string, form: RegExp])[] = [
  ['x-request-id', /^[!-~]{1,200}$/],
  ['traceparent', /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?:-[!-~]{1,100})?$/],
];

/** Returns the options that carry on the request's id and trace. */
export function traceOf(request: ReadRequest): Trace {
  const headers: Record<string, string> = {};
  for (const [name, form] of forms) {
    const value = request.header(name);
    if (typeof value === 'string' && form.test(value)) headers[name] = value;
  }
  return Object.keys(headers).length === 0 ? [] : [{ headers }];
}
