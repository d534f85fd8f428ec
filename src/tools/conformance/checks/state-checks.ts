import type { PermissionsState } from '../../../permissions/index.js';
import type { GroupBinding } from '../../../policy/index.js';
import { nameFault } from '../../../policy/model/predefined-names.js';
import { type Check, check, getAs, permissions } from './check.js';

/** The policies, roles and bindings that were read from a deployment. */
export interface KnownState extends Pick<PermissionsState, 'policies' | 'roles' | 'bindings'> {
  /** Bindings of groups, which only the streams list. */
  readonly groupBindings?: readonly GroupBinding[] | undefined;
  /** Names of what exists, but cannot be read; an empty item stands for it. */
  readonly unread?: Readonly<Record<'policy' | 'role' | 'user', ReadonlySet<string>>>;
}

/** True if a path can hold the name as one segment. */
export const isAddressable = (name: string): boolean => nameFault(name) === undefined;

/** The reason why an item is not asked for. */
export const notAddressable = 'no path holds its name';

/** The most items of a kind that are read one by one. */
const mostItems = 20;

function pagesOf(kind: 'policy' | 'role', count: number): Check {
  const past = Math.floor(count / 2) + 2;
  const pages = [
    '',
    '?page=0',
    '?page=-1',
    '?page=1&itemsPerPage=2',
    '?page=2&itemsPerPage=2',
    `?page=${past}&itemsPerPage=2`,
  ];
  return check(`paging/${kind}`, 'list', ...pages.map((query) => getAs('good', `${permissions}/${kind}${query}`)));
}

const named = (kind: 'policy' | 'role', names: Iterable<string>): Check[] =>
  [...names]
    .filter(isAddressable)
    .slice(0, mostItems)
    .map((name) =>
      check(
        `state/${kind}/${name}`,
        'get',
        getAs('good', `${permissions}/${kind}/${encodeURIComponent(name)}`, { volatile: ['/index'] }),
      ),
    );

/** Reads of what the deployment holds: pages, items and bindings. */
export function stateChecks({ policies, roles, bindings }: KnownState): Check[] {
  const users = [...new Set(bindings.map(({ user }) => user))].filter(isAddressable).slice(0, mostItems);
  return [
    pagesOf('policy', policies.size),
    pagesOf('role', roles.size),
    ...named('policy', policies.keys()),
    ...named('role', roles.keys()),
    ...users.map((user) =>
      check(
        `state/bindings/${user}`,
        'listBindings',
        getAs('good', `${permissions}/user/${encodeURIComponent(user)}/role`),
      ),
    ),
  ];
}
