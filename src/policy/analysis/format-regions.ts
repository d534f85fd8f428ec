import { printable } from '../../base/lib/text/printable.js';
import type { AccessPair, AccessRegion, Comparison, OwnPattern, Reason, RegionPattern } from './analysis-types.js';

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

/** Formats a region in one line. */
export const formatRegion = ({ except, ...pair }: AccessPair & { readonly except: readonly AccessPair[] }): string =>
  [pair, ...except].map(formatPair).join(', except ');

/** The number of names shown per list of a group. */
export const mostNames = 3;
/** The number of names shown per list of a region. */
const mostOfRegion = 5;

export const quote = (text: string | undefined): string => JSON.stringify(text);

/** Joins texts: all of them, or the first ones and the number of the others. */
export function formatList(texts: readonly string[], noun = '', most = mostNames): string {
  if (texts.length <= most) return texts.join(', ');
  return `${texts.slice(0, most).join(', ')} and ${texts.length - most} more${noun && ` ${noun}`}`;
}

/** A noun and its names. */
export const named = (noun: string, names: readonly string[], most?: number): string =>
  `${noun}${names.length > 1 ? 's' : ''} ${formatList(names.map(quote), '', most)}`;

const formatNames = (kind: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [named(kind, names, mostOfRegion)];

export const formatReason = ({ via, role, policy, statement = 0 }: Reason): string =>
  via === 'superuser' ? 'the superuser' : `role ${quote(role)}, policy ${quote(policy)} statement ${statement + 1}`;

/**
 * Formats a region and the users and roles that have it, as text for people. The text may change between versions, so
 * programs should read the region itself.
 *
 * @example
 * ```ts
 * import { excessAccess, formatAccess } from 'arango-services/analysis';
 *
 * for (const region of excessAccess({}, [])) console.log(formatAccess(region));
 * ```
 */
export function formatAccess({
  users,
  groups = [],
  roles,
  own,
  except,
  witness,
  because,
  ...pair
}: AccessRegion): string {
  const who = [...formatNames('user', users), ...formatNames('group', groups), ...formatNames('role', roles)].join(
    ', ',
  );
  const but = except.map((exception) => `except ${formatPair(exception)}`);
  const ownNames = own ? [`<own>: ${formatNames('name', [...new Set(own.flat())])}`] : [];
  const { action, resource } = witness;
  return [
    `${who}: ${formatPair(pair)}`,
    ...but,
    ...ownNames,
    `for example ${quote(action)} on ${quote(resource)}`,
    // A binding and a request may grant the same role; both are formatted alike.
    ...new Set(because.map((reason) => `by ${formatReason(reason)}`)),
  ]
    .map(printable)
    .join('\n    ');
}

/** Formats each gained or lost region. */
export function formatDifferences({ gained, lost }: Comparison): string[] {
  const signed = (sign: string, regions: readonly AccessRegion[]) =>
    regions.map((region) => `${sign} ${formatAccess(region)}`);
  return [...signed('+', gained), ...signed('-', lost)];
}
