import { nearest } from '../../../base/lib/nearest.js';
import { anyText, oneOf, optionsOf, type ReadersOf, withoutUndefined } from '../../../base/lib/readers.js';
import { isObject, wrongKind } from '../../../base/lib/values.js';
import type { ActionCatalog, Effect, Statement } from '../../index.js';
import { actionFault, resourceFault } from '../../model/pattern.js';
import { refuse } from '../analysis-error.js';
import { readInput } from '../read-input.js';
import { meet, parseShape } from '../text-shape.js';

/** An action of a catalog, a namespace's wildcard, or `*`. */
export type ActionPattern<A extends string> =
  | A
  | (A extends `${infer Namespace}:${string}` ? `${Namespace}:*` : never)
  | '*';

/** Options of `statement`. */
export interface StatementOptions {
  /** Default `Allow`; an explicit `undefined` is refused. */
  readonly effect?: Effect;
  readonly description?: string | undefined;
}

export const readStatementOptions = withoutUndefined(
  optionsOf({
    effect: oneOf<Effect>('Allow', 'Deny'),
    description: anyText,
  } satisfies ReadersOf<StatementOptions>),
  'effect',
);

const toList = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

/** Validates a list of patterns. An empty one would match nothing, so it is refused. */
function readPatterns(field: string, list: readonly string[], faultOf: (text: string) => string | undefined) {
  if (list.length === 0) refuse(field, 'expected at least one');
  for (const text of list) {
    if (typeof text !== 'string') refuse(field, wrongKind('a string', text));
    const fault = faultOf(text);
    if (fault) refuse(field, `${JSON.stringify(text)} ${fault}`);
  }
  return list;
}

/**
 * Builds a statement from the actions of a catalog: editors complete their names, and a resource to which none of the
 * actions applies is refused.
 *
 * @throws AnalysisError (code `ANALYSIS`) for an action that the catalog lacks, with the nearest one, and for a
 * resource to which none of the actions applies.
 *
 * @example
 * ```ts
 * import { catalog, statement } from 'arango-services/analysis';
 *
 * const read = statement(catalog.database, 'db:Read', ['db:database:shop', 'db:collection:shop:*']);
 * const deny = statement(catalog.database, ['db:Drop', 'db:Create'], '*', { effect: 'Deny' });
 * ```
 */
export function statement<A extends string>(
  catalog: ActionCatalog<A>,
  actions: ActionPattern<NoInfer<A>> | readonly ActionPattern<NoInfer<A>>[],
  resources: string | readonly string[],
  options: StatementOptions = {},
): Statement {
  const { effect = 'Allow', description } = readInput(options, 'options', readStatementOptions, '');
  if (!isObject(catalog) || !Array.isArray(catalog.actions)) refuse('catalog', wrongKind('a catalog', catalog));
  const patterns = readPatterns('actions', toList<string>(actions), actionFault);
  const texts = readPatterns('resources', toList<string>(resources), resourceFault);
  const catalogActions = patterns.flatMap((pattern) => {
    const shape = parseShape(pattern, true);
    const matches = catalog.actions.filter(({ action }) => meet(shape, parseShape(action, true)));
    if (matches.length > 0) return matches;
    const near = nearest(
      pattern,
      catalog.actions.map(({ action }) => action),
    );
    const hint = near ? `; the nearest is ${JSON.stringify(near)}` : '';
    return refuse('actions', `${catalog.name} has no ${JSON.stringify(pattern)}${hint}`);
  });
  const possible = [...new Set(catalogActions.flatMap((action) => action.resources))];
  for (const resource of texts) {
    const shape = parseShape(resource, false);
    if (possible.some((form) => meet(parseShape(form, false), shape))) continue;
    const list = possible.map((form) => JSON.stringify(form)).join(', ');
    const hint = possible.join() === '' ? '; only "*" matches that' : '';
    refuse('resources', `${JSON.stringify(resource)}: these actions apply to ${list}${hint}`);
  }
  return {
    effect,
    actions: [...patterns],
    resources: [...texts],
    ...(description !== undefined && { description }),
  };
}
