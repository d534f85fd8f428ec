import type { Identity } from '../../jwt/claims.js';
import { authenticates } from '../config/settings.js';
import type { Platform } from '../platform.js';
import type { WirePolicy } from '../state/normalize.js';
import type { Table } from '../state/table.js';
import type { Exchange } from '../wire/exchange.js';
import { json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import { bodyMessage, queryInteger, text } from '../wire/protobuf-json.js';
import { requestToken, verify } from './access.js';
import { type Answer, decide, whoIs } from './authorization.js';
import { readPolicyField, readRoleField } from './policies.js';

const firstPage = 128;

/** Whose token it is; everything below `/_management` needs one. */
export async function callerOf(exchange: Exchange, platform: Platform): Promise<Identity> {
  const token = requestToken(exchange.request.headers, platform);
  if (token === undefined && authenticates(platform.settings)) throw new ServiceFailure(16, 'Unauthorized');
  const verdict = await verify(platform, token ?? '');
  if (!verdict.valid) throw new ServiceFailure(16, verdict.reason);
  exchange.user = verdict.identity.user;
  return verdict.identity;
}

function ask(exchange: Exchange, platform: Platform, caller: Identity, action: string, resource: string): Answer {
  const answer = decide(platform, whoIs(caller), action, resource, 'management');
  exchange.decision = answer.effect;
  return answer;
}

/** The caller has to have a permission; this comes before the content of the body is looked at. */
export async function permit(exchange: Exchange, platform: Platform, action: string, resource: string): Promise<void> {
  const { effect, message } = ask(exchange, platform, await callerOf(exchange, platform), action, resource);
  if (effect === 'Deny') throw new ServiceFailure(7, message);
}

/** `POST /validate`: a caller's own permission, as data. */
export async function validatePermission(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const fields = bodyMessage(exchange.json);
  const action = text(fields.action, 'action');
  const resource = text(fields.resource, 'resource');
  const caller = await callerOf(exchange, platform);
  const denied = (name: string, why: string): NeutralResponse =>
    json({ message: `rpc error: code = ${name} desc = ${why}`, effect: 'Deny' });
  try {
    const { effect, message } = ask(exchange, platform, caller, action, resource);
    return effect === 'Allow' ? json({ message: '', effect }) : denied('PermissionDenied', message);
  } catch (error) {
    if (error instanceof ServiceFailure) return denied('Internal', error.message);
    throw error;
  }
}

/** `POST /refresh`: nothing to do, every change counts at once. */
export async function refresh(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  bodyMessage(exchange.json);
  await callerOf(exchange, platform);
  return json({});
}

/** What policies and roles have in common. */
interface Kind<T> {
  readonly noun: 'Policy' | 'Role';
  table(platform: Platform): Table<T>;
  /** Checks the types of an item at once, its content when the function is called. */
  read(item: unknown, platform: Platform): (() => T) | undefined;
  /** Tells the evaluator. */
  put(platform: Platform, name: string, item: T): void;
  drop(platform: Platform, name: string): void;
}

type Call = (exchange: Exchange, platform: Platform) => Promise<NeutralResponse>;

/** The five calls over policies or roles. */
export interface Calls {
  readonly list: Call;
  readonly get: Call;
  readonly create: Call;
  readonly update: Call;
  readonly remove: Call;
}

function callsFor<T>({ noun, table, read, put, drop }: Kind<T>): Calls {
  const named = ({ params }: Exchange): string => params.name ?? '';
  const missing = (): ServiceFailure => new ServiceFailure(5, `${noun} not found`);

  async function write(exchange: Exchange, platform: Platform, verb: 'Create' | 'Update'): Promise<NeutralResponse> {
    const name = named(exchange);
    const content = read(bodyMessage(exchange.json).item, platform);
    await permit(exchange, platform, `rbac:${verb}${noun}`, name);
    if (content === undefined) throw new ServiceFailure(3, 'Item cannot be empty');
    const item = content();
    const all = table(platform);
    if (verb === 'Create' && all.has(name)) throw new ServiceFailure(6, `${noun} already exists`);
    if (verb === 'Update' && !all.has(name)) throw missing();
    if (name === '') throw new ServiceFailure(3, 'Name cannot be empty');
    put(platform, name, item);
    return json({ name, index: all.set(name, item), item });
  }

  return {
    async list(exchange, platform) {
      const query = new URLSearchParams(exchange.request.query);
      const page = queryInteger(query, 'page') ?? 1;
      const size = queryInteger(query, 'itemsPerPage', 'items_per_page') ?? firstPage;
      await permit(exchange, platform, `rbac:List${noun}`, '');
      const all = table(platform).names();
      const names = page < 1 || size < 1 ? [] : all.slice((page - 1) * size, page * size);
      return json({ names, page: { items: all.length, page: Math.max(page, 0) } });
    },
    async get(exchange, platform) {
      const name = named(exchange);
      await permit(exchange, platform, `rbac:Get${noun}`, name);
      const all = table(platform);
      const item = all.get(name);
      if (item === undefined) throw missing();
      return json({ name, index: all.index(name), item });
    },
    create: (exchange, platform) => write(exchange, platform, 'Create'),
    update: (exchange, platform) => write(exchange, platform, 'Update'),
    async remove(exchange, platform) {
      const name = named(exchange);
      await permit(exchange, platform, `rbac:Delete${noun}`, name);
      const all = table(platform);
      if (!all.has(name)) throw missing();
      drop(platform, name);
      return json({ name, index: all.delete(name), item: null });
    },
  };
}

/** The calls over policies. */
export const policyCalls: Calls = /* @__PURE__ */ callsFor({
  noun: 'Policy',
  table: ({ store }) => store.policies,
  read: (item, { fidelity }) => readPolicyField(item, 'item', fidelity, 13),
  put: ({ store }, name, item) => store.evaluator().setPolicy(name, item),
  drop: ({ store }, name) => void store.evaluator().deletePolicy(name),
});

/** The calls over roles. Deleting one leaves the bindings that name it. */
export const roleCalls: Calls = /* @__PURE__ */ callsFor({
  noun: 'Role',
  table: ({ store }) => store.roles,
  read: (item, { fidelity }) => readRoleField(item, 'item', fidelity),
  put: ({ store }, name, item) => store.evaluator().setRole(name, item),
  drop: ({ store }, name) => void store.evaluator().deleteRole(name),
});

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
  return json({ bindings: platform.store.bindingsOf(user).map(([role, scope]) => ({ role, scope })) });
}

