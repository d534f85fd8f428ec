import { type CallInfo, RedirectError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import type { ShowText } from '../../base/secrets/filter.js';
import type { TransportResponse } from './transport.js';

const mostRedirects = 20;

export const isRedirect = ({ status, type }: TransportResponse): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);

/** A request of a call. */
interface Hop {
  readonly url: string;
  /** The number of redirects followed before. */
  readonly hops: number;
}

/**
 * Returns the URL to request next: the target of a redirect of GET or HEAD inside the origin, the final URL of a
 * `fetch` that follows by itself, else the requested one. Cancels the body of a redirect so that its connection can be
 * reused.
 *
 * @param show removes secrets from the texts of an error.
 * @throws RedirectError for a redirect that is not followed.
 */
export function destinationOf(
  response: TransportResponse,
  { url, hops }: Hop,
  callInfo: CallInfo,
  show: ShowText,
): string {
  const { status, type } = response;
  const { method } = callInfo;
  const moved = isRedirect(response);
  if (!moved && !response.redirected) return url;
  // Header values are read as Latin-1, whatever encoding a path has: its bytes are kept.
  const location = moved ? response.headers.get('location')?.replace(/[\x80-\xff]/g, escape) : response.url;
  const target = location != null && URL.canParse(location, url) ? new URL(location, url) : undefined;
  const where = target && target.origin + target.pathname;
  const refusal =
    (type === 'opaqueredirect' && 'browsers hide its target') ||
    (target === undefined && 'no valid location') ||
    (method !== 'GET' && method !== 'HEAD' && 'only GET and HEAD follow redirects') ||
    (target?.origin !== new URL(url).origin && 'it leaves the origin') ||
    (moved && !/30[12378]/.test(`${status}`) && 'its status is not followed') ||
    (hops === mostRedirects && `more than ${mostRedirects} redirects`);
  if (moved || refusal) quietly(() => response.body?.cancel());
  if (refusal) {
    // Filters the raw location, too: URL normalizes a host (`xn--…`).
    const shown = where && show(location?.replace(/[?#].*/s, '') ?? '') && show(where);
    throw new RedirectError(callInfo, status, shown || undefined, refusal);
  }
  // Drops user, password and fragment of the location.
  return `${where}${target?.search}`;
}
