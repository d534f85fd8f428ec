import { InvalidArgumentError } from '../errors.js';

const parse = (url: unknown, base?: string): URL | undefined =>
  // The cast: `URL` takes any value as text.
  URL.canParse(url as string, base) ? new URL(url as string, base) : undefined;

/**
 * Returns the URL that signs a user in by single sign-on when the page goes there: the gateway redirects to its
 * provider, which leads back to `returnTo`. A user who is signed in gets there at once.
 *
 * @param returnTo a path at the gateway, or a URL there like `location.href`. Its fragment is left out.
 * @param url the URL of the gateway. Default: that of the page.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for another origin than that of the gateway, so that a
 * `returnTo` from outside leads nowhere else.
 * @example
 * ```ts
 * import { signInUrl } from 'arango-services/session';
 *
 * const signIn = () => location.assign(signInUrl(location.href));
 * ```
 */
export function signInUrl(returnTo: string | URL, url: string | URL = globalThis.location?.href): string {
  const gateway = parse(url);
  if (!gateway?.host) throw new InvalidArgumentError('url', 'expected the URL of the gateway');
  const { origin } = gateway;
  const target = parse(returnTo, origin);
  if (target?.origin !== origin) throw new InvalidArgumentError('returnTo', `expected a path or a URL at ${origin}`);
  // The gateway keeps path and query in a cookie, which these characters would cut off.
  return origin + (target.pathname + target.search).replace(/[;,]/g, encodeURIComponent);
}
