import { ownField } from '../../base/lib/values.js';
import { type Fields, isPlainAlone } from '../model/plain.js';

const names = ['user', 'roles', 'superuser', 'action', 'resource'] as const;

/** The own fields of a request, so that a polluted prototype fills in none; no fields of anything but an object. */
export function ownFields(request: unknown): Fields {
  if (isPlainAlone(request)) return request;
  return Object.fromEntries(names.map((name) => [name, ownField(request, name)]));
}
