import { compactVerify, decodeProtectedHeader, errors } from 'jose';
import { InvalidArgumentError } from '../errors.js';
import { expected, readArgument, readToken } from '../lib/readers.js';
import type { Validation } from '../services/authentication/messages.js';
import { importKeys, type KeyedClient, publishedKeys, readSecret } from './keys.js';

/** What verifies a token: the keys that a client's deployment publishes, public keys (PEM), or a shared secret. */
export type VerifyOptions = {
  /** The time to verify at. Default now. */
  readonly now?: Date | undefined;
} & (
  | { readonly client: KeyedClient; readonly keys?: undefined; readonly secret?: undefined }
  | { readonly keys: readonly string[]; readonly client?: undefined; readonly secret?: undefined }
  | { readonly secret: string | Uint8Array; readonly client?: undefined; readonly keys?: undefined }
);

const accepted = 'one of client, keys and secret';
// Decoders of base64 are lenient; the services are not.
const compact = /^[\w-]+\.[\w-]*\.[\w-]*$/;
const malformed = 'token is malformed';
const badSignature = 'signature is invalid';
// What the service says of a token without `exp`.
const lifetimeWithoutExpMs = 3_600_000;

/**
 * Verifies a token locally, with the service's rules: the algorithm is the key's (ES256 for published keys, HS256 for a secret);
 * `exp` that has passed and `iat` or `nbf` in the future are refused without leeway; the issuer does not count. It does not
 * know of logouts: `client.authentication.validate` does. A token that is not valid is an answer, not an error.
 *
 * The keys of a client are cached in it, and fetched again, at most once in 30 s, when none of them verifies.
 * Rejects with InvalidArgumentError (a wrong argument, or a deployment whose keys are symmetric, so that it publishes none)
 * and as `client.authentication.keys` does.
 */
export async function verifyToken(token: string, options: VerifyOptions): Promise<Validation> {
  const text = readArgument(token, 'token', readToken);
  const now = (readNow(options) ?? Date.now()) / 1000;
  const { client, keys, secret } = options;
  if ([client, keys, secret].filter((one) => one !== undefined).length !== 1) {
    throw expected('options', accepted, undefined);
  }
  const algorithm = secret === undefined ? 'ES256' : 'HS256';
  const known =
    secret !== undefined
      ? [readSecret(secret)]
      : client === undefined
        ? await importKeys(keys)
        : await publishedKeys(checkClient(client), false);
  const claims = await verified(text, algorithm, known ?? []);
  if (typeof claims === 'object') return judge(claims, now);
  // Another key may have come; a token that no key could verify is not worth a request.
  if (client === undefined || claims !== badSignature) return { valid: false, reason: claims };
  const newer = await publishedKeys(client, true);
  const again = newer === undefined ? badSignature : await verified(text, algorithm, newer);
  return typeof again === 'object' ? judge(again, now) : { valid: false, reason: again };
}

function readNow(options: unknown): number | undefined {
  if (typeof options !== 'object' || options === null) throw expected('options', `an object with ${accepted}`, options);
  for (const name of Object.keys(options)) {
    if (!['client', 'keys', 'secret', 'now'].includes(name)) {
      throw new InvalidArgumentError(name, 'unknown; accepted are client, keys, secret, now');
    }
  }
  const { now } = options as { now?: unknown };
  if (now === undefined) return undefined;
  if (now instanceof Date && !Number.isNaN(now.getTime())) return now.getTime();
  throw expected('now', 'a valid Date', now);
}

function checkClient(client: KeyedClient): KeyedClient {
  const { keys, verification } = client?.authentication ?? {};
  if (typeof keys === 'function' && typeof verification === 'object') return client;
  throw expected('client', 'a client of createClient', client);
}

/** The claims of a token that one of the keys signed, or why there are none. */
async function verified(
  token: string,
  algorithm: 'ES256' | 'HS256',
  keys: readonly (CryptoKey | Uint8Array)[],
): Promise<Readonly<Record<string, unknown>> | string> {
  if (!compact.test(token)) return malformed;
  try {
    if (decodeProtectedHeader(token).alg !== algorithm) return badSignature;
  } catch {
    return malformed;
  }
  for (const key of keys) {
    try {
      const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
      const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
      // The claims are an object or nothing; each one is checked before it is used.
      return typeof claims === 'object' && claims !== null && !Array.isArray(claims)
        ? (claims as Readonly<Record<string, unknown>>)
        : malformed;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return malformed;
    }
  }
  return badSignature;
}

function judge(claims: Readonly<Record<string, unknown>>, now: number): Validation {
  const refuse = (reason: string): Validation => ({ valid: false, reason: `token has invalid claims: ${reason}` });
  const { exp, iat, nbf, preferred_username: user, groups } = claims;
  for (const [name, value] of Object.entries({ exp, iat, nbf })) {
    if (value !== undefined && typeof value !== 'number') return refuse(`${name} is invalid`);
  }
  if (typeof exp === 'number' && exp <= now) return refuse('token is expired');
  if (typeof nbf === 'number' && nbf > now) return refuse('token is not valid yet');
  if (typeof iat === 'number' && iat > now) return refuse('token used before issued');
  return {
    valid: true,
    ...(typeof user === 'string' && { user }),
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
    lifetimeMs: typeof exp === 'number' ? (exp - now) * 1000 : lifetimeWithoutExpMs,
  };
}
