import { echo, getVersion, openAuth } from './database.js';
import type { Exchange } from './exchange.js';
import type { Platform } from './platform.js';
import type { Family, NeutralResponse } from './wire.js';

/** What a row of the table does with a request. */
export type Serve = (exchange: Exchange, platform: Platform) => NeutralResponse | Promise<NeutralResponse>;

/** A row of the table. */
export interface Endpoint {
  readonly serve: Serve;
  /** True where `/_db` and `/_api` ask for no credentials. */
  readonly open?: boolean;
}

type Row = readonly [method: string, pattern: string, endpoint: Endpoint];

const database: readonly Row[] = [
  ['GET', '/_api/version', { serve: getVersion }],
  ['GET', '/_db/:db/_api/version', { serve: getVersion }],
  ['POST', '/_open/auth', { serve: openAuth, open: true }],
  ['POST', '/_db/:db/_open/auth', { serve: openAuth, open: true }],
  ['*', '/_db/:db/_echo/*', { serve: echo }],
];

/** Every endpoint that the mock has from the start. */
export function endpointRows(): readonly Row[] {
  return [...database];
}

const services = ['/_integration', '/_management'];
const names = new Set(['/_identity', '/_login', '/_logout']);
const below = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);

/** Whose form an answer below this path has. */
export function familyOf(path: string): Family {
  return names.has(path) || services.some((base) => below(path, base)) ? 'services' : 'database';
}

/** Whether a path is the mock's own, so that no custom route may stand there. */
export function isOwned(pattern: string): boolean {
  return (
    familyOf(pattern) === 'services' ||
    below(pattern, '/_open') ||
    /^\/_db\/[^/]+\/(?:_echo|_open)(?:\/|$)/.test(pattern) ||
    /^(?:\/_db\/[^/]+)?\/_api\/version$/.test(pattern)
  );
}

/** Whether the database asks for credentials there. */
export function isGuarded(path: string): boolean {
  return below(path, '/_db') || below(path, '/_api');
}
