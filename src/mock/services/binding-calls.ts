import type { Platform } from '../platform.js';
import type { WirePolicy } from '../state/wire-items.js';
import { json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { bodyMessage, text } from '../wire/protobuf-json.js';
import { readPolicyField } from './policy-fields.js';
import { permit } from './token-owner.js';

// The management calls for the bindings of a user.

function pair({ params }: Exchange): { user: string; role: string } {
  return { user: params.user ?? '', role: params.role ?? '' };
}

function checkPair(user: string, role: string): void {
  if (user === '') throw new ServiceFailure(3, 'User cannot be empty');
  if (role === '') throw new ServiceFailure(3, 'Role cannot be empty');
}

/** `GET /user/{user}/role`. */
export async function listBindings(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { user } = pair(exchange);
  await permit(exchange, platform, 'rbac:ListUserRoleBinding', user);
  checkPair(user, '-');
  return json({ bindings: platform.store.bindingsOf(user) });
}

async function bind(exchange: Exchange, platform: Platform, action: string, exists: boolean): Promise<NeutralResponse> {
  const { user, role } = pair(exchange);
  const fields = bodyMessage(exchange, platform);
  for (const name of ['user', 'role']) text(fields[name], name); // The path wins; these only need the right type.
  const content = readPolicyField(fields.scope, 'scope', platform.fidelity, 3);
  await permit(exchange, platform, action, user);
  checkPair(user, role);
  if (content === undefined) throw new ServiceFailure(3, 'Scope cannot be empty');
  const scope: WirePolicy = content();
  const { store } = platform;
  const found = store.isBound(user, role);
  if (found && !exists) throw new ServiceFailure(6, 'User role binding already exists');
  if (!found && exists) throw new ServiceFailure(5, 'User role binding not found');
  return json({ user, role, scope, index: store.bind(user, role, scope) });
}

/** `POST /user/{user}/role/{role}`. The role need not exist. */
export const assignRole = (exchange: Exchange, platform: Platform): Promise<NeutralResponse> =>
  bind(exchange, platform, 'rbac:AssignUserRole', false);

/** `PUT /user/{user}/role/{role}`. */
export const replaceScope = (exchange: Exchange, platform: Platform): Promise<NeutralResponse> =>
  bind(exchange, platform, 'rbac:ReplaceUserRoleScope', true);

/** `DELETE /user/{user}/role/{role}`. */
export async function removeRole(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { user, role } = pair(exchange);
  await permit(exchange, platform, 'rbac:RemoveUserRole', user);
  checkPair(user, role);
  const { store, fidelity } = platform;
  if (!store.isBound(user, role)) {
    const { code, message } = fidelity.bindingNotFound;
    throw new ServiceFailure(code, message);
  }
  return json({ user, role, scope: null, index: store.unbind(user, role) });
}
