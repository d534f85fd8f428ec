import { accepting } from '../lib/readers.js';
import { decodeText, encodeText, fold, isOneSegment } from './path-text.js';
import type { SentSegment } from './template.js';

// The characters of a path in a request line. A raw backslash, a fragment or a character beyond ASCII is not among
// them: parsers of URLs change these, each in its own way. Nor is a `;`, at which some routers end the path.
const pathCharacters = /^\/[!$%&'()*+,\-./\w:=@~[\]^`{|}"<>]*$/;
/** Scheme and authority of an absolute URL. Parsers differ on URLs without a host, or with a user. */
const origin = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?=[/?]|$)/i;

/** Reads a segment; undefined if it is undecodable, or not one segment for every server. */
function readSegment(raw: string): SentSegment | undefined {
  const decoded = decodeText(raw);
  if (decoded === undefined || !isOneSegment(decoded)) return undefined;
  return { text: encodeText(raw), loose: fold(raw) };
}

/**
 * The path of a request's URL, as it was sent: nothing is resolved. A slash at its end gives an empty last segment,
 * which matches only a template with the same slash.
 * @param base the segments of the base path
 * @returns the segments after the base path; undefined if the path is outside of it, or could be read in two ways.
 */
export function sentSegments(url: string, base: readonly string[]): SentSegment[] | undefined {
  const path = url.replace(origin, '').split('?', 1)[0] ?? '';
  if (!pathCharacters.test(path)) return undefined;
  const all = path.slice(1).split('/');
  if (all.length <= base.length || base.some((segment, index) => all[index] !== segment)) return undefined;
  const segments = all
    .slice(base.length)
    .map((raw, index, { length }) => (raw === '' && index < length - 1 ? undefined : readSegment(raw)));
  return segments.every((segment) => segment !== undefined) ? segments : undefined;
}

/** Reads a base path like `/api`, or none. */
export const readBasePath = accepting<string>(
  'a path like "/api", as it is sent: without a slash at its end, "//", "." or ".."',
  (value) =>
    value === '' ||
    (typeof value === 'string' &&
      pathCharacters.test(value) &&
      value
        .slice(1)
        .split('/')
        .every((segment) => segment !== '' && readSegment(segment) !== undefined)),
);
