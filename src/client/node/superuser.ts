import { readFile } from 'node:fs/promises';
import { CredentialsError } from '../../base/errors.js';
import { importPrivateKey, importSecret } from '../../base/jwt/keys.js';
import { readSecret } from '../../base/jwt/secret.js';
import {
  optional,
  type Reader,
  type ReadersOf,
  readArgument,
  readFilledText,
  strictObject,
  transform,
} from '../../base/lib/readers.js';
import type { Bytes, WebKey } from '../../base/lib/web-types.js';
import type { Credentials } from '../connection/credentials-contract.js';
import { renewing } from '../credentials/renewing.js';

/** Options of {@link superuser}: exactly one of them. Neither a secret nor a key is part of an error. */
export interface SuperuserOptions {
  /** The deployment's shared secret (HS256), as text or bytes. */
  readonly secret?: string | Uint8Array | undefined;
  /** The path of a file with the deployment's shared secret (HS256). */
  readonly secretFile?: string | undefined;
  /** The path of a file with the deployment's private key (ES256), as PEM ("BEGIN PRIVATE KEY", PKCS 8). */
  readonly privateKeyFile?: string | undefined;
}

const lifetimeMs = 300_000;
/** The most by which the system clock may be ahead of the deployment's, which refuses tokens of the future. */
const aheadMs = 10_000;

const otherKeys = 'for an ES256 key give privateKeyFile';
// Checked by `readSecret`, whose errors never quote it.
const anything: Reader<unknown> = (value) => value;

const readOptions = transform(
  strictObject({
    secret: optional(anything) as Reader<string | Uint8Array | undefined>,
    secretFile: optional(readFilledText),
    privateKeyFile: optional(readFilledText),
  } satisfies ReadersOf<SuperuserOptions>),
  (options, reading) => {
    const secrets = Object.values(options).filter((value) => value !== undefined);
    return secrets.length === 1
      ? options
      : reading.report<typeof options>('give one of secret, secretFile, privateKeyFile');
  },
);

/** @throws CredentialsError with the system's code, without the content of the file. */
async function readKeyFile(path: string, what: string): Promise<Bytes> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new CredentialsError(`the ${what} cannot be read${typeof code === 'string' ? ` (${code})` : ''}`);
  }
}

/**
 * Signs tokens of the superuser, who may do everything: with the deployment's secret or private key, in this process.
 * Each is valid for five minutes by the system clock, and renewed as those of `minted`. A file is read for each token.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) unless exactly one option is given, and for an empty or
 * guessable secret. A call rejects with CredentialsError if the file cannot be read or holds no such secret or key.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { superuser } from 'arango-services/node';
 *
 * const client = createClient({
 *   url: 'http://localhost:8529',
 *   credentials: superuser({ secretFile: '/run/secrets/jwt-secret' }),
 * });
 * ```
 */
export function superuser(options: SuperuserOptions): Credentials {
  const { secret, secretFile, privateKeyFile } = readArgument(options, 'credentials', readOptions);
  const bytes = secret === undefined ? undefined : readSecret(secret, 'credentials.secret', otherKeys);

  async function readKey(): Promise<{ algorithm: 'HS256' | 'ES256'; key: WebKey }> {
    if (privateKeyFile !== undefined) {
      const pem = new TextDecoder().decode(await readKeyFile(privateKeyFile, 'private key file'));
      return { algorithm: 'ES256', key: (await importPrivateKey(pem, 'privateKeyFile')).sign };
    }
    // The options have either bytes or a file.
    const content = bytes ?? (await readKeyFile(secretFile as string, 'secret file'));
    return { algorithm: 'HS256', key: (await importSecret(content, 'secretFile', otherKeys)).verify };
  }

  return renewing(async () => {
    const [{ algorithm, key }, { signToken }] = await Promise.all([readKey(), import('../../base/jwt/sign.js')]);
    const seconds = (ms: number): number => Math.floor((Date.now() + ms) / 1_000);
    // The database knows its superuser by the server's id, the services by the missing user.
    const claims = { iss: 'arangodb', server_id: 'arango-services', iat: seconds(-aheadMs), exp: seconds(lifetimeMs) };
    return { token: await signToken(claims, algorithm, key), lifetimeMs };
  });
}
