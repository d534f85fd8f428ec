import type { Region } from '../../policy/analysis/analysis-types.js';
import { formatPair } from '../../policy/analysis/format-regions.js';
import { describeCaller } from '../model/applying-caller.js';
import { describeItem } from '../model/plan-change.js';
import { shorten } from '../model/writable.js';
import { locksOut, type MissingPermission, type OwnAccess } from './own-access.js';

const formatRegion = ({ except, ...pair }: Region): string => [pair, ...except].map(formatPair).join(' except ');

const formatMissing = ({ action, resource, item, lostBy }: MissingPermission): string => {
  const lost = lostBy ? `, which it loses by the ${describeItem(lostBy)}` : '';
  return `has no ${action} on ${JSON.stringify(resource)} for the ${describeItem(item)}${lost}`;
};

/** The permissions that a caller lacks or loses, a line for each. */
function formatLosses({ missing, lost }: Pick<OwnAccess, 'missing' | 'lost'>): string[] {
  const lines = shorten(missing.map(formatMissing));
  const isLostOnTheWay = missing.some(({ lostBy }) => lostBy !== undefined);
  return [
    ...lines,
    ...(isLostOnTheWay ? ['no order of the calls was found that keeps what they need'] : []),
    ...shorten(lost.map((region) => `has no ${formatRegion(region)} any more in the end`)),
  ];
}

/**
 * Formats the warning at the top of a plan that its caller cannot finish, or that takes management permissions from the
 * caller.
 */
export function formatOwn(access: OwnAccess | undefined): string[] {
  if (access === undefined) return [];
  if (access.unknown !== undefined) {
    return [`Not known: what the caller may do while this is applied, because ${access.unknown}.`];
  }
  if (!locksOut(access)) return [];
  const isLost = access.lost.length > 0 || access.missing.some(({ lostBy }) => lostBy !== undefined);
  const title = isLost ? 'Self-lockout' : 'Missing permissions';
  const refused = isLost ? ' unless self-lockout is allowed (--allow-self-lockout)' : '; apply with another token';
  return [
    `${title}: ${describeCaller(access)}, who applies this plan,`,
    ...formatLosses(access).map((line) => `  ${line}`),
    `  "apply" refuses it${refused}.`,
  ];
}

/** Formats the reasons for refusing a plan, as an error message. */
export const formatRefusal = (caller: OwnAccess): string[] => [
  `refused, because ${describeCaller(caller)}, who applies it, would lock itself out ` +
    'or cannot finish (allowSelfLockout)',
  ...formatLosses(caller),
];
