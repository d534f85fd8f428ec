import { counted } from '../../base/lib/counted.js';
import type { PartialComparison } from '../../policy/analysis/compare-partly.js';
import type { Meanwhile, MeanwhileRegion } from './effects.js';

/** The default pause of `apply` between stages, in seconds. */
const defaultPause = 2;

const duration = ([begins, ends]: MeanwhileRegion['stages']): string => {
  const pauses = ends - begins;
  const seconds = pauses * defaultPause;
  return `From stage ${begins + 1} to ${ends + 1}, ${counted(pauses, 'pause')} (${seconds} s by default):`;
};

/**
 * Formats the access that is gained or lost temporarily while a plan is applied, with the stages between which it is.
 * @param format formats one comparison.
 */
export function formatMeanwhile(
  { gained, lost, ...rest }: Meanwhile,
  format: (comparison: PartialComparison) => string[],
): string[] {
  const durations = new Map([...gained, ...lost].map(({ stages }) => [stages.join(), stages]));
  const inTime = [...durations].sort(([, a], [, b]) => a[0] - b[0] || a[1] - b[1]);
  const parts = inTime.flatMap(([key, stages]) => {
    const during = (regions: readonly MeanwhileRegion[]) => regions.filter((region) => region.stages.join() === key);
    return [duration(stages), ...format({ gained: during(gained), lost: during(lost) })];
  });
  return [...parts, ...format({ gained: [], lost: [], ...rest })];
}
