import { answer } from '../answers.js';
import { listOf, type Reader, readFields, readFilledText, readFlag, readName, readText } from '../arguments.js';
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

/** The body of createToken. @throws InvalidArgumentError naming the field. */
export function encodeTokenRequest(
  request: unknown = {},
  prefix = '',
): { user?: string; lifetime?: string; groups?: string[] } {
  const { user, groups, lifetime, lifetimeMs } = readFields(
    request,
    'request',
    {},
    { user: readName, groups: listOf(readName), lifetime: readLifetime, lifetimeMs: readLifetimeMs },
    prefix,
  );
  if (lifetime !== undefined && lifetimeMs !== undefined) {
    throw new InvalidArgumentError(`${prefix}lifetimeMs`, 'give lifetime or lifetimeMs, not both');
  }
  const ms = lifetime ?? lifetimeMs;
  return {
    ...(user !== undefined && { user }),
    ...(ms !== undefined && { lifetime: formatSeconds(ms) }),
    ...(groups !== undefined && { groups }),
  };
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

const isDuration = (value: unknown): value is string => typeof value === 'string' && parseDuration(value) !== undefined;

export const validationAnswer = answer((fields): Validation => {
  const valid = fields.read('isValid', 'true or false', (value) => typeof value === 'boolean');
  if (!valid) return { valid, reason: fields.text('message', '') };
  const details = fields.object('details');
  if (details === undefined) throw fields.fault('details', 'an object');
  const user = details.value('user');
  return {
    valid,
    ...(user !== undefined && { user: details.text('user') }),
    groups: details.texts('groups'),
    lifetimeMs: parseDuration(details.read('lifetime', 'a duration', isDuration)) as number,
  };
});

export const tokenAnswer = answer((fields): CreatedToken => {
  const token = fields.text('token');
  const user = fields.value('user');
  const lifetimeMs = parseDuration(fields.read('lifetime', 'a duration', isDuration)) as number;
  return {
    token,
    ...(user !== undefined && { user: fields.text('user') }),
    groups: fields.texts('groups'),
    lifetimeMs,
    expiresAt: new Date(readTimes(token).expiresAtMs ?? Date.now() + lifetimeMs),
  };
});

export const sessionAnswer = answer((fields): Session => {
  const token = fields.read(
    'token',
    'text that is not empty',
    (value): value is string => typeof value === 'string' && value !== '',
  );
  const { expiresAtMs, lifetimeMs } = readTimes(token);
  return {
    token,
    ...(lifetimeMs !== undefined && { lifetimeMs }),
    ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs) }),
  };
});

export const identityAnswer = answer((fields) => ({ user: fields.text('user') }));

export const keysAnswer = answer(
  (fields): PublishedKeys => ({ keys: fields.texts('keys'), checksum: fields.text('checksum', '') }),
);
