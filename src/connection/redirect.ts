import { NetworkError, RedirectError } from '../errors.js';
import type { Call, NamedCall } from './call.js';
import { quietly } from './failure.js';
import type { ShowText } from './secret-filter.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';

const mostRedirects = 20;

/**
 * Sends a request, and follows redirects of GET and HEAD inside the origin.
 *
 * @param call where the request goes, and whether a redirect is the answer.
 * @param show takes secrets out of what an error says of the redirect.
 * @returns the answer, and the URL that gave it.
 * @throws RedirectError for a redirect that is not followed.
 */
export async function follow(
  { callInfo, url: first, redirects }: { readonly callInfo: NamedCall; readonly url: string } & Pick<Call, 'redirects'>,
  request: TransportRequest,
  transport: Transport,
  show: ShowText,
): Promise<[response: TransportResponse, url: string]> {
  const { method, signal } = request;
  for (let hops = 0, url = first; ; hops++) {
    signal?.throwIfAborted();
    const response = await transport.send(url, request);
    const { status, type, redirected } = response;
    const drop = () => quietly(() => response.body?.cancel());
    if (signal?.aborted) {
      // A `fetch` that does not listen to its signal: nobody will read this answer.
      drop();
      throw signal.reason;
    }
    if (typeof status !== 'number') throw new NetworkError(callInfo, 'the fetch or transport gave no response');
    if (type === 'error') throw new NetworkError(callInfo);
    const moved = type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
    if (redirects || (!moved && !redirected)) return [response, url];
    // A `fetch` that follows by itself tells afterwards.
    const location = moved ? response.headers.get('location') : response.url;
    const target = location != null && URL.canParse(location, url) ? new URL(location, url) : undefined;
    const where = target && target.origin + target.pathname;
    const refusal =
      (type === 'opaqueredirect' && 'browsers do not show where to') ||
      (target === undefined && 'its location is missing or not a URL') ||
      (method !== 'GET' && method !== 'HEAD' && 'only GET and HEAD follow redirects') ||
      (target?.origin !== new URL(url).origin && 'it leaves the origin') ||
      (moved && !/30[12378]/.test(`${status}`) && 'its status does not ask to follow') ||
      (hops === mostRedirects && `more than ${mostRedirects} redirects`);
    if (moved || refusal) drop();
    if (refusal) throw new RedirectError(callInfo, status, show(where ?? '') || undefined, refusal);
    // User, password and fragment of a location stay behind.
    url = `${where}${target?.search}`;
    if (!moved) return [response, url];
  }
}
