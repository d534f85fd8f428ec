import { oneOf } from '../../base/lib/readers.js';
import type { AnalysisOptions, AnalysisState, Grantee, PatternPair, Reason } from './analysis-types.js';
import { Model, readEvaluator } from './read-evaluator.js';
import { analysisOptions, pair, readInput, readOptions } from './read-input.js';
import { type Area, distinct, subtract } from './region.js';
import { Space } from './space.js';
import { Work } from './work.js';

/** Options of `whoCan`. */
export interface WhoCanOptions extends AnalysisOptions {
  /** For patterns: `all` (default) finds who can do everything that they match, `any` who can do a part of it. */
  readonly match?: 'all' | 'any' | undefined;
}

export const readWhoCanOptions = analysisOptions({ match: oneOf('all', 'any') });

/**
 * Lists who can do something: users by their own bindings, and the groups and, in documented fidelity, roles that give
 * it to each subject that names them. An action or resource with a wildcard is a pattern. The superuser, who can do
 * everything, is not listed.
 *
 * @throws AnalysisError (code `ANALYSIS`) for a pattern that cannot be parsed, and above `maxWork`.
 *
 * @example
 * ```ts
 * import { whoCan } from 'arango-services/analysis';
 *
 * const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
 * const state = {
 *   policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] }] } },
 *   roles: { viewer: { policies: ['reader'] } },
 *   bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
 * } as const;
 * whoCan(state, { action: 'orders:read', resource: 'order:7' }).map(({ user, role }) => user ?? role);
 * // ['alice', 'viewer']
 * ```
 */
export function whoCan(state: AnalysisState, question: PatternPair, options: WhoCanOptions = {}): readonly Grantee[] {
  const read = readOptions(options, readWhoCanOptions);
  const { match = 'all' } = read;
  const work = new Work(read);
  const asked = readInput(question, 'question', pair);
  const space = new Space(work, asked);
  work.at = 'whoCan: reading the bindings';
  const model = new Model(readEvaluator(state, options), space);
  const wanted = space.area(asked);
  const granted = (areas: readonly Area[]): readonly Reason[] | undefined => {
    if (areas.length === 0 || (match === 'all' && !subtract([wanted], areas, work).next().done)) return undefined;
    return distinct(areas.flatMap(({ because }) => because));
  };
  const found: Grantee[] = [];
  for (const [user, bindings] of [...model.users()].sort(([a], [b]) => (a < b ? -1 : 1))) {
    work.at = `whoCan: user ${JSON.stringify(user)}`;
    const because = granted(model.areas(model.bound(bindings)));
    if (because) found.push({ user, because });
  }
  for (const name of model.names()) {
    const kind = model.isGroup(name) ? 'group' : 'role';
    work.at = `whoCan: ${kind} ${JSON.stringify(name)}`;
    const because = granted(model.areas(model.named(name)));
    if (because) found.push(kind === 'group' ? { group: name, because } : { role: name, because });
  }
  return found;
}
