import type { ReadRequest } from './guarded-request.js';

/** The headers that a decision's call carries on, by their forms. Anything else that a caller sends stays behind. */
const forms: readonly (readonly [name: string, form: RegExp])[] = [
  ['x-request-id', /^[!-~]{1,200}$/],
  ['traceparent', /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?:-[!-~]{1,100})?$/],
];

/** Returns the headers that carry on the request's id and trace; undefined if it has none. */
export function traceOf(request: ReadRequest): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const [name, form] of forms) {
    const value = request.header(name);
    if (typeof value === 'string' && form.test(value)) headers[name] = value;
  }
  return Object.keys(headers).length === 0 ? undefined : headers;
}
