import { fieldsOf, type Reader } from '../../base/lib/readers.js';
import { remember } from '../../base/lib/remember.js';
import type { EvaluatorSubject } from '../index.js';
import type {
  AccessRegion,
  Allowance,
  AnalysisOptions,
  AnalysisState,
  MissingAccess,
  PatternPair,
  Requirement,
} from './analysis-types.js';
import { Collector } from './collect.js';
import { areasOf } from './grants.js';
import { type Alternative, type Kind, Model, readEvaluator } from './read-evaluator.js';
import {
  allowance,
  analysisOptions,
  pair,
  pairReaders,
  readAnalysisOptions,
  readList,
  readOptions,
  subjectWith,
} from './read-input.js';
import { type Area, merge, subtract, within, witnessOf } from './region.js';
import { type SharedArea, Sharing } from './sharing.js';
import { Space } from './space.js';
import { Work } from './work.js';

/** Reads a requirement: a subject, an action and a resource. */
const requirement: Reader<{ readonly subject: EvaluatorSubject; readonly pair: PatternPair }> = (value, reading) => ({
  subject: subjectWith(pairReaders)(value, reading),
  pair: fieldsOf(pairReaders)(value, reading),
});

/**
 * Finds the requirements that are not wholly granted, each with one of its questions that is denied. Actions and
 * resources may be patterns. An empty list means that all are granted.
 *
 * @throws AnalysisError (code `ANALYSIS`) for a requirement that is not valid, and above `maxWork`.
 *
 * @example
 * ```ts
 * import { missingAccess } from 'arango-services/analysis';
 *
 * missingAccess({}, [{ user: 'alice', action: 'orders:*', resource: 'order:*' }]);
 * // [{ user: 'alice', action: 'orders:*', resource: 'order:*',
 * //    witness: { user: 'alice', action: 'orders:x', resource: 'order:x' } }]
 * ```
 */
export function missingAccess(
  state: AnalysisState,
  required: readonly Requirement[],
  options: AnalysisOptions = {},
): readonly MissingAccess[] {
  const items = readList(required, 'required', requirement);
  const work = new Work(readOptions(options, readAnalysisOptions));
  const space = new Space(work);
  const model = new Model(readEvaluator(state, options), space);
  return items.flatMap(({ subject, pair }, i) => {
    work.at = `missing: required[${i}]`;
    const [rest] = subtract([space.area(pair)], areasOf(subject, model), work);
    return rest ? { ...subject, ...pair, witness: { ...subject, ...witnessOf(rest) } } : [];
  });
}

/** Options of `excessAccess`. */
export interface ExcessOptions extends AnalysisOptions {
  /** Searches only inside this region. */
  readonly within?: PatternPair | undefined;
}

export const readExcessOptions = analysisOptions({ within: pair });

interface Allowed {
  readonly users: readonly string[] | undefined;
  readonly groups: readonly string[] | undefined;
  readonly roles: readonly string[] | undefined;
  readonly area: Area;
}

/**
 * Finds access beyond the allowances: access of users by their own bindings, and of subjects that name a group or, in
 * documented fidelity, a role. An allowance with `roles` covers the access that these roles grant, not all access of
 * their members. An empty list means that nothing else is granted.
 *
 * @throws AnalysisError (code `ANALYSIS`) for an allowance that is not valid, and above `maxWork`.
 *
 * @example
 * ```ts
 * import { excessAccess } from 'arango-services/analysis';
 *
 * // Nothing but the role admin lets anyone delete.
 * const admins = [{ roles: ['admin'], action: '*', resource: '*' }];
 * excessAccess({}, admins, { within: { action: '*:delete', resource: '*' } }); // []
 * ```
 */
export function excessAccess(
  state: AnalysisState,
  allowed: readonly Allowance[],
  options: ExcessOptions = {},
): readonly AccessRegion[] {
  // A misspelt `users` would be an allowance for everyone, so unknown fields are refused.
  const items = readList(allowed, 'allowed', allowance);
  const read = readOptions(options, readExcessOptions);
  const work = new Work(read);
  const space = new Space(work, read.within);
  work.at = 'excess: reading the bindings';
  const model = new Model(readEvaluator(state, options), space);
  const allowances = items.map(
    ({ users, groups, roles, ...wanted }): Allowed => ({ users, groups, roles, area: space.area(wanted) }),
  );
  const collector = new Collector((name) => model.isGroup(name));
  const sharing = new Sharing(space);
  const areasByKey = new Map<string, readonly SharedArea[]>();
  for (const [kind, name, alternatives] of model.subjects('excess')) {
    const others = allowances.map((allowance) => allowedAreas(allowance, kind, name, alternatives));
    const key = JSON.stringify([
      alternatives.map((alternative) => model.keyOf(alternative)),
      others.map((other) => other === 'all'),
    ]);
    const areas = remember(areasByKey, key, () => {
      const may = others.flatMap((other, i) => {
        const { area } = allowances[i] as Allowed;
        return other === 'all'
          ? [area]
          : model.areas(other).flatMap((granted) => within(granted, area.pair, work) ?? []);
      });
      return sharing.share(merge([...subtract(model.areas(alternatives), may, work)], work), { names: [] });
    });
    collector.add(kind === 'user' ? 'users' : 'roles', name, areas);
  }
  return collector.regions();
}

/** The areas of an allowance; one that names roles is limited to what these alternatives grant. */
function allowedAreas(
  allowed: Allowed,
  kind: Kind,
  name: string,
  alternatives: readonly Alternative[],
): 'all' | readonly Alternative[] {
  const { users, groups, roles } = allowed;
  if ((!users && !groups && !roles) || allowed[`${kind}s`]?.includes(name)) return 'all';
  return alternatives.filter(({ role }) => roles?.includes(role.name));
}
