import { ownField } from '../../base/lib/values.js';
import { inheritsNothing } from '../model/plain.js';

/** The unchecked fields of a request, an item or a subject, as JavaScript callers may pass them. */
export interface Asked {
  readonly user?: unknown;
  readonly roles?: unknown;
  readonly superuser?: unknown;
  readonly action?: unknown;
  readonly resource?: unknown;
}

const names = ['user', 'roles', 'superuser', 'action', 'resource'] as const;

/** True for a plain object without inherited fields, which can be read directly. */
export const isPlainRequest = (request: unknown): request is Asked =>
  request != null &&
  // For speed only: after a field was read, V8 has the prototype at hand.
  request.constructor === Object &&
  Object.getPrototypeOf(request) === Object.prototype &&
  inheritsNothing();

/**
 * Returns the own fields of a request. Inherited fields must not count: a polluted `Object.prototype` would fill in
 * missing ones. A plain object is not copied. Any other value has no fields.
 */
export function ownFields(request: unknown): Asked {
  if (isPlainRequest(request)) return request;
  return Object.fromEntries(names.map((name) => [name, ownField(request, name)]));
}
