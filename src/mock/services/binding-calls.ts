import type { Platform } from '../platform.js';
import type { WirePolicy } from '../state/wire-items.js';
import { json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { bodyMessage, text } from '../wire/protobuf-json.js';
import { readPolicyField } from './policy-fields.js';
import { permit } from './token-owner.js';

// The management calls for the roles of users and of groups.

/** The differences between users and groups. */
type OwnerKind = { readonly kind: 'user' | 'group'; readonly noun: 'User' | 'Group' };

/** The calls for the roles of users, or of groups. */
export type BindingCalls = Readonly<
  Record<
    'list' | 'assign' | 'replaceScope' | 'remove',
    (exchange: Exchange, platform: Platform) => Promise<NeutralResponse>
  >
>;

function checkNames({ noun }: OwnerKind, owner: string, role: string): void {
  if (owner === '') throw new ServiceFailure(3, `${noun} cannot be empty`);
  if (role === '') throw new ServiceFailure(3, 'Role cannot be empty');
}

/** The names in the path. */
const namesOf = ({ kind }: OwnerKind, { params }: Exchange) => ({ owner: params[kind] ?? '', role: params.role ?? '' });

async function list(of: OwnerKind, exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { owner } = namesOf(of, exchange);
  await permit(exchange, platform, `rbac:List${of.noun}RoleBinding`, owner);
  checkNames(of, owner, '-');
  return json({ bindings: platform.store.bound[of.kind].of(owner) });
}

async function write(of: OwnerKind, exchange: Exchange, platform: Platform, exists: boolean): Promise<NeutralResponse> {
  const { kind, noun } = of;
  const { owner, role } = namesOf(of, exchange);
  const fields = bodyMessage(exchange, platform);
  for (const name of [kind, 'role']) text(fields[name], name); // The path wins; these only need the right type.
  const content = readPolicyField(fields.scope, 'scope', platform.fidelity, 3);
  const action = exists ? `rbac:Replace${noun}RoleScope` : `rbac:Assign${noun}Role`;
  await permit(exchange, platform, action, owner);
  checkNames(of, owner, role);
  if (content === undefined) throw new ServiceFailure(3, 'Scope cannot be empty');
  const scope: WirePolicy = content();
  const bound = platform.store.bound[kind];
  const isBound = bound.has(owner, role);
  if (isBound && !exists) throw new ServiceFailure(6, `${noun} role binding already exists`);
  if (!isBound && exists) throw new ServiceFailure(5, `${noun} role binding not found`);
  return json({ [kind]: owner, role, scope, index: bound.set(owner, role, scope) });
}

async function remove(of: OwnerKind, exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { owner, role } = namesOf(of, exchange);
  await permit(exchange, platform, `rbac:Remove${of.noun}Role`, owner);
  checkNames(of, owner, role);
  const bound = platform.store.bound[of.kind];
  if (!bound.has(owner, role)) {
    const isReported = platform.fidelity.ignoresVersions || platform.version.namesMissingBinding;
    throw isReported ? new ServiceFailure(5, `${of.noun} role binding not found`) : new ServiceFailure(13, 'not found');
  }
  return json({ [of.kind]: owner, role, scope: null, index: bound.delete(owner, role) });
}

const callsOf = (of: OwnerKind): BindingCalls => ({
  list: (exchange, platform) => list(of, exchange, platform),
  assign: (exchange, platform) => write(of, exchange, platform, false),
  replaceScope: (exchange, platform) => write(of, exchange, platform, true),
  remove: (exchange, platform) => remove(of, exchange, platform),
});

/** `GET /user/{user}/role`; `POST`, `PUT` and `DELETE /user/{user}/role/{role}`. The role need not exist. */
export const userBindingCalls = /* @__PURE__ */ callsOf({ kind: 'user', noun: 'User' });

/** The calls for groups, below `/group/{group}`. */
export const groupBindingCalls = /* @__PURE__ */ callsOf({ kind: 'group', noun: 'Group' });
