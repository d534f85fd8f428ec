import { answer, flag, many, optional, shape, text } from '../answers.js';
import {
  listOf,
  type Reader,
  readFields,
  readFilledText,
  readFlag,
  readName,
  readText,
  readToken,
} from '../arguments.js';
import { formatSeconds, parseDuration, readDuration } from '../duration.js';
import { expected, InvalidArgumentError } from '../errors.js';
import { readTimes } from './claims.js';

/** Whom a token is for and how long it is valid. */
export type TokenRequest = {
  /** Default: the service's own user, a privileged token. */
  readonly user?: string | undefined;
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
      /** The same in milliseconds. */
      readonly lifetimeMs?: number | undefined;
    }
);

/** A token that the service made. */
export interface CreatedToken {
  /** Empty where the deployment runs without authentication. */
  readonly token: string;
  readonly user?: string;
  readonly groups: string[];
  readonly lifetimeMs: number;
  /** The token's own `exp`; this machine's time plus the lifetime where it has none. */
  readonly expiresAt: Date;
}

/** Who logs in. */
export interface LoginRequest {
  readonly username: string;
  /** May be empty. */
  readonly password: string;
  /** Also asks for the session cookie, which a browser keeps. Default false. */
  readonly cookies?: boolean | undefined;
}

/** A session. */
export interface Session {
  readonly token: string;
  /** `exp − iat` of the token; undefined where it does not expire. */
  readonly lifetimeMs?: number;
  /** The token's `exp`; undefined where it does not expire. */
  readonly expiresAt?: Date;
}

/** What a service, or `verifyToken`, says of a token. A valid token without `user` is a superuser's. */
export type Validation =
  | { readonly valid: true; readonly user?: string; readonly groups: string[]; readonly lifetimeMs: number }
  | { readonly valid: false; readonly reason: string };

/** The keys that verify tokens. */
export interface PublishedKeys {
  /** Public keys as PEM; none where the deployment's keys are symmetric. */
  readonly keys: string[];
  readonly checksum: string;
}

// The largest duration that the protocol can carry.
const longestMs = 315_576_000_000_000;

const readLifetimeMs: Reader<number> = (value, field) => {
  if (typeof value === 'number' && value >= 0 && value <= longestMs) return value;
  throw expected(field, `milliseconds from 0 to ${longestMs}`, value);
};

const readLifetime: Reader<number> = (value, field) => readLifetimeMs(readDuration(value, field), field);

/** How the fields of a request for a token are read. */
export const tokenReaders = {
  user: readName,
  groups: listOf(readName),
  lifetime: readLifetime,
  lifetimeMs: readLifetimeMs,
};

/** The one lifetime of a request, in milliseconds. */
export function lifetimeOf(
  { lifetime, lifetimeMs }: { lifetime?: number | undefined; lifetimeMs?: number | undefined },
  prefix = '',
): number | undefined {
  if (lifetime !== undefined && lifetimeMs !== undefined) {
    throw new InvalidArgumentError(`${prefix}lifetimeMs`, 'give lifetime or lifetimeMs, not both');
  }
  return lifetime ?? lifetimeMs;
}

/** The body of createToken. @throws InvalidArgumentError naming the field. */
export function encodeTokenRequest(request: unknown = {}): object {
  const { user, groups, ...times } = readFields(request, 'request', {}, tokenReaders);
  const ms = lifetimeOf(times);
  // What is undefined is not sent.
  return { user, lifetime: ms === undefined ? undefined : formatSeconds(ms), groups };
}

/** The body of login. @throws InvalidArgumentError naming the field. */
export function encodeLogin(
  request: unknown,
  prefix = '',
): { credentials: { username: string; password: string }; options?: object } {
  const { username, password, cookies } = readFields(
    request,
    'request',
    { username: readName, password: readText },
    { cookies: readFlag },
    prefix,
  );
  return { credentials: { username, password }, ...(cookies !== undefined && { options: { cookies } }) };
}

/** The fields of logout. @throws InvalidArgumentError naming the field. */
export const readLogout = (request: unknown = {}): { location?: string | undefined } =>
  readFields(request, 'request', {}, { location: readFilledText });

const duration: Reader<number> = (value, field) => {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms === undefined) throw expected(field, 'a duration', value);
  return ms;
};

const details = shape({ user: optional(text), groups: many(text), lifetime: duration }, (fields) => fields);

/** Leaves out a user that is missing: a superuser's token has none. */
const owner = (user: string | undefined) => (user === undefined ? {} : { user });

export const validationAnswer = answer((value, field): Validation => {
  const { isValid, message } = shape({ isValid: flag, message: optional(text, '') }, (fields) => fields)(value, field);
  if (!isValid) return { valid: isValid, reason: message };
  return shape({ details }, ({ details: { user, groups, lifetime } }) => ({
    valid: isValid,
    ...owner(user),
    groups,
    lifetimeMs: lifetime,
  }))(value, field);
});

export const tokenAnswer = answer(
  shape(
    { token: text, user: optional(text), groups: many(text), lifetime: duration },
    ({ token, user, groups, lifetime }): CreatedToken => ({
      token,
      ...owner(user),
      groups,
      lifetimeMs: lifetime,
      expiresAt: new Date(readTimes(token).expiresAtMs ?? Date.now() + lifetime),
    }),
  ),
);

export const sessionAnswer = answer(
  shape({ token: readToken }, ({ token }): Session => {
    const { expiresAtMs, lifetimeMs } = readTimes(token);
    return {
      token,
      ...(lifetimeMs !== undefined && { lifetimeMs }),
      ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs) }),
    };
  }),
);

export const identityAnswer = answer(shape({ user: text }, (fields) => fields));

export const keysAnswer = answer(
  shape({ keys: many(text), checksum: optional(text, '') }, (fields): PublishedKeys => fields),
);
