import {
  filled,
  listOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFlag,
  readText,
} from '../../../base/lib/readers.js';
import type { Policy, Statement } from '../../index.js';
import { samePolicy } from '../../model/normalize.js';
import { resourceFault } from '../../model/pattern.js';
import { refuse } from '../analysis-error.js';
import { pattern, readInput } from '../read-input.js';

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
  readonly everything?: boolean | undefined;
}

const kinds = { collections: 'collection', views: 'view', graphs: 'graph', analyzers: 'analyzer' } as const;
const listed = Object.keys(kinds) as (keyof typeof kinds)[];
const forms = ['database', ...listed, 'pattern', 'everything'] as const;

/** A name as a resource holds it: without colons, and not a pattern. */
const readPart: Reader<string> = (value, reading) => {
  const text = filled(readText)(value, reading);
  return /[:*]/.test(text) ? reading.report('must not hold ":" or "*"; see pattern') : text;
};
const readPair: Reader<string> = (value, reading) => {
  const text = readPart(value, reading);
  return /^[^/]+\/[^/]+$/.test(text) ? text : reading.report('expected "<database>/<name>"');
};
const readPairs = listOf(readPair);

const readRequest = optionsOf({
  database: readPart,
  admin: readFlag,
  collections: readPairs,
  views: readPairs,
  graphs: readPairs,
  analyzers: readPairs,
  pattern,
  everything: readFlag,
} satisfies ReadersOf<ScopeRequest>);

/** The resources that each request needs, whatever its database is. */
const always = ['db:apiversion:*', 'db:database:_system', 'db:collection:_system:*'];

const allow = (actions: string, resources: readonly string[]): Statement => ({
  effect: 'Allow',
  actions: [actions],
  resources,
});

function statementsOf(request: ScopeRequest): Statement[] {
  const { database, admin, pattern: given, everything } = request;
  if (everything) return [allow('*', ['*'])];
  if (given !== undefined) return [allow('*', [...always, given])];
  if (database !== undefined) {
    const inside = ['collection', 'view', 'analyzer', 'graph'].map((kind) => `db:${kind}:${database}:*`);
    const own = allow('*', [...always, `db:database:${database}`, ...inside]);
    return admin ? [own, allow('db:Admin*', ['*'])] : [own];
  }
  const [kind] = listed.filter((name) => request[name] !== undefined);
  const items = [...new Set(kind && request[kind])].map((text) => text.split('/'));
  const databases = [...new Set(items.map(([name]) => `db:database:${name}`))];
  const resources = items.map(([name, item]) => `db:${kind && kinds[kind]}:${name}:${item}`);
  return [allow('*', [...always, ...resources]), allow('db:Read', databases)];
}

/**
 * Builds the scope of a binding to a predefined role. That of a database is the one that ArangoDB tests; the others are
 * derived from it: the same base, reading the database, and everything on what is named.
 *
 * @throws AnalysisError (code `ANALYSIS`) for none or several fields, an unknown one, or a name that is not valid.
 * @example
 * ```ts
 * import { scopeOf } from 'arango-services/analysis';
 *
 * const scope = scopeOf({ database: 'shop' });
 * const orders = scopeOf({ collections: ['shop/orders'] });
 * ```
 */
export function scopeOf(request: ScopeRequest): Policy {
  const read = readInput(request, 'request', readRequest);
  const given = forms.filter((form) => read[form] !== undefined && read[form] !== false);
  if (given.length !== 1) refuse('request', `expected one of ${forms.join(', ')}, got ${given.join(', ') || 'none'}`);
  if (read.admin !== undefined && read.database === undefined) refuse('admin', 'expected none without database');
  for (const form of listed) if (read[form]?.length === 0) refuse(form, 'expected at least one');
  const fault = read.pattern === undefined ? undefined : resourceFault(read.pattern, true);
  if (fault !== undefined) refuse('pattern', fault);
  return { statements: statementsOf(read) };
}

const words = { collection: 'collections', view: 'views', graph: 'graphs', analyzer: 'analyzers' } as const;

/** Finds the request of a scope, if it has the form that `scopeOf` gives. */
export function requestOf(scope: Policy): ScopeRequest | undefined {
  const [first, second] = scope.statements;
  const resources = first?.resources.slice(always.length) ?? [];
  const databaseOf = (text = '') => /^db:database:([^:*]+)$/.exec(text)?.[1];
  const database = databaseOf(resources[0]);
  const kind = /^db:(collection|view|graph|analyzer):/.exec(resources[0] ?? '')?.[1] as keyof typeof words | undefined;
  const pairs = resources.map((text) => text.split(':').slice(2).join('/'));
  const candidates: readonly ScopeRequest[] = [
    { everything: true },
    ...(database === undefined ? [] : [second ? { database, admin: true } : { database }]),
    ...(kind !== undefined && second ? [{ [words[kind]]: pairs }] : []),
    ...(resources.length === 1 && !second ? [{ pattern: resources[0] }] : []),
  ];
  return candidates.find((candidate) => samePolicy(scope, { statements: statementsOf(candidate) }));
}

/** A scope in words, like `database shop`, if it has the form that `scopeOf` gives. */
export function describeScope(scope: Policy): string | undefined {
  const request = requestOf(scope);
  if (request === undefined) return undefined;
  if (request.everything) return 'everything';
  if (request.database !== undefined)
    return `database ${request.database}${request.admin ? ' with admin actions' : ''}`;
  if (request.pattern !== undefined) return `pattern ${request.pattern}`;
  const [kind] = listed.filter((name) => request[name] !== undefined);
  return `${kind} ${(kind && request[kind])?.join(', ')}`;
}
