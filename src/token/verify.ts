import { InvalidArgumentError } from '../errors.js';
import { judgeClaims } from '../jwt/claims.js';
import type { CompactToken } from '../jwt/compact.js';
import { importSecret, requireSubtle, type VerificationKey } from '../jwt/keys.js';
import { badSignature, type Refusal } from '../jwt/refusal.js';
import { expected, readArgument, readToken } from '../lib/readers.js';
import type { Validation } from '../services/authentication/messages.js';
import type { KeyedClient } from './keyed-client.js';
import { importKeys, publishedKeys } from './published-keys.js';

/** What verifies a token: the keys that a client's deployment publishes, public keys, or a shared secret. */
export type VerifyOptions = {
  /** The time to verify at. Default now. */
  readonly now?: Date | undefined;
} & (
  | {
      /** A client of `createClient`, or anything else with `authentication.keys()`; its keys are remembered. */
      readonly client: KeyedClient;
      readonly keys?: undefined;
      readonly secret?: undefined;
    }
  | {
      /** Public ES256 keys as PEM ("BEGIN PUBLIC KEY"). */
      readonly keys: readonly string[];
      readonly client?: undefined;
      readonly secret?: undefined;
    }
  | {
      /** The HS256 secret, as text or as bytes. */
      readonly secret: string | Uint8Array;
      readonly client?: undefined;
      readonly keys?: undefined;
    }
);

const optionNames = ['client', 'keys', 'secret', 'now'];
const oneOf = 'one of client, keys and secret';

/**
 * Verifies a token locally, by the service's own rules. The algorithm is the key's: ES256 for public keys, HS256 for a secret. `exp`
 * that has passed and `iat` or `nbf` in the future are refused without leeway; the issuer does not count. Logouts are not known here:
 * `client.authentication.validate` asks the service itself.
 *
 * The keys of a client are fetched once, and again, at most once in 30 s, when a token is signed by none of them.
 *
 * @returns whose token it is and for how long it is still valid (`lifetimeMs`, 3 600 000 where it does not expire); or why it is
 * not valid, which is an answer, not an error.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a wrong argument, and for a deployment whose keys are symmetric, so that
 * it publishes none.
 * @throws what `client.authentication.keys()` rejects with.
 * @throws Error where the platform has no `crypto.subtle`.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { verifyToken } from 'arango-services/token';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * const verified = await verifyToken('eyJ…', { client });
 * if (verified.valid) console.log(verified.user, verified.groups);
 * else console.log(verified.reason); // token is expired
 * ```
 */
export async function verifyToken(token: string, options: VerifyOptions): Promise<Validation> {
  const text = readArgument(token, 'token', readToken);
  const { client, given, now = Date.now() } = await readOptions(options);
  const { isSignedBy, parseToken } = await import('../jwt/compact.js');
  const parsed = parseToken(text);
  if ('reason' in parsed) return refuse(parsed);
  const signedByOne = async (keys: readonly VerificationKey[] | undefined) => {
    for (const key of keys ?? []) if (await isSignedBy(parsed, key)) return true;
    return false;
  };
  const signed = client === undefined ? await signedByOne(given) : await isSignedByClient(parsed, client, signedByOne);
  if (!signed) return refuse(badSignature);
  const verdict = judgeClaims(parsed.claims, now);
  if (!verdict.valid) return refuse(verdict.refusal);
  const { user, groups, lifetimeMs } = verdict.identity;
  return { valid: true, ...(user !== undefined && { user }), groups: [...groups], lifetimeMs };
}

const refuse = ({ reason }: Refusal): Validation => ({ valid: false, reason });

/** Asks the keys that are known, then newer ones: another key may have come. Only an ES256 key is ever published. */
async function isSignedByClient(
  { algorithm }: CompactToken,
  client: KeyedClient,
  signedByOne: (keys: readonly VerificationKey[] | undefined) => Promise<boolean>,
): Promise<boolean> {
  const published = publishedKeys(client);
  if (await signedByOne(await published.current())) return true;
  return algorithm === 'ES256' && signedByOne(await published.newer());
}

interface ReadOptions {
  readonly now: number | undefined;
  readonly client: KeyedClient | undefined;
  /** The keys that the caller gave. */
  readonly given: readonly VerificationKey[] | undefined;
}

async function readOptions(options: VerifyOptions): Promise<ReadOptions> {
  if (typeof options !== 'object' || options === null) throw expected('options', `an object with ${oneOf}`, options);
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(unknown, `unknown; accepted are ${optionNames.join(', ')}`);
  }
  const { client, keys, secret } = options;
  if ([client, keys, secret].filter((one) => one !== undefined).length !== 1) {
    throw expected('options', oneOf, undefined);
  }
  const now = readNow(options.now);
  if (client !== undefined) {
    if (typeof client?.authentication?.keys !== 'function') {
      throw expected('client', 'a client of createClient, or what has authentication.keys()', client);
    }
    requireSubtle();
    return { now, client, given: undefined };
  }
  if (secret !== undefined) {
    const key = await importSecret(secret, 'secret', 'give public keys as { keys }');
    return { now, client, given: [key] };
  }
  if (!Array.isArray(keys) || keys.length === 0) {
    throw expected('keys', 'an array of at least one public key (PEM)', keys);
  }
  for (const [index, pem] of keys.entries()) {
    if (typeof pem !== 'string')
      throw expected(`keys[${index}]`, 'a public ES256 key as PEM ("BEGIN PUBLIC KEY")', pem);
  }
  return { now, client, given: await importKeys(keys, 'keys') };
}

function readNow(now: unknown): number | undefined {
  if (now === undefined) return undefined;
  if (now instanceof Date && !Number.isNaN(now.getTime())) return now.getTime();
  throw expected('now', 'a valid Date', now);
}
