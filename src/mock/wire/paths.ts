import type { Family } from './http.js';

// What the mock knows of paths: whose they are, and how a route has to be written that a test or a seed file adds.

const serviceBases: ReadonlySet<string> = new Set(['/_integration', '/_management']);
const gatewayNames: ReadonlySet<string> = new Set(['/_identity', '/_login', '/_logout']);

/** The first segment, decoded as the router decodes it: `/%5Fdb` is `/_db`, and has its rules. */
function baseOf(path: string): string {
  const end = path.indexOf('/', 1);
  const base = end < 0 ? path : path.slice(0, end);
  if (!base.includes('%')) return base;
  try {
    return decodeURIComponent(base);
  } catch {
    return base; // No row has such a name.
  }
}

/** Whose form an answer below this path has. */
export function familyOf(path: string): Family {
  const base = baseOf(path);
  return serviceBases.has(base) || (gatewayNames.has(base) && !path.includes('/', 1)) ? 'services' : 'database';
}

/** Whether a path is the mock's own, so that no custom route may stand there. */
function isOwned(pattern: string): boolean {
  return (
    familyOf(pattern) === 'services' ||
    baseOf(pattern) === '/_open' ||
    /^\/_db\/[^/]+\/(?:_echo|_open)(?:\/|$)/.test(pattern) ||
    /^(?:\/_db\/[^/]+)?\/_api\/version$/.test(pattern)
  );
}

/** Whether the database asks for credentials there. */
export function isGuarded(path: string): boolean {
  const base = baseOf(path);
  return base === '/_db' || base === '/_api';
}

export const namedSegment: RegExp = /^:(\w+)$/;

/** What is wrong with a pattern. */
export function patternFault(pattern: string): string | undefined {
  if (!pattern.startsWith('/')) return 'expected a pattern that starts with "/"';
  const parts = pattern.replace(/\/\*$/, '').slice(1).split('/');
  return parts.every((part) => namedSegment.test(part) || !(part.startsWith(':') || part.includes('*')))
    ? undefined
    : 'expected segments that are text, ":name", or a "*" as the last one';
}

/** A segment as the mock sees it in a request: decoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The same path as requests come by it; undefined where none is like it. */
function asRequested(pattern: string): string | undefined {
  const [path = ''] = pattern.split(/[?#]/, 1);
  const parts: string[] = [];
  for (const segment of path.slice(1).split('/').map(decoded)) {
    if (segment === '..') parts.pop();
    else if (segment.includes('/')) return undefined;
    else if (segment !== '.') parts.push(segment);
  }
  return `/${parts.join('/')}`;
}

/** What is wrong with the path of a route. */
export function pathFault(pattern: string): string | undefined {
  if (isOwned(pattern)) {
    return 'is served by the mock itself: expected a path of your own service, like "/_db/:db/my-service/*"';
  }
  const fault = patternFault(pattern);
  if (fault !== undefined) return fault;
  const [, service] = /^\/_db\/([^/:*]+)\/?$/.exec(pattern) ?? [];
  if (service !== undefined) return `names no database: expected ${JSON.stringify(`/_db/:db/${service}`)}`;
  const reached = asRequested(pattern);
  if (reached === pattern) return undefined;
  const wanted = reached === undefined ? 'a segment ":name" in place of one that holds a "/"' : JSON.stringify(reached);
  return `no request reaches it, as paths are matched decoded and without their query: expected ${wanted}`;
}

/** Whether a request can come with a method. CONNECT opens a tunnel: it never arrives as a request. */
export const isMethod = (name: string): boolean => /^(?!connect$)[!#$%&'*+\-.^_`|~\w]+$/i.test(name);
