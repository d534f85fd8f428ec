import type { ConformanceReport } from './conformance-report.js';

/** A sentence of docs/wire.md, and the check that last showed it. */
export interface ParityEntry {
  readonly sentence: string;
  /** `shown` if every check of the sentence was alike, `different` if one was not, `not tried` if none was asked. */
  readonly result: 'shown' | 'different' | 'not tried';
  /** The checks of the sentence. */
  readonly by: readonly string[];
}

/** The sentences that a deployment was asked about, in the form of `docs/parity`. */
export interface Parity {
  /** When the deployment was asked, as ISO 8601. */
  readonly at: string;
  readonly sentences: readonly ParityEntry[];
}

/**
 * Lists the sentences that a report is about, and what became of each.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { checkConformance, parityOf } from 'arango-services/conformance';
 *
 * const { sentences } = parityOf(await checkConformance(createClient({ url: 'http://localhost:8529' })));
 * console.log(sentences.filter(({ result }) => result === 'shown').length);
 * ```
 */
export function parityOf({ at, checks }: Pick<ConformanceReport, 'at' | 'checks'>): Parity {
  const bySentence = Map.groupBy(checks, ({ sentence }) => sentence);
  const sentences = [...bySentence].map(([sentence, some]): ParityEntry => {
    const tried = some.filter(({ result }) => result !== 'not tried');
    const isAlike = tried.every(({ result }) => result === 'alike');
    const result = tried.length === 0 ? 'not tried' : isAlike ? 'shown' : 'different';
    return { sentence, result, by: some.map(({ check }) => check) };
  });
  return { at, sentences };
}
