import { InvalidArgumentError } from '../../base/errors.js';
import { expected } from '../../base/lib/readers.js';
import { ownField } from '../../base/lib/values.js';
import { ownFields } from '../../policy/evaluate/evaluation-request.js';
import type { AuthorizationRules } from '../../policy/model/authorization-type.js';
import type { Fields } from '../../policy/model/plain.js';

/** True for the common case: a request with a user, an action and a resource. */
export const isPlain = ({ user, superuser, action, resource }: Fields): boolean =>
  typeof user === 'string' && user !== '' && superuser === undefined && isItem({ action, resource });

const isItem = ({ action, resource }: Fields): boolean =>
  typeof action === 'string' && action !== '' && typeof resource === 'string';

/** Throws InvalidArgumentError without a subject, so that a request is never the superuser's by mistake. */
export function checkSubject(request: unknown, { rolesMakeSubject }: AuthorizationRules): void {
  const { user, roles, superuser } = ownFields(request);
  if (typeof request === 'object' && request !== null && 'token' in request && request.token !== undefined) {
    const how = 'resolve it first: replica.evaluate({ ...(await replica.authenticate(token)), action, resource })';
    throw new InvalidArgumentError('token', `is not accepted; ${how}`);
  }
  if (user !== undefined) {
    if (typeof user !== 'string' || user === '') throw expected('user', 'a non-empty name', user);
    if (superuser !== undefined) throw new InvalidArgumentError('superuser', 'cannot be combined with a user');
  } else if (superuser !== true && !(Array.isArray(roles) && rolesMakeSubject)) {
    throw new InvalidArgumentError('user', 'is missing; without it the superuser is meant');
  }
}

/** Validates an item; throws InvalidArgumentError for an invalid action or resource. */
export function checkItem(item: unknown, above = ''): void {
  const { action, resource } = ownFields(item);
  if (typeof action !== 'string' || action === '') throw expected(`${above}action`, 'non-empty text', action);
  if (typeof resource !== 'string') throw expected(`${above}resource`, 'a string', resource);
}

/** Validates the items of many decisions; throws InvalidArgumentError for an invalid list, action or resource. */
export function checkItems(request: unknown): void {
  const items = ownField(request, 'items');
  if (!Array.isArray(items)) throw expected('items', 'a list', items);
  for (const [i, item] of items.entries()) checkItem(item, `items[${i}].`);
}

/** Validates a user or group; throws InvalidArgumentError for an invalid name, if one is given. */
export function checkOwner(field: 'user' | 'group', name: unknown): void {
  if (name === undefined || (typeof name === 'string' && name !== '')) return;
  throw expected(field, 'a non-empty name', name);
}
