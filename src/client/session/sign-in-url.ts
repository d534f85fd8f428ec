import { InvalidArgumentError } from '../../base/errors.js';

/** Parses a URL with http or https. Other URLs have no host, or like `blob:` the origin of another URL. */
function parse(url: unknown, base?: string): URL | undefined {
  // The cast: `URL` takes any value as text.
  const parsed = URL.canParse(url as string, base) ? new URL(url as string, base) : undefined;
  return /^https?:$/.test(parsed?.protocol ?? '') ? parsed : undefined;
}

/** Double slashes, dot segments, backslashes and control characters: some parsers take what follows for a host. */
const ambiguous = /\/\/|(?:^|\/)\.{1,2}(?:\/|$)|[\\\p{Cc}]/u;

/** The gateway's own paths, which are refused as `returnTo`: its logout, for example, redirects to any `location`. */
const ofGateway = /^\/(?:_(?:identity|login|logout|open|integration)|oauth2\/idpresponse)(?:\/|$)/i;

/** The maximum number of nested escapes: each costs another pass over the path. */
const mostLayers = 8;

/** Decodes one level of escapes. Escapes that are not UTF-8 become a control character, which is refused. */
const decode = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return '\0';
    }
  });

/** True if every browser and server resolves a path to the same place, even if some decode it repeatedly. */
function isPlain(path: string): boolean {
  let [text, next] = ['', path];
  // Some servers fold full-width forms of slashes, dots, semicolons and percent signs, before or after they decode.
  for (let layers = 0; next !== text; next = decode(text.normalize('NFKC'))) {
    text = next;
    if (++layers > mostLayers) return false;
    // Some servers drop parameters of segments (`;a=b`).
    const drop = (path: string) => path.replace(/;[^/]*/g, '');
    const folded = text.normalize('NFKC');
    const reads = [folded, drop(folded), drop(text).normalize('NFKC')];
    if (reads.some((read) => ambiguous.test(read) || ofGateway.test(read))) return false;
  }
  return true;
}

/**
 * Returns a URL of the gateway for single sign-on. When the page navigates to it, the gateway redirects to its
 * provider, which redirects back to `returnTo` after the sign-in. For a user who is already signed in, the gateway
 * redirects at once.
 *
 * @param returnTo a path or a URL at the gateway, like `location.href`. Its fragment is dropped.
 * @param url the URL of the gateway. Default: that of the page.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for another origin than that of the gateway, for a path that
 * a browser or server could read as another host (`//`, `\`, `.` and `..` segments, control characters, also encoded),
 * and for the gateway's own paths like `/_logout`, so that a `returnTo` from outside leads nowhere else.
 * @example
 * ```ts
 * import { signInUrl } from 'arango-services/session';
 *
 * const signIn = () => location.assign(signInUrl(location.href));
 * ```
 */
export function signInUrl(returnTo: string | URL, url: string | URL = globalThis.location?.href): string {
  const origin = parse(url)?.origin;
  if (!origin) throw new InvalidArgumentError('url', 'expected the URL of the gateway (http or https)');
  const target = parse(returnTo, origin);
  if (target?.origin !== origin) throw new InvalidArgumentError('returnTo', `expected a path or a URL at ${origin}`);
  // Parsing removes dot segments and control characters, so the text before parsing is checked, too.
  const [text = ''] = String(returnTo).split(/[?#]/);
  if (!isPlain(text.replace(/^https?:\/\/[^/\\]*/i, '')) || !isPlain(target.pathname)) {
    throw new InvalidArgumentError(
      'returnTo',
      'expected no //, \\, . or .. segments, control characters or gateway path',
    );
  }
  // The gateway stores path and query in a cookie, which these characters would truncate or invalidate.
  return origin + (target.pathname + target.search).replace(/[;,\\]/g, encodeURIComponent);
}
