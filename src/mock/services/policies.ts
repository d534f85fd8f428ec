import type { Platform } from '../platform.js';
import type { Table } from '../state/table.js';
import { json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { bodyMessage, queryInteger, readQuery, text, wrong } from '../wire/protobuf-json.js';
import { readPolicyField, readRoleField } from './policy-fields.js';
import { permit } from './token-owner.js';

// The management calls for policies and roles. Both are named items with the same five calls.

/** The default page size of lists. */
const itemsPerPage = 128;

/** The interface that policies and roles share. */
interface Kind<T> {
  readonly noun: 'Policy' | 'Role';
  table(platform: Platform): Table<T>;
  /** Checks the types of an item now, and its content when the returned function is called. */
  read(item: unknown, platform: Platform): (() => T) | undefined;
  /** Updates the evaluator. */
  put(platform: Platform, name: string, item: T): void;
  drop(platform: Platform, name: string): void;
}

type ManagementCall = (exchange: Exchange, platform: Platform) => Promise<NeutralResponse>;

/** The five calls over policies or roles. */
export interface ManagementCalls {
  readonly list: ManagementCall;
  readonly get: ManagementCall;
  readonly create: ManagementCall;
  readonly update: ManagementCall;
  readonly remove: ManagementCall;
}

function callsFor<T>({ noun, table, read, put, drop }: Kind<T>): ManagementCalls {
  const named = ({ params }: Exchange): string => params.name ?? '';
  const missing = (): ServiceFailure => new ServiceFailure(5, `${noun} not found`);

  async function write(exchange: Exchange, platform: Platform, verb: 'Create' | 'Update'): Promise<NeutralResponse> {
    const name = named(exchange);
    const fields = bodyMessage(exchange, platform);
    text(fields.name, 'name'); // The path wins; this one only needs the right type.
    const content = read(fields.item, platform);
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
      const query = readQuery(exchange);
      const page = queryInteger(query, 'page') ?? 1;
      const size = queryInteger(query, 'itemsPerPage', 'items_per_page') ?? itemsPerPage;
      if (size < 0) throw wrong('itemsPerPage', '0 or more', size);
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
export const policyCalls: ManagementCalls = /* @__PURE__ */ callsFor({
  noun: 'Policy',
  table: ({ store }) => store.policies,
  read: (item, { fidelity }) => readPolicyField(item, 'item', fidelity, 13),
  put: ({ store }, name, item) => store.writing().setPolicy(name, item),
  drop: ({ store }, name) => void store.writing().deletePolicy(name),
});

/** The calls over roles. Deleting one leaves the bindings that name it. */
export const roleCalls: ManagementCalls = /* @__PURE__ */ callsFor({
  noun: 'Role',
  table: ({ store }) => store.roles,
  read: (item, { fidelity }) => readRoleField(item, 'item', fidelity),
  put: ({ store }, name, item) => store.writing().setRole(name, item),
  drop: ({ store }, name) => void store.writing().deleteRole(name),
});
