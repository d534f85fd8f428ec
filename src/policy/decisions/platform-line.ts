import { momentPattern } from '../../base/lib/moment.js';
import { isTexts } from '../../base/lib/values.js';
import type { DecisionReason } from '../decision-line/line.js';
import type { HiddenDecision, LineReading, SkipReason } from './line-reading.js';

/** The fields of a decision in the platform's log. */
interface PlatformDecision {
  readonly time: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly action: string;
  readonly resource: string;
  readonly granted: boolean;
  /** Undefined if the line does not hold the decision's text. */
  readonly reason: DecisionReason | undefined;
}

/**
 * Creates the question of a line that does not tell what was decided; only the reason if the line lacks a part of it,
 * or if it is about the superuser or an empty user, for whom no statement decides.
 */
export function hiddenDecision(
  reason: SkipReason,
  { time, user, groups, action, resource }: Readonly<Partial<Record<keyof HiddenDecision, unknown>>>,
): LineReading {
  const isText = (value: unknown): value is string => typeof value === 'string';
  const isComplete = isText(time) && momentPattern.test(time) && isText(user) && isText(action) && isText(resource);
  if (!isComplete || user === '') return reason;
  return { kind: 'hidden', reason, time, user, groups: isTexts(groups) ? groups : undefined, action, resource };
}

/**
 * Creates the decision of a line. Without the decision's text an Allow about the management service's own actions may
 * come from the type `always`, which evaluates nothing: such a line is ambiguous, unless it is about the superuser.
 */
export function platformDecision(line: PlatformDecision): LineReading {
  const { time, user, groups, action, resource, granted } = line;
  const isSuperuser = user === '' && groups.length === 0 && granted;
  if (granted && line.reason === undefined && !isSuperuser && action.startsWith('rbac:')) {
    return hiddenDecision('ambiguous', line);
  }
  const reason = isSuperuser ? 'superuser' : (line.reason ?? (granted ? 'allowed' : undefined));
  return {
    v: 1,
    kind: 'decision',
    time,
    subject: isSuperuser ? {} : { user, groups },
    action,
    resource,
    effect: granted ? 'Allow' : 'Deny',
    ...(reason === undefined ? {} : { reason }),
    enforced: false,
    source: 'service',
  };
}
