import type { Evaluator, EvaluatorSubject } from '../index.js';
import type { PatternPair } from './analysis-types.js';
import { formatRegion } from './format-regions.js';
import { Model } from './read-evaluator.js';
import { pair, readInput } from './read-input.js';
import { subtract, tidy, toRegion } from './region.js';
import { Space } from './space.js';
import { Work } from './work.js';

/** The part of a question's resources that a subject is granted, with the patterns that grant it, as text. */
export type Coverage = { readonly part: 'all' | 'some' | 'none'; readonly regions: readonly string[] };

/**
 * The coverage of a question, whose resource may be a pattern, for each of the subjects: exact, like `whoCan`.
 * @throws AnalysisError (code `ANALYSIS`) for a pattern that cannot be parsed, and above `maxWork`.
 */
export function coverageOf(
  evaluator: Evaluator,
  subjects: readonly EvaluatorSubject[],
  question: PatternPair,
  maxWork: number,
): readonly Coverage[] {
  const work = new Work({ maxWork });
  work.at = 'coverage';
  const permission = readInput(question, 'question', pair);
  const space = new Space(work, permission);
  const model = new Model(evaluator, space);
  const wanted = space.area(permission);
  return subjects.map((subject) => {
    const areas = model.areas(model.alternatives(subject));
    const regions = areas.map((area) => formatRegion(toRegion(tidy(area, work))));
    const isAll = areas.length > 0 && subtract([wanted], areas, work).next().done === true;
    return { part: isAll ? 'all' : areas.length > 0 ? 'some' : 'none', regions: [...new Set(regions)] };
  });
}
