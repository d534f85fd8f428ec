import { accepting, listOf, optionsOf, type ReadersOf } from '../../base/lib/readers.js';
import { remember } from '../../base/lib/remember.js';
import { refuse } from './analysis-error.js';
import type { RegionPattern } from './analysis-types.js';
import { readInput } from './read-input.js';
import type { ResourceFilter } from './resource-filter.js';
import { parseShape } from './text-shape.js';

/** An AQL condition with its bind variables, which can be used in arangojs's `aql` template directly. */
export type AqlCondition = { readonly query: string; readonly bindVars: Record<string, string> };

const identifier = /^[A-Za-z_]\w*$/;

const join = (operator: string, conditions: readonly string[]): string =>
  conditions.length === 1 ? `${conditions[0]}` : `(${conditions.join(operator)})`;

/** Returns a function that writes the condition of a pattern for one attribute; its variables go into `bindVars`. */
function writerOf(value: string, prefix: string, bindVars: Record<string, string>): (pattern: RegionPattern) => string {
  const names = new Map<string, string>();
  /** Returns the bind variable for a text. */
  const bind = (text: string): string => {
    // Without the "_", the names of the prefixes `a` and `a1` would clash.
    const name = remember(names, text, () => `${prefix}_${names.size}`);
    bindVars[name] = text;
    return `@${name}`;
  };
  const conditionsOf = (pattern: string): string[] => {
    const { parts, isOpen } = parseShape(pattern, false);
    const wild = parts.findIndex(({ isExact }) => !isExact);
    if (wild < 0) return [`${value} == ${bind(pattern)}`];
    if (pattern === '*') return ['true'];
    // The prefix fixes the number of segments, so LENGTH need not be tested.
    if (isOpen && wild === parts.length - 1) return [`STARTS_WITH(${value}, ${bind(pattern.slice(0, -1))})`];
    const segments = `SPLIT(${value}, ${bind(':')})`;
    const conditions = [`LENGTH(${segments}) ${isOpen ? '>=' : '=='} ${parts.length}`];
    for (const [i, { isExact, prefix, suffix }] of parts.entries()) {
      const segment = `${segments}[${i}]`;
      const text = prefix + suffix;
      if (isExact) conditions.push(`${segment} == ${bind(text)}`);
      else if (prefix !== '') conditions.push(`STARTS_WITH(${segment}, ${bind(text)})`);
      // The length is computed in AQL, which counts characters differently from JavaScript.
      else if (suffix !== '') conditions.push(`SUBSTRING(${segment}, -LENGTH(${bind(text)})) == ${bind(text)}`);
    }
    return conditions;
  };
  return (pattern) => {
    const all = typeof pattern === 'string' ? [pattern] : pattern.all;
    return join(' && ', [...new Set(all.flatMap(conditionsOf))]);
  };
}

/** Options of `toAql`. */
export interface AqlOptions {
  /** The beginning of the names of the bind variables; default `resource`. */
  readonly prefix?: string | undefined;
}

const readIdentifier = accepting<string>(
  'a plain identifier',
  (value) => typeof value === 'string' && identifier.test(value),
);

export const readAqlOptions = optionsOf({ prefix: readIdentifier } satisfies ReadersOf<AqlOptions>);

/**
 * Converts a filter to an AQL condition: true for documents whose attribute is a string that the filter matches, false
 * if the attribute is missing or not a string. Put it after FILTER, or into arangojs's `aql` template.
 *
 * @param path The variable and the attributes that lead to the resource's text; plain identifiers, which are quoted.
 * @throws AnalysisError (code `ANALYSIS`) for a variable, attribute or prefix that is not a plain identifier.
 *
 * @example
 * ```ts
 * import { resourceFilter, toAql } from 'arango-services/analysis';
 *
 * const filter = resourceFilter({}, { superuser: true, action: 'orders:read' });
 * const { query, bindVars } = toAql(filter, ['doc', 'resource']);
 * console.log(`FOR doc IN orders FILTER ${query} RETURN doc`, bindVars);
 * // FOR doc IN orders FILTER IS_STRING(`doc`.`resource`) RETURN doc {}
 * ```
 */
export function toAql(
  filter: Pick<ResourceFilter, 'kind' | 'allow' | 'except'>,
  path: readonly [variable: string, ...attributes: string[]],
  options: AqlOptions = {},
): AqlCondition {
  const { prefix = 'resource' } = readInput(options, 'options', readAqlOptions, '');
  if (![filter?.allow, filter?.except].every(Array.isArray)) {
    refuse('filter', 'expected a ResourceFilter');
  }
  const { kind, allow, except } = filter;
  if (readInput(path, 'path', listOf(readIdentifier)).length === 0) {
    refuse('path', 'expected a variable');
  }
  const value = path.map((name) => `\`${name}\``).join('.');
  if (kind === 'none') return toCondition('false', {});
  if (kind === 'all') return toCondition(`IS_STRING(${value})`, {});
  const bindVars: Record<string, string> = {};
  const write = writerOf(value, prefix, bindVars);
  const not = (patterns: readonly RegionPattern[]) => patterns.map((pattern) => `!(${write(pattern)})`);
  const some = allow.map((allowance) => join(' && ', [write(allowance.resource), ...not(allowance.except)]));
  const query = join(' && ', [`IS_STRING(${value})`, join(' || ', some), ...not(except)]);
  return toCondition(query, bindVars);
}

/** Adds the method by which arangojs recognizes a query; without it, the condition would be bound as a value. */
function toCondition(query: string, bindVars: Record<string, string>): AqlCondition {
  const args = Array.from(query.matchAll(/@(\w+)/g), ([, name = '']) => bindVars[name]);
  const source = () => ({ strings: query.split(/@\w+/g), args });
  return Object.defineProperty({ query, bindVars }, '_source', { value: source });
}
