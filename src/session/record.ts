import { readOwner, readTimes } from '../jwt/token-text.js';
import { longestToken } from '../lib/readers.js';

/** A session as a store keeps it, with times by the system clock. */
export interface SessionRecord {
  readonly token: string;
  /** When the token was requested, in milliseconds since 1970. */
  readonly askedAt: number;
  /** When the user signed in. */
  readonly signedInAt: number;
}

/** A session with the claims of its token, which are not verified. */
export interface ReadSession extends SessionRecord {
  readonly user: string;
  readonly groups: readonly string[];
  /** Infinity if the token does not expire. */
  readonly lifetimeMs: number;
  /** The end of the token in milliseconds since 1970, by the service's clock; Infinity if it has none. */
  readonly expiresAtMs: number;
}

/** Reads a session's token; undefined for a malformed one, or one that names no user. */
export function readSession(record: SessionRecord): ReadSession | undefined {
  const { token } = record;
  const owner = token.length > longestToken ? undefined : readOwner(token);
  const { lifetimeMs = Number.POSITIVE_INFINITY, expiresAt } = readTimes(token);
  const expiresAtMs = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return owner && { ...record, ...owner, lifetimeMs, expiresAtMs };
}

/** Writes a session for a store. */
export const formatRecord = ({ token, askedAt, signedInAt }: SessionRecord): string =>
  JSON.stringify({ token, askedAt, signedInAt });

/** Parses an entry of a store; undefined if it is damaged. */
export function parseRecord(text: unknown): ReadSession | undefined {
  try {
    // The cast: each field is checked below.
    const { token, askedAt, signedInAt } = JSON.parse(text as string) as Record<string, unknown>;
    return typeof token === 'string' && Number.isFinite(askedAt) && Number.isFinite(signedInAt)
      ? readSession({ token, askedAt: askedAt as number, signedInAt: signedInAt as number })
      : undefined;
  } catch {
    return undefined;
  }
}
