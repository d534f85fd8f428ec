import { printable } from '../../base/lib/printable.js';
import type { AccessPair, AccessRegion, Comparison, OwnPattern, Reason, RegionPattern } from './types.js';

/**
 * Formats a pattern: `orders:*`, or `a* & *b` for texts that several patterns match at once.
 *
 * @example
 * ```ts
 * import { formatPattern } from 'arango-services/analysis';
 *
 * formatPattern({ all: ['a*', '*b'] }); // a* & *b
 * ```
 */
export function formatPattern(pattern: RegionPattern | OwnPattern): string {
  if (typeof pattern === 'string') return pattern || '""';
  return 'all' in pattern ? pattern.all.join(' & ') : pattern.own.map((rest) => `<own>${rest}`).join(' & ');
}

export const formatPair = ({ action, resource }: AccessPair): string =>
  `${formatPattern(action)} on ${formatPattern(resource)}`;

const mostNames = 5;

function formatNames(kind: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  const list = names.slice(0, mostNames).map((name) => JSON.stringify(name));
  return [`${kind}${names.length > 1 ? 's' : ''} ${list.join(', ')}${more}`];
}

export const formatReason = ({ via, role, policy, statement }: Reason): string =>
  via === 'superuser'
    ? 'the superuser'
    : `role ${JSON.stringify(role)}, policy ${JSON.stringify(policy)} statement ${(statement ?? 0) + 1}`;

/**
 * Formats a region and the users and roles that have it, as text for people. The text may change between versions, so
 * programs should read the region itself.
 *
 * @example
 * ```ts
 * import { excess, formatAccess } from 'arango-services/analysis';
 *
 * for (const region of excess({}, [])) console.log(formatAccess(region));
 * ```
 */
export function formatAccess({ users, roles, own, except, witness, because, ...pair }: AccessRegion): string {
  const who = [...formatNames('user', users), ...formatNames('role', roles)].join(', ');
  const but = except.map((one) => `except ${formatPair(one)}`);
  const ownNames = own ? [`<own>: ${formatNames('name', [...new Set(own.flat())])}`] : [];
  const { action, resource } = witness;
  return [
    `${who}: ${formatPair(pair)}`,
    ...but,
    ...ownNames,
    `for example ${JSON.stringify(action)} on ${JSON.stringify(resource)}`,
    // A binding and a request may grant the same role; both are formatted alike.
    ...new Set(because.map((reason) => `by ${formatReason(reason)}`)),
  ]
    .map(printable)
    .join('\n    ');
}

/** Formats each gained or lost region. */
export function formatDifferences({ gained, lost }: Comparison): string[] {
  const signed = (sign: string, regions: readonly AccessRegion[]) =>
    regions.map((one) => `${sign} ${formatAccess(one)}`);
  return [...signed('+', gained), ...signed('-', lost)];
}
