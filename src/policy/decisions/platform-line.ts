import type { DecisionReason } from '../decision-line/line.js';
import type { LineReading } from './reading.js';

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
 * Creates the decision of a line. Without the decision's text an Allow about the management service's own actions may
 * come from the type `always`, which evaluates nothing: such a line is ambiguous, unless it is about the superuser.
 */
export function platformDecision(line: PlatformDecision): LineReading {
  const { time, user, groups, action, resource, granted } = line;
  const isSuperuser = user === '' && groups.length === 0 && granted;
  if (granted && line.reason === undefined && !isSuperuser && action.startsWith('rbac:')) return 'ambiguous';
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
