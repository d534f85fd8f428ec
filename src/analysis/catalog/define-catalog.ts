import { isObject } from '../../lib/values.js';
import type { ActionCatalog, CatalogAction, CatalogNeed } from '../../policy/index.js';
import { actionFault, resourceFault } from '../../policy/pattern.js';
import { own } from '../../policy/validate.js';
import { AnalysisError } from '../error.js';

/** The actions of a service, by name. */
export interface CatalogDefinition<A extends string> {
  /** For people: the name of the service. */
  readonly name: string;
  /** For people: the version that the actions were taken from. */
  readonly source: string;
  readonly actions: Readonly<Record<A, Omit<CatalogAction, 'action'>>>;
  readonly needs?: readonly CatalogNeed[] | undefined;
}

/** An OpenAPI document whose operations name their permission as `x-permission: { action, resource }`. */
export interface CatalogDocument extends Pick<CatalogDefinition<string>, 'name' | 'source'> {
  readonly document: unknown;
}

/**
 * Makes a catalog of the actions of a service: from their names, or from the `x-permission` of the operations of an
 * OpenAPI document, whose parameters (`order:{id}`) become wildcards.
 *
 * @throws AnalysisError (code `ANALYSIS`) for an action or a resource that is not valid.
 *
 * @example
 * ```ts
 * import { defineCatalog, statement } from 'arango-services/analysis/catalog';
 *
 * const orders = defineCatalog({
 *   name: 'the order service',
 *   source: '1.2.0',
 *   actions: { 'orders:read': { description: 'Reads an order.', resources: ['order:*'] } },
 * });
 * statement(orders, 'orders:read', 'order:7');
 * ```
 */
export function defineCatalog<const A extends string>(definition: CatalogDefinition<A>): ActionCatalog<A>;
export function defineCatalog(document: CatalogDocument): ActionCatalog;
export function defineCatalog(given: CatalogDefinition<string> | CatalogDocument): ActionCatalog {
  const { name, source } = given;
  const actions =
    'document' in given
      ? actionsOf(given.document)
      : Object.entries(given.actions).map(([action, { description, resources }]) => {
          return { action, description, resources: [...resources] };
        });
  for (const { action, resources } of actions) {
    if (action.includes('*') || actionFault(action)) {
      throw new AnalysisError(`actions: ${JSON.stringify(action)}: expected "<namespace>:<name>" without wildcards`);
    }
    for (const resource of resources) {
      const fault = resourceFault(resource, true);
      if (fault) throw new AnalysisError(`actions: ${action}: resource ${JSON.stringify(resource)} ${fault}`);
    }
  }
  const needs = 'needs' in given && given.needs ? { needs: [...given.needs] } : undefined;
  return { name, source, actions, ...needs };
}

const values = (value: unknown): unknown[] => (isObject(value) ? Object.values(value) : []);

/** A resource with its parameters as wildcards; a segment takes one wildcard, at its begin or end. */
function toResource(template: string): string {
  return template
    .split(':')
    .map((segment) => {
      const [before = '', ...rest] = segment.split(/\{[^{}]*\}/);
      const after = rest.at(-1);
      if (after === undefined) return segment;
      if (after === '') return `${before}*`;
      return before === '' && rest.length === 1 ? `*${after}` : '*';
    })
    .join(':');
}

function actionsOf(document: unknown): CatalogAction[] {
  const found = new Map<string, { action: string; description: string; resources: string[] }>();
  for (const operation of values(own(document, 'paths')).flatMap(values)) {
    const permission = own(operation, 'x-permission');
    const [action, template] = [own(permission, 'action'), own(permission, 'resource')];
    if (typeof action !== 'string') continue;
    const description = String(own(operation, 'summary') ?? own(operation, 'description') ?? '');
    const known = found.get(action) ?? { action, description, resources: [] };
    const resource = typeof template === 'string' ? toResource(template) : '';
    if (!known.resources.includes(resource)) known.resources.push(resource);
    found.set(action, known);
  }
  return [...found.values()];
}
