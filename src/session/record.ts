import { readOwner, readTimes } from '../jwt/token-text.js';
import { longestToken } from '../lib/readers.js';

/** A session as a store keeps it, in this machine's time. */
export interface SessionRecord {
  readonly token: string;
  /** When the token was asked for, in milliseconds since 1970. */
  readonly askedAt: number;
  /** When the user signed in. */
  readonly signedInAt: number;
}

/** A session with the parts of its token that can be read without its key. */
export interface ReadSession extends SessionRecord {
  readonly user: string;
  readonly groups: readonly string[];
  /** Infinity if the token does not expire. */
  readonly lifetimeMs: number;
  /** The end of the token in milliseconds since 1970, in the service's time; Infinity if it has none. */
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

/** Reads what a store holds; undefined if it is damaged. */
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
