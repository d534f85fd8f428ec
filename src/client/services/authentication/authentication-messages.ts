import { readTimes } from '../../../base/jwt/token-text.js';
import { readDuration } from '../../../base/lib/duration.js';
import {
  accepting,
  anyText,
  asGiven,
  isWithin,
  listOf,
  listOrEmpty,
  longestList,
  messageOf,
  optional,
  type Reader,
  readFilledText,
  readFlag,
  readName,
  readText,
  readToken,
  strictObject,
  textOrEmpty,
  transform,
  withoutUndefined,
} from '../../../base/lib/readers.js';
import { isSuperuser } from '../../../policy/model/subject.js';

/** The user, the groups and the lifetime of a new token. */
export type TokenRequest = {
  /**
   * Default: the services' own user, `root` unless configured. The token has the permissions that policies grant to
   * this user. An explicit `undefined` is refused, because a setting that is missing would give a token of `root`.
   */
  readonly user?: string;
  /** Default none. */
  readonly groups?: readonly string[] | undefined;
} & (
  | {
      /** A duration like `1h`, `90m`, `3600s`, `1h30m`. Default 1h; the service clamps it to its own limits. */
      readonly lifetime?: string | undefined;
      readonly lifetimeMs?: undefined;
    }
  | {
      readonly lifetime?: undefined;
      /** The lifetime in milliseconds. */
      readonly lifetimeMs?: number | undefined;
    }
);

/** A token that the service created, with its claims. */
export interface CreatedToken {
  /** Empty if the deployment runs without authentication. */
  readonly token: string;
  readonly user?: string | undefined;
  readonly groups: string[];
  readonly lifetimeMs: number;
  /** The token's `exp`; without one, this machine's time plus the lifetime. */
  readonly expiresAt: Date;
}

/** The credentials for a login. */
export interface LoginRequest {
  readonly username: string;
  /** May be empty. */
  readonly password: string;
  /** True to also request the session cookie, which a browser keeps. Default false. */
  readonly cookies?: boolean | undefined;
}

/** A new session. */
export interface Session {
  readonly token: string;
  /** `exp − iat` of the token, or the time until its `exp` if it has no `iat`; undefined if it does not expire. */
  readonly lifetimeMs?: number | undefined;
  /** The token's `exp`; undefined if it does not expire. */
  readonly expiresAt?: Date | undefined;
}

/** The result of validating a token, by a service or `verifyToken`. */
export type Validation =
  | {
      readonly valid: true;
      readonly user?: string | undefined;
      readonly groups: string[];
      /** Set for a superuser's token, which has neither a user nor groups. */
      readonly superuser?: true | undefined;
      readonly lifetimeMs: number;
    }
  | { readonly valid: false; readonly reason: string };

/** The keys that verify tokens. */
export interface PublishedKeys {
  /** Public keys as PEM; empty if the deployment's keys are symmetric. */
  readonly keys: string[];
  /** Changes whenever the keys change. */
  readonly checksum: string;
}

// The largest duration that the protocol can represent.
const longestMs = 315_576_000_000_000;

const readLifetimeMs = accepting<number>(`milliseconds from 0 to ${longestMs}`, (value) =>
  isWithin(value, 0, longestMs),
);

const readLifetime = transform(readDuration, readLifetimeMs);

/** Readers for the fields of a token request. */
export const tokenFields = {
  user: optional(readName),
  groups: optional(listOf(readName, longestList)),
  lifetime: optional(readLifetime),
  lifetimeMs: optional(readLifetimeMs),
};

/**
 * Adds a reader for the lifetime, as a duration or in milliseconds; the result is in milliseconds. A user that is there
 * must not be undefined: without one, the token is of the services' own user.
 */
export const withLifetime = <
  T extends {
    readonly user?: string | undefined;
    readonly lifetime?: number | undefined;
    readonly lifetimeMs?: number | undefined;
  },
>(
  reader: Reader<T>,
): Reader<Omit<T, 'lifetime' | 'lifetimeMs'> & { readonly lifetimeMs: number | undefined }> =>
  transform(withoutUndefined(reader, 'user'), ({ lifetime, lifetimeMs, ...others }, reading) => {
    if (lifetime !== undefined && lifetimeMs !== undefined) {
      reading.at('lifetimeMs', lifetimeMs, () => reading.report('only without lifetime'));
    }
    return { ...others, lifetimeMs: lifetime ?? lifetimeMs };
  });

export const readTokenRequest = withLifetime(strictObject(tokenFields));

/** A token request that was read. */
export interface ReadTokenRequest {
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly lifetimeMs?: number | undefined;
}

/** The body of createToken. Undefined fields are not sent. */
export const tokenBody = ({ user, groups, lifetimeMs }: ReadTokenRequest): object => ({
  user,
  lifetime: lifetimeMs === undefined ? undefined : `${Math.round(lifetimeMs) / 1000}s`,
  groups,
});

/** Readers for user and password. */
export const loginFields = { username: readName, password: readText };

export const readLogin = strictObject({ ...loginFields, cookies: optional(readFlag) }, '{ username, password }');

export const readLogout = strictObject({ location: optional(readFilledText) });

// A superuser's token has no user.
// Negative for a token with `exp: 0`, which the services accept.
const negative = transform(readDuration, (ms) => -ms);
const anyLifetime: Reader<number> = (value, reading) =>
  typeof value === 'string' && value.startsWith('-') ? negative(value.slice(1), reading) : readDuration(value, reading);
const subject = { user: optional(anyText), groups: listOrEmpty(anyText), lifetime: anyLifetime };

const readOwner = transform(messageOf(subject), ({ lifetime, ...who }) => ({
  valid: true as const,
  ...who,
  ...(isSuperuser(who) && { superuser: true as const }),
  lifetimeMs: lifetime,
}));

/** Reads the response of validate. */
export const validation: Reader<Validation> = transform(
  messageOf({ isValid: readFlag, message: asGiven, details: asGiven }),
  ({ isValid, message, details }, reading): Validation =>
    isValid
      ? reading.at('details', details, readOwner)
      : { valid: false, reason: reading.at('message', message, textOrEmpty) },
);

/** Reads the response of createToken. */
export const createdToken = transform(
  messageOf({ token: anyText, ...subject }),
  ({ lifetime, ...created }): CreatedToken => ({
    ...created,
    lifetimeMs: lifetime,
    expiresAt: readTimes(created.token).expiresAt ?? new Date(Date.now() + lifetime),
  }),
);

/** Reads the response of login. */
export const session = transform(
  messageOf({ token: readToken }),
  ({ token }): Session => ({ token, ...readTimes(token) }),
);

/** Reads the response of the database's own login. */
export const databaseSession = transform(
  messageOf({ jwt: readToken }),
  ({ jwt }): Session => ({ token: jwt, ...readTimes(jwt) }),
);

/** Reads the response of identity. */
export const identity = messageOf({ user: anyText });

/** Reads the public keys that verify tokens. */
export const publishedKeys: Reader<PublishedKeys> = messageOf({ keys: listOrEmpty(anyText), checksum: textOrEmpty });
