import { redacted } from '../../base/secrets/redact.js';
import type { KnownDifference } from './conformance-options.js';
import type { ConformanceDifference, ConformanceReport, ConformanceResult, NotTried } from './conformance-report.js';
import type { CheckFinding } from './finding.js';
import { sentences } from './sentences.js';

/** Replaces secrets in a value of the field `name`. */
type Hide = (value: unknown, name: string) => unknown;

/** The result of the findings of a run, beside the differences that its caller knows. */
type Judgement = Pick<ConformanceReport, 'differences' | 'notTried' | 'checks' | 'unmatched'>;

function isKnown({ check, at }: KnownDifference, name: string, part: string | undefined): boolean {
  const fits = check.endsWith('*') ? name.startsWith(check.slice(0, -1)) : name === check;
  return fits && (at === undefined || at === part);
}

/** The longest value in a report, as JSON; a longer one is a text of its beginning. */
const longestValue = 2_000;

function cut(value: unknown): unknown {
  const json = JSON.stringify(value) ?? '';
  return json.length > longestValue ? `${json.slice(0, longestValue)}…` : value;
}

/** The differences of one finding, without secrets; those that were known are added to `matched`. */
function differencesOf(
  { name: check, says, parts = [] }: CheckFinding,
  knownDifferences: readonly KnownDifference[],
  matched: Set<KnownDifference>,
  hide: Hide,
): ConformanceDifference[] {
  const all = parts.map(({ observed }) => observed);
  // Pieces of a secret may stand in several fields.
  const isSplit = all.length > 1 && hide(all, '') === redacted;
  return parts.map(({ at, expected, observed, question }) => {
    const matching = knownDifferences.filter((difference) => isKnown(difference, check, at));
    for (const difference of matching) matched.add(difference);
    const [match] = matching;
    const field = at.split(/[/ ]/).at(-1) ?? '';
    return {
      check,
      sentence: sentences[says],
      // A path and the names of fields may hold a token, too.
      question: String(hide(question, '')),
      at: String(hide(at, '')),
      expected: cut(hide(expected, field)),
      observed: isSplit ? redacted : cut(hide(observed, field)),
      ...(match && { known: match.reason ?? 'known' }),
    };
  });
}

function resultOf({ why }: CheckFinding, differences: readonly ConformanceDifference[]): ConformanceResult['result'] {
  if (why !== undefined) return 'not tried';
  if (differences.length === 0) return 'alike';
  return differences.some((difference) => difference.known === undefined) ? 'different' : 'known';
}

/** Separates known differences from others, and lists what was not tried. */
export function judgeFindings(
  findings: readonly CheckFinding[],
  knownDifferences: readonly KnownDifference[],
  hide: Hide,
): Judgement {
  const matched = new Set<KnownDifference>();
  const judged = findings.map((finding) => {
    const differences = differencesOf(finding, knownDifferences, matched, hide);
    const { name: check, says, why } = finding;
    return { check, sentence: sentences[says], why, differences, result: resultOf(finding, differences) };
  });
  const notTried = judged.flatMap(({ check, sentence, why }): NotTried[] =>
    why === undefined ? [] : [{ check, sentence, why: String(hide(why, '')) }],
  );
  return {
    differences: judged.flatMap(({ differences }) => differences),
    notTried,
    checks: judged.map(({ check, sentence, result }) => ({ check, sentence, result })),
    unmatched: knownDifferences.filter(
      (difference) =>
        !matched.has(difference) && !notTried.some(({ check }) => isKnown(difference, check, difference.at)),
    ),
  };
}
