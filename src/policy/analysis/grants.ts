import type { EvaluatorSubject } from '../index.js';
import { Pattern } from '../model/pattern.js';
import type {
  AccessPair,
  AccessRegion,
  AnalysisOptions,
  AnalysisState,
  GrantedRegion,
  PatternPair,
  Reason,
  Region,
  RegionPattern,
} from './analysis-types.js';
import { Model, readEvaluator } from './read-evaluator.js';
import { readAnalysisOptions, readInput, readOptions, subjectWith } from './read-input.js';
import { type Area, merge, tidy, toRegion } from './region.js';
import { Space } from './space.js';
import { Work } from './work.js';

/** Lists the areas of a subject, which may be the superuser. They may overlap. */
export function areasOf(subject: EvaluatorSubject, model: Model): Area[] {
  if (!subject.superuser) return model.areas(model.alternatives(subject));
  const because: Reason[] = [{ via: 'superuser' }];
  // `*` does not match the empty action, so it needs an area of its own.
  return ['*', ''].map((action) => ({ ...model.space.area({ action, resource: '*' }), because }));
}

/**
 * Returns everything that a subject may do, as regions: patterns of an action and a resource, without some exceptions.
 * Together they contain exactly the questions that the evaluator allows. They may overlap.
 *
 * @throws AnalysisError (code `ANALYSIS`) for a subject that is not valid, and above `maxWork`; PolicyError (code
 *   `POLICY`) for a state that does not validate.
 *
 * @example
 * ```ts
 * import { grants } from 'arango-services/analysis';
 *
 * const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
 * const state = {
 *   policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] }] } },
 *   roles: { viewer: { policies: ['reader'] } },
 *   bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
 * } as const;
 * grants(state, { user: 'alice' });
 * // [{ action: 'orders:read', resource: 'order:*', except: [], because: [{ via: 'binding', role: 'viewer', … }] }]
 * ```
 */
export function grants(
  state: AnalysisState,
  subject: EvaluatorSubject,
  options: AnalysisOptions = {},
): readonly GrantedRegion[] {
  const holder = readInput(subject, 'subject', subjectWith({}));
  const work = new Work(readOptions(options, readAnalysisOptions));
  work.at = 'grants';
  const space = new Space(work);
  const model = new Model(readEvaluator(state, options), space);
  return merge(areasOf(holder, model), work).map((area) => {
    const tidied = tidy(area, work);
    return { ...toRegion(tidied), because: tidied.because };
  });
}

/** True if a value is a string that matches the pattern, or each of several patterns. */
export function patternContains(pattern: RegionPattern, text: unknown): boolean {
  const all = typeof pattern === 'string' ? [pattern] : pattern.all;
  // Checked first: a wildcard would match a missing value, too.
  return typeof text === 'string' && all.every((pattern) => new Pattern(pattern).matches(text));
}

/**
 * Tells whether a question lies in a region: it matches, and no exception matches it. A region with patterns `{ own }`
 * needs the user, because each has other names.
 *
 * @example
 * ```ts
 * import { regionContains } from 'arango-services/analysis';
 *
 * const region = { action: 'orders:*', resource: '*', except: [{ action: '*', resource: 'secret:*' }] };
 * regionContains(region, { action: 'orders:read', resource: 'order:7' }); // true
 * regionContains(region, { action: 'orders:read', resource: 'secret:7' }); // false
 * ```
 */
export function regionContains(
  region: Region | AccessRegion,
  { user, action, resource }: PatternPair & { readonly user?: string | undefined },
): boolean {
  const [users, own] = 'own' in region && region.own ? [region.users, region.own] : [];
  const names = own?.[users?.indexOf(user ?? '') ?? -1] ?? [];
  const isIn = (pair: AccessPair): boolean => {
    // Only the empty pattern matches the empty action.
    if (action === '' && pair.action !== '') return false;
    if (!patternContains(pair.action, action)) return false;
    const pattern = pair.resource;
    if (typeof pattern === 'string' || 'all' in pattern) return patternContains(pattern, resource);
    return names.some((name) => patternContains({ all: pattern.own.map((rest) => name + rest) }, resource));
  };
  return isIn(region) && !region.except.some(isIn);
}
