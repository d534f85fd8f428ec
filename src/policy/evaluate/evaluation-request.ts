import { ownField } from '../../base/lib/values.js';
import { type Fields, isPlainAlone } from '../model/plain.js';

const names = ['user', 'roles', 'superuser', 'action', 'resource'] as const;

/**
 * Returns the own fields of a request. Inherited fields must not count: a polluted `Object.prototype` would fill in
 * missing ones. A plain object is not copied. Any other value has no fields.
 */
export function ownFields(request: unknown): Fields {
  if (isPlainAlone(request)) return request;
  return Object.fromEntries(names.map((name) => [name, ownField(request, name)]));
}
