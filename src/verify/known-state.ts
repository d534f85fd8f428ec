import { isObject, isTexts } from '../lib/values.js';
import type { Binding, Policy, Role } from '../policy/index.js';
import { nameFault } from '../policy/model/names.js';
import { as, permissions } from './checks/check.js';
import type { KnownState } from './checks/state.js';
import { type Answer, fill } from './exchange.js';
import type { Ask } from './side.js';

/** The reason why a state cannot be read. */
export class Unreadable extends Error {}

const pageSize = 500;

type Get = (path: string) => Promise<Answer>;

function bodyOf({ status, body }: Answer, path: string): Record<string, unknown> {
  if (status === 200 && isObject(body)) return body;
  const reason = status === 401 ? ": the client's token is refused" : status === 403 ? ': its user may not' : '';
  throw new Unreadable(`GET ${path} answered ${status}${reason}`);
}

async function readNames(get: Get, path: string): Promise<string[]> {
  const names = new Set<string>();
  for (let page = 1; ; page++) {
    const { names: found } = bodyOf(await get(`${path}?page=${page}&itemsPerPage=${pageSize}`), path);
    if (!isTexts(found)) throw new Unreadable(`GET ${path} answered no names`);
    const before = names.size;
    for (const name of found) names.add(name);
    // A deployment that ignores the page would answer the same names for ever; the checks of pages tell that it does.
    if (found.length < pageSize || names.size === before) return [...names];
  }
}

async function readItems<T>(get: Get, path: string, empty: T): Promise<Map<string, T>> {
  const items = new Map<string, T>();
  for (const name of await readNames(get, path)) {
    // The lists have it, but no path names it.
    if (nameFault(name) !== undefined) {
      items.set(name, empty);
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
  const found: Binding[] = [];
  for (const user of users.filter((one) => nameFault(one) === undefined)) {
    const { bindings } = bodyOf(await get(`${permissions}/user/${encodeURIComponent(user)}/role`), 'the bindings');
    // Trust boundary: as above.
    if (Array.isArray(bindings)) found.push(...(bindings as object[]).map((one) => ({ user, ...one }) as Binding));
  }
  return found;
}

/**
 * Reads the policies, the roles, and the bindings of these users with the token `good`.
 * @throws Unreadable if an answer does not have them.
 */
export async function readKnownState(
  ask: Ask,
  texts: ReadonlyMap<string, string>,
  users: readonly string[],
  bindings?: readonly Binding[],
): Promise<KnownState> {
  const get: Get = (path) => ask({ method: 'GET', path, headers: fill(as('good'), texts) });
  return {
    policies: await readItems<Policy>(get, `${permissions}/policy`, { statements: [] }),
    roles: await readItems<Role>(get, `${permissions}/role`, { policies: [] }),
    bindings: bindings ?? (await readBindings(get, users)),
  };
}

/** A state without any item, of a deployment whose state cannot be read. */
export const emptyState: KnownState = { policies: new Map(), roles: new Map(), bindings: [] };
