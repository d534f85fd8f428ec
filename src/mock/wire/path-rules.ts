import { loneSurrogate } from '../../base/lib/values.js';
import type { Family } from './http.js';

// Rules for paths: the group of services that they belong to, and the patterns that custom routes may have.

const serviceBases = ['/_integration', '/_management'];
const gatewayNames = ['/_identity', '/_login', '/_logout'];
const databaseBases = ['/_api', '/_db'];
// Answered for every path below them, found or not: no page has files there.
const gatewayBases = [
  ...[...serviceBases, ...gatewayNames, ...databaseBases],
  ...['/_inventory', '/_inventory.hash', '/_open', '/_platform', '/_service', '/oauth2'],
];

/** Decodes a segment; one that is not valid stays, or is `otherwise`. */
export function decodeSegment(segment: string, otherwise: string = segment): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return otherwise;
  }
}

/** The first segment, decoded as by the router: the rules of `/_db` hold for `/%5Fdb`, too. */
function baseOf(path: string): string {
  const end = path.indexOf('/', 1);
  const base = end < 0 ? path : path.slice(0, end);
  return base.includes('%') ? decodeSegment(base) : base;
}

/** True for the paths of the integration services. */
export const isIntegration = (path: string): boolean => baseOf(path) === '/_integration';

/** True for the paths of the management services, encoded or not. */
export const isManagement = (path: string): boolean => baseOf(path) === '/_management';

/** The group of services that answers below this path. */
export function familyOf(path: string): Family {
  const base = baseOf(path);
  return serviceBases.includes(base) || (gatewayNames.includes(base) && !path.includes('/', 1))
    ? 'services'
    : 'database';
}

/** True for the paths that the gateway answers or passes on to the platform, whatever routes there are. */
export const isGatewayPath = (path: string): boolean => gatewayBases.includes(baseOf(mergeSlashes(path)));

/** True for paths that the mock serves itself, which custom routes may not take. */
function isOwned(pattern: string): boolean {
  return (
    familyOf(pattern) === 'services' ||
    /^\/_(open$|inventory)/.test(baseOf(pattern)) ||
    /^\/_db\/[^/]+\/_(echo|open)(\/|$)/.test(pattern) ||
    /^(\/_db\/[^/]+)?\/_api\/version$/.test(pattern)
  );
}

/** True if the path requires credentials. */
export const isGuarded = (path: string): boolean => databaseBases.includes(baseOf(path));

/** Merges double slashes in the path of a user-defined service, as the gateway does before it looks for the route. */
export const mergeSlashes = (path: string): string => (/^\/+_service/.test(path) ? path.replace(/\/+/g, '/') : path);

/** A segment whose bytes are not UTF-8. */
export const notUtf8 = '\ud800';

/** The name of a segment that stands for any text: `:id`, or `{id}` as in OpenAPI. */
export function segmentName(part: string): string | undefined {
  const [, name, braced] = /^(?::(\w+)|\{(\w+)\})$/.exec(part) ?? [];
  return name ?? braced;
}

/** The error in the name of a service, if any: the gateway's own paths may have no other names. */
export const serviceNameFault = (name: unknown): string | undefined =>
  typeof name === 'string' && /^(?!\.\.?$)[\w.-]+$/.test(name)
    ? undefined
    : 'expected a name of letters, digits, ".", "_" and "-"';

/** The error in a pattern, if any. */
export function patternFault(pattern: string): string | undefined {
  if (!pattern.startsWith('/')) return 'expected a pattern that starts with "/"';
  const parts = pattern.replace(/\/\*$/, '').slice(1).split('/');
  return parts.every((part) => segmentName(part) !== undefined || !(part.startsWith(':') || part.includes('*')))
    ? undefined
    : 'expected segments that are text, ":name" or "{name}", or a "*" as the last one';
}

/** The path of requests that a client sends to `pattern`; undefined if it can send none. */
function asRequested(pattern: string): string | undefined {
  const [path = ''] = pattern.split(/[?#]/, 1);
  const parts: string[] = [];
  for (const part of path.slice(1).split('/')) {
    const segment = decodeSegment(part).replace(loneSurrogate, '\ufffd');
    if (segment === '..') parts.pop();
    else if (segment.includes('/')) return undefined;
    else if (segment !== '.') parts.push(segment);
  }
  return `/${parts.join('/')}`;
}

/** The error in the path of a custom route, if any. */
export function pathFault(pattern: string): string | undefined {
  if (isOwned(pattern)) return 'is served by the mock itself: expected a pattern like "/_db/:db/my-service/*"';
  const fault = patternFault(pattern);
  if (fault !== undefined) return fault;
  const [, service] = /^\/_db\/([^/:*{]+)\/?$/.exec(pattern) ?? [];
  if (service !== undefined) return `names no database: expected ${JSON.stringify(`/_db/:db/${service}`)}`;
  const reached = asRequested(pattern);
  if (reached === pattern) return undefined;
  const wanted = reached === undefined ? 'a segment ":name" in place of one that holds a "/"' : JSON.stringify(reached);
  return `no request reaches it, as paths are matched decoded, without their query: expected ${wanted}`;
}

/** The custom route that answers a request, for an error; empty if the mock serves the path itself. */
export function routeHint(method: string, path: string): string {
  // A segment that a pattern cannot hold as text becomes a name.
  const named = path
    .replace(/^\/_db\/[^/]+/, '/_db/:db')
    .replace(/[^/]+/g, (segment) => (/%2[af]|\*/i.test(segment) ? ':name' : segment));
  const pattern = asRequested(named) ?? named;
  if (isOwned(pattern)) return '';
  const quoted = JSON.stringify(pattern).slice(1, -1).replaceAll("'", "\\'");
  return `; add it by mock.route('${method}', '${quoted}', () => ({ body: … }))`;
}

/** True if a request can have this method. CONNECT opens a tunnel and never arrives as a request. */
export const isMethod = (name: string): boolean => /^(?!connect$)[!#$%&'*+\-.^_`|~\w]+$/i.test(name);