async function bind(exchange: Exchange, platform: Platform, action: string, exists: boolean): Promise<NeutralResponse> {
  const { user, role } = pair(exchange);
  const content = readPolicyField(bodyMessage(exchange.json).scope, 'scope', platform.fidelity, 3);
  await permit(exchange, platform, action, user);
  checkPair(user, role);
  if (content === undefined) throw new ServiceFailure(3, 'Scope cannot be empty');
  const scope: WirePolicy = content();
  const { store } = platform;
  const found = store.bindings.get(user)?.has(role) === true;
  if (found && !exists) throw new ServiceFailure(6, 'User role binding already exists');
  if (!found && exists) throw new ServiceFailure(5, 'User role binding not found');
  return json({ user, role, scope, index: store.bind(user, role, scope) });
}

/** `POST /user/{user}/role/{role}`. The role need not exist. */
export const assignRole: Call = (exchange, platform) => bind(exchange, platform, 'rbac:AssignUserRole', false);

/** `PUT /user/{user}/role/{role}`. */
export const replaceScope: Call = (exchange, platform) => bind(exchange, platform, 'rbac:ReplaceUserRoleScope', true);

/** `DELETE /user/{user}/role/{role}`. */
export async function removeRole(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { user, role } = pair(exchange);
  await permit(exchange, platform, 'rbac:RemoveUserRole', user);
  checkPair(user, role);
  const { store, fidelity } = platform;
  if (store.bindings.get(user)?.has(role) !== true) {
    const { code, message } = fidelity.bindingNotFound;
    throw new ServiceFailure(code, message);
  }
  return json({ user, role, scope: null, index: store.unbind(user, role) });
}
