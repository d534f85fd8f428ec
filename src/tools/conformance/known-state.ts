import { isObject, isTexts } from '../../base/lib/values.js';
import type { Binding, Policy, Role } from '../../policy/index.js';
import { as, permissions } from './checks/check.js';
import { isAddressable, type KnownState } from './checks/state-checks.js';
import { fill, type QuestionAnswer } from './question-exchange.js';
import type { Ask } from './side.js';

/** The reason why a state cannot be read. */
export class Unreadable extends Error {}

const pageSize = 500;

/** The most names of a kind, and the most bindings of a user, that are read. */
export const mostNames = 10_000;
export const mostBindings = 500;

type Get = (path: string) => Promise<QuestionAnswer>;

const reasons: Readonly<Record<number, string>> = {
  200: ', and no JSON object of at most 1 MB',
  401: ": the client's token is refused",
  403: ': its user may not',
};

function bodyOf({ status, body }: QuestionAnswer, path: string): Record<string, unknown> {
  if (status === 200 && isObject(body)) return body;
  throw new Unreadable(`GET ${path} answered ${status}${reasons[status] ?? ''}`);
}

async function readNames(get: Get, path: string): Promise<string[]> {
  const names = new Set<string>();
  for (let page = 1; ; page++) {
    const { names: pageNames } = bodyOf(await get(`${path}?page=${page}&itemsPerPage=${pageSize}`), path);
    if (!isTexts(pageNames)) throw new Unreadable(`GET ${path} answered no names`);
    if (pageNames.length > pageSize)
      throw new Unreadable(`GET ${path} answered more than ${pageSize} names for a page`);
    const before = names.size;
    for (const name of pageNames) names.add(name);
    if (names.size > mostNames) throw new Unreadable(`GET ${path} answered more than ${mostNames} names`);
    // A deployment that ignores `page` would answer the same names for ever; the checks of pages report that.
    if (pageNames.length < pageSize || names.size === before) return [...names];
  }
}

/** The source of items that no URL can name, and the set to which the names of unreadable items are added. */
interface Unaddressable<T> {
  readonly streamed: ReadonlyMap<string, T> | undefined;
  readonly empty: T;
  readonly unread: Set<string>;
}

/** Reads the items of a kind; those that no URL can name come from the streams, or are added to `unread`. */
async function readItems<T>(
  get: Get,
  path: string,
  { streamed, empty, unread }: Unaddressable<T>,
): Promise<Map<string, T>> {
  const items = new Map<string, T>();
  for (const name of await readNames(get, path)) {
    if (!isAddressable(name)) {
      const item = streamed?.get(name);
      if (item === undefined) unread.add(name);
      items.set(name, item ?? empty);
      continue;
    }
    const answer = await get(`${path}/${encodeURIComponent(name)}`);
    // Deleted meanwhile.
    if (answer.status === 404) continue;
    const { item } = bodyOf(answer, `${path}/<name>`);
    // Trust boundary: a mock reads the items, and refuses those that are not valid.
    if (isObject(item)) items.set(name, item as T);
  }
  return items;
}

async function readBindings(get: Get, users: readonly string[]): Promise<Binding[]> {
  const bindingsOfUsers: Binding[] = [];
  for (const user of users) {
    const { bindings } = bodyOf(await get(`${permissions}/user/${encodeURIComponent(user)}/role`), 'the bindings');
    if (!Array.isArray(bindings)) continue;
    if (bindings.length > mostBindings) throw new Unreadable(`a user has more than ${mostBindings} bindings`);
    // Trust boundary: as above.
    bindingsOfUsers.push(...(bindings as object[]).map((binding) => ({ user, ...binding }) as Binding));
  }
  return bindingsOfUsers;
}

/**
 * Reads the policies, the roles, and the bindings of these users with the token `good`.
 * @param pool the state of the streams, which knows the bindings of all users and items with any name.
 * @throws Unreadable if an answer does not have them.
 */
export async function readKnownState(
  ask: Ask,
  texts: ReadonlyMap<string, string>,
  users: readonly string[],
  pool?: KnownState,
): Promise<KnownState> {
  const get: Get = (path) => ask({ method: 'GET', path, headers: fill(as('good'), texts) });
  const unread = { policy: new Set<string>(), role: new Set<string>(), user: new Set<string>() };
  const policies = await readItems<Policy>(get, `${permissions}/policy`, {
    streamed: pool?.policies,
    empty: { statements: [] },
    unread: unread.policy,
  });
  const roles = await readItems<Role>(get, `${permissions}/role`, {
    streamed: pool?.roles,
    empty: { policies: [] },
    unread: unread.role,
  });
  if (pool !== undefined) return { policies, roles, bindings: pool.bindings, unread };
  for (const user of users) if (!isAddressable(user)) unread.user.add(user);
  return { policies, roles, bindings: await readBindings(get, users.filter(isAddressable)), unread };
}

/** A state without any item, of a deployment whose state cannot be read. */
export const emptyState: KnownState = { policies: new Map(), roles: new Map(), bindings: [] };
