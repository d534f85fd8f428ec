import type { KnownDifference } from './conformance-options.js';
import type { DeploymentSettings } from './deployment-settings.js';

/** A part of an answer that is not what the mock answers. */
export interface ConformanceDifference {
  /** The name of the check: `identity/no-token`. */
  readonly check: string;
  /** The sentence of `docs/wire.md` that the check shows. */
  readonly sentence: string;
  /** Method and path of the question, or the stream. */
  readonly question: string;
  /** `status`, `header <name>`, the JSON pointer of a value in the body, or a property of a stream. */
  readonly at: string;
  /** The mock's value, without secrets; undefined if it has no such part. */
  readonly expected: unknown;
  /** The deployment's value, without secrets. */
  readonly observed: unknown;
  /** The reason for a known difference; undefined for a new one. */
  readonly known?: string | undefined;
}

/** A check that could not be asked. */
export type NotTried = { readonly check: string; readonly sentence: string; readonly why: string };

/** Settings of a deployment, and how well they fit its answers. */
export interface ConformanceFit {
  readonly settings: DeploymentSettings;
  /** The number of checks that differ from a mock with these settings; a lower bound for all but the best settings. */
  readonly different: number;
}

/** The result of one check. */
export interface ConformanceResult {
  readonly check: string;
  readonly sentence: string;
  readonly result: 'alike' | 'different' | 'known' | 'not tried';
}

/** The findings of {@link checkConformance}. They hold no token and no key. */
export interface ConformanceReport {
  /** True if all questions that could be asked were asked, at least one, and only known differences occurred. */
  readonly alike: boolean;
  /** True if `signal` stopped the run, so that the remaining questions were not asked. */
  readonly stopped: boolean;
  /** The time at which the run began, as ISO 8601. */
  readonly at: string;
  /** The number of questions that were sent. */
  readonly questions: number;
  readonly differences: readonly ConformanceDifference[];
  /** Entries of `known` that match no difference and no check that was not tried: out of date, or misspelt. */
  readonly unmatched: readonly KnownDifference[];
  readonly notTried: readonly NotTried[];
  /** Each check, in the order of asking. */
  readonly checks: readonly ConformanceResult[];
  /** The settings of the mock that the deployment was compared with. */
  readonly settings: DeploymentSettings;
  /** The settings that fit best, whatever was expected, and the other ones that were tried. */
  readonly fits: { readonly best: ConformanceFit; readonly others: readonly ConformanceFit[] };
  /** Names that a run with `write` could not remove. The next one tries again. */
  readonly left: readonly string[];
}

/** Counts the checks by result. */
export function countResults({ checks }: Pick<ConformanceReport, 'checks'>) {
  const count = (result: ConformanceResult['result']) => checks.filter((check) => check.result === result).length;
  return { alike: count('alike'), different: count('different'), known: count('known'), notTried: count('not tried') };
}
