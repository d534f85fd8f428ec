import { oneOf, readFlag } from '../../base/lib/readers.js';
import type { AnalysisOptions, AnalysisState, Grantee, PatternPair } from './analysis-types.js';
import { mintingOf } from './minting.js';
import { Model, readEvaluator } from './read-evaluator.js';
import { analysisOptions, pair, readInput, readOptions } from './read-input.js';
import { distinct, subtract } from './region.js';
import { Space } from './space.js';
import { Work } from './work.js';

/** Options of `whoCan`. */
export interface WhoCanOptions extends AnalysisOptions {
  /** For patterns: `all` (default) finds who can do everything that they match, `any` who can do a part of it. */
  readonly match?: 'all' | 'any' | undefined;
  /**
   * Lists those who can do it with tokens that they may create, whatever else they may do: the services do not check
   * the groups of a new token. In sidecar fidelity they ask about the user and groups of that token, not the caller, so
   * each user that is listed can be reached by every caller of createToken. Default false.
   */
  readonly byMinting?: boolean | undefined;
}

export const readWhoCanOptions = analysisOptions({ match: oneOf('all', 'any'), byMinting: readFlag });

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
  const work = new Work(read);
  const permission = readInput(question, 'question', pair);
  const space = new Space(work, permission);
  work.at = 'whoCan: reading the bindings';
  const model = new Model(readEvaluator(state, options), space);
  const mint = read.byMinting && mintingOf(model);
  const wanted = [space.area(permission)];
  const grantees: Grantee[] = [];
  for (const [kind, name, own] of model.subjects('whoCan')) {
    const [alternatives, reasons] = mint ? mint(kind, name) : [own, []];
    const areas = model.areas(alternatives);
    if (areas.length === 0 || (read.match !== 'any' && !subtract(wanted, areas, work).next().done)) continue;
    const because = distinct([...reasons, ...areas.flatMap((area) => area.because)]);
    // The cast: the kind is one of the three.
    grantees.push({ [kind]: name, because } as unknown as Grantee);
  }
  return grantees;
}
