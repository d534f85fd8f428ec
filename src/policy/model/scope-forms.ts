import type { Policy, Statement } from './model.js';
import { samePolicy } from './normalize.js';

/**
 * The resources of a scope in words, one of these fields: a database with all that is in it; named collections, views,
 * graphs or analyzers, each as `<database>/<name>`; a pattern; or everything.
 */
export interface ScopeRequest {
  readonly database?: string | undefined;
  /** True to add the actions of administrators (`db:Admin*`), which no resource narrows. Only with `database`. */
  readonly admin?: boolean | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly views?: readonly string[] | undefined;
  readonly graphs?: readonly string[] | undefined;
  readonly analyzers?: readonly string[] | undefined;
  /** A pattern of resources, like `db:collection:shop:log-*`. */
  readonly pattern?: string | undefined;
  readonly everything?: true | undefined;
}

export const listFields = ['collections', 'views', 'graphs', 'analyzers'] as const;
const kinds = { collections: 'collection', views: 'view', graphs: 'graph', analyzers: 'analyzer' } as const;

/** The resources that each request needs, whatever its database is. */
const always = ['db:apiversion:*', 'db:database:_system', 'db:collection:_system:*'];

const allow = (actions: string, resources: readonly string[]): Statement => ({
  effect: 'Allow',
  actions: [actions],
  resources: [...new Set(resources)],
});

/** Builds the scope of a request. The request has been checked. */
export function scopeOfRequest(request: ScopeRequest): Policy {
  const { database, admin, pattern } = request;
  if (database !== undefined) {
    const inside = Object.values(kinds).map((kind) => `db:${kind}:${database}:*`);
    const own = allow('*', [...always, `db:database:${database}`, ...inside]);
    return { statements: admin ? [own, allow('db:Admin*', ['*'])] : [own] };
  }
  if (pattern !== undefined) return { statements: [allow('*', [...always, pattern])] };
  for (const field of listFields) {
    const pairs = request[field];
    if (!pairs) continue;
    const named = pairs.map((pair) => `db:${kinds[field]}:${pair.replace('/', ':')}`);
    const databases = pairs.map((pair) => `db:database:${pair.split('/', 1)}`);
    return { statements: [allow('*', [...always, ...named]), allow('db:Read', databases)] };
  }
  return { statements: [allow('*', ['*'])] };
}

/** Finds the request of a scope, if it has the form that `scopeOf` gives. */
export function requestOf(scope: Policy): ScopeRequest | undefined {
  const own = (scope.statements.find(({ actions }) => actions[0] === '*')?.resources ?? []).filter(
    (resource) => !always.includes(resource),
  );
  const [first = ''] = own;
  const database = own.find((resource) => resource.startsWith('db:view:'))?.split(':')[2];
  const field = listFields.find((kind) => first.startsWith(`db:${kinds[kind]}:`));
  const pairs = own.map((resource) => resource.split(':').slice(2).join('/'));
  const candidates: readonly ScopeRequest[] = [
    { everything: true },
    { database },
    { database, admin: true },
    ...(field === undefined ? [] : [{ [field]: pairs }]),
    { pattern: first },
  ];
  return candidates.find((candidate) => samePolicy(scope, scopeOfRequest(candidate)));
}

/** Formats a scope as a phrase like `database shop`, if it has the form that `scopeOf` gives, without `everything`. */
export function describeScope(scope: Policy | null | undefined): string | undefined {
  const { everything, admin, ...request } = (scope && requestOf(scope)) ?? { everything: true };
  const [field] = Object.entries(request);
  return everything || !field
    ? undefined
    : `${field[0]} ${[field[1]].flat().join(', ')}${admin ? ' and admin actions' : ''}`;
}
