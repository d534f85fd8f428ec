import { inheritsNothing } from './plain.js';
import { own } from './validate.js';

/** The fields of a request, an item or a subject, as JavaScript callers may pass them: none of them is checked. */
export interface Asked {
  readonly user?: unknown;
  readonly roles?: unknown;
  readonly superuser?: unknown;
  readonly action?: unknown;
  readonly resource?: unknown;
}

const names = ['user', 'roles', 'superuser', 'action', 'resource'] as const;

/** True for a plain object, which inherits nothing: its fields can be read as they are. */
export const isPlainRequest = (request: unknown): request is Asked =>
  typeof request === 'object' &&
  request !== null &&
  // Decides nothing by itself: V8 knows the prototype of an object of which it has read a field, and need not ask.
  request.constructor === Object &&
  Object.getPrototypeOf(request) === Object.prototype &&
  inheritsNothing();

/**
 * The own fields of a request. Inherited fields must not count: a polluted `Object.prototype` would fill in missing
 * ones. A plain object costs no copy. Any other value has no fields.
 */
export function ownFields(request: unknown): Asked {
  if (isPlainRequest(request)) return request;
  return Object.fromEntries(names.map((name) => [name, own(request, name)]));
}
