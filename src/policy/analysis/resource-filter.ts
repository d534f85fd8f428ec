import { asGiven, fieldsOf } from '../../base/lib/readers.js';
import type { EvaluatorSubject } from '../index.js';
import { refuse } from './analysis-error.js';
import type { AnalysisOptions, AnalysisState, RegionPattern } from './analysis-types.js';
import { areasOf, patternContains } from './grants.js';
import { Model, readEvaluator } from './read-evaluator.js';
import { pattern, readAnalysisOptions, readInput, readOptions, subjectWith } from './read-input.js';
import { merge, subtract, tidy } from './region.js';
import { Space } from './space.js';
import { covers, meet, parseShape, type Shape, toPattern } from './text-shape.js';
import { Work } from './work.js';

/** The resources that a pattern matches, without those that an exception matches. */
export type ResourceRegion = { readonly resource: RegionPattern; readonly except: readonly RegionPattern[] };

/** The resources for which a subject may do an action: each matches one of `allow` and none of `except`. */
export interface ResourceFilter {
  /** All resources, none, or those that match `allow` and not `except`. */
  readonly kind: 'all' | 'none' | 'patterns';
  /** Patterns, each with its own exceptions. */
  readonly allow: readonly ResourceRegion[];
  /** Exceptions that apply to all of `allow`. */
  readonly except: readonly RegionPattern[];
  /** Tells whether a resource may be listed; false for a value that is not text. */
  matches(resource: unknown): boolean;
}

type ResourceArea = { readonly resource: Shape; readonly except: readonly Shape[] };

function toFilter(areas: readonly ResourceArea[], isAll = false): ResourceFilter {
  const holdsFor = (hole: Shape, { resource, except }: ResourceArea): boolean => {
    const both = meet(hole, resource);
    return both === undefined || except.some((other) => covers(other, both));
  };
  const holes = new Map(areas.flatMap((area) => area.except).map((hole) => [hole.key, hole]));
  const common = [...holes.values()].filter((hole) => areas.every((area) => holdsFor(hole, area)));
  const except = common.map(toPattern);
  const allow = areas.map((area): ResourceRegion => {
    const alone = area.except.filter((hole) => !common.some((other) => covers(other, hole)));
    return { resource: toPattern(area.resource), except: alone.map(toPattern) };
  });
  const kind = isAll ? 'all' : allow[0] ? 'patterns' : 'none';
  const matches = (resource: unknown) => {
    const isIn = (pattern: RegionPattern) => patternContains(pattern, resource);
    return allow.some((allowance) => isIn(allowance.resource) && !allowance.except.some(isIn)) && !except.some(isIn);
  };
  return { kind, allow, except, matches };
}

/**
 * Returns the resources for which a subject may do an action, as a filter for lists of documents, rows or search
 * results. `toAql` turns it into a condition.
 *
 * @throws AnalysisError (code `ANALYSIS`) for a subject that is not valid, for an action with a wildcard, and above
 *   `maxWork`.
 *
 * @example
 * ```ts
 * import { resourceFilter } from 'arango-services/analysis';
 *
 * const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
 * const state = {
 *   policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] }] } },
 *   roles: { viewer: { policies: ['reader'] } },
 *   bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
 * } as const;
 * const filter = resourceFilter(state, { user: 'alice', action: 'orders:read' });
 * filter.matches('order:7'); // true
 * filter.matches('invoice:7'); // false
 * ```
 */
export function resourceFilter(
  state: AnalysisState,
  question: EvaluatorSubject & { readonly action: string },
  options: AnalysisOptions = {},
): ResourceFilter {
  const holder = readInput(question, 'question', subjectWith({ action: asGiven }));
  const { action } = readInput(question, 'question', fieldsOf({ action: pattern }));
  if (parseShape(action, true).parts.some(({ isExact }) => !isExact)) {
    refuse('question.action', 'expected an action, not a pattern');
  }
  const work = new Work(readOptions(options, readAnalysisOptions));
  work.at = 'resourceFilter';
  const space = new Space(work, { action, resource: '*' });
  const model = new Model(readEvaluator(state, options), space);
  const areas = merge(areasOf(holder, model), work);
  // Several areas together may cover all resources.
  const wanted = space.area({ action, resource: '*' });
  if (subtract([wanted], areas, work).next().done)
    return toFilter([{ resource: wanted.pair.resource, except: [] }], true);
  const tidied = areas.map((area) => tidy(area, work));
  return toFilter(
    tidied.map(({ pair, except }) => ({ resource: pair.resource, except: except.map(({ resource }) => resource) })),
  );
}
