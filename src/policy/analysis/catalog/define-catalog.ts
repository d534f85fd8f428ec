import { isObject, isTexts, ownField, wrongKind } from '../../../base/lib/values.js';
import { follow } from '../../../base/openapi-document/reference.js';
import type { ActionCatalog, CatalogAction, CatalogNeed } from '../../index.js';
import { actionFault, resourceFault } from '../../model/pattern.js';
import { refuse } from '../analysis-error.js';

/** The actions of a service, by name. */
export interface CatalogDefinition<A extends string> {
  /** The name of the service, for messages. */
  readonly name: string;
  /** The version from which the actions were taken, for messages. */
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
 * @throws AnalysisError (code `ANALYSIS`) for a definition, an action or a resource that is not valid.
 *
 * @example
 * ```ts
 * import { defineCatalog, statement } from 'arango-services/analysis';
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
export function defineCatalog(definition: CatalogDefinition<string> | CatalogDocument): ActionCatalog {
  for (const field of ['name', 'source'])
    if (typeof ownField(definition, field) !== 'string') refuseField(field, 'a string', definition);
  const { name, source } = definition;
  const actions = 'document' in definition ? actionsOf(definition.document) : readActions(definition.actions);
  for (const { action, resources } of actions) {
    if (action.includes('*') || actionFault(action)) {
      refuse('actions', `${JSON.stringify(action)}: expected "<namespace>:<name>" without wildcards`);
    }
    for (const resource of resources) {
      const fault = resourceFault(resource, true);
      if (fault) refuse(`actions: ${action}`, `resource ${JSON.stringify(resource)} ${fault}`);
    }
  }
  const list = 'needs' in definition ? definition.needs : undefined;
  if (list !== undefined && !Array.isArray(list)) refuseField('needs', 'a list', definition);
  const needs = list && { needs: [...list] };
  return { name, source, actions, ...needs };
}

/** Refuses a field of a definition. */
const refuseField = (field: string, expected: string, definition: unknown): never =>
  refuse(field, wrongKind(expected, ownField(definition, field)));

function readActions(actions: CatalogDefinition<string>['actions']): CatalogAction[] {
  if (!isObject(actions)) refuseField('actions', 'an object of actions by name', { actions });
  return Object.entries(actions).map(([action, value]) => {
    const resources = ownField(value, 'resources');
    // Spreading a string would turn it into a list of its characters.
    if (!isTexts(resources))
      return refuse(`actions: ${action}`, `resources: ${wrongKind('a list of strings', resources)}`);
    return { action, description: String(ownField(value, 'description') ?? ''), resources: [...resources] };
  });
}

const values = (value: unknown): unknown[] => (isObject(value) ? Object.values(value) : []);

/** Replaces the parameters of a segment by one wildcard at its beginning or end. */
function toSegment(template: string): string {
  const [before = '', ...rest] = template.split(/\{[^{}]*\}/);
  const after = rest.at(-1);
  if (after === undefined) return template;
  if (after === '') return `${before}*`;
  return before === '' && rest.length === 1 ? `*${after}` : '*';
}

/**
 * Replaces the parameters of a resource by wildcards, `{name:text}` included. The value of `{name*}` may contain
 * colons, so it becomes a last "*".
 */
function toResources(template: string): string[] {
  const parts = template.replace(/:text(?=\*?\})/g, '').split(':');
  const segments = parts.map(toSegment);
  const long = parts.findIndex((part) => part.includes('*}'));
  const isLast = long === parts.length - 1;
  if (long < 0 || (isLast && segments[long] === '*')) return [segments.join(':')];
  const before = parts[long]?.split('{', 1)[0] ?? '';
  const open = [...segments.slice(0, long), `${before}*`, '*'].join(':');
  return isLast ? [segments.join(':'), open] : [open];
}

function actionsOf(document: unknown): CatalogAction[] {
  const paths = ownField(document, 'paths');
  if (!isObject(paths)) return refuse('document', 'expected an OpenAPI document, an object with paths');
  const actions = new Map<string, { action: string; description: string; resources: string[] }>();
  const operations = Object.values(paths).flatMap((item) =>
    values({ ...follow(document, item), ...(isObject(item) && item) }),
  );
  for (const operation of operations) {
    const permission = ownField(operation, 'x-permission');
    const [action, template] = [ownField(permission, 'action'), ownField(permission, 'resource')];
    if (typeof action !== 'string') continue;
    const description = String(ownField(operation, 'summary') ?? ownField(operation, 'description') ?? '');
    const entry = actions.get(action) ?? { action, description, resources: [] };
    for (const resource of typeof template === 'string' ? toResources(template) : ['']) {
      if (!entry.resources.includes(resource)) entry.resources.push(resource);
    }
    actions.set(action, entry);
  }
  return [...actions.values()];
}
