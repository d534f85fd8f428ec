import { readFile, stat } from 'node:fs/promises';
import { CredentialsError } from '../../base/errors.js';
import { readTimes } from '../../base/jwt/token-text.js';
import { expected } from '../../base/lib/readers.js';
import type { AuthorizedSender, Credentials } from '../connection/credentials-contract.js';
import { renewing } from '../credentials/renewing.js';

/** Identifies a version of a file without reading it. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  } catch {
    // The file may be in the middle of a replacement; the current token is used meanwhile.
    return undefined;
  }
}

async function readTokenFile(path: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new CredentialsError(`the token file cannot be read${typeof code === 'string' ? ` (${code})` : ''}`);
  }
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new CredentialsError('the token file holds no token (visible ASCII, not empty)');
}

/**
 * Sends the token from a file that another program rewrites (`ARANGO_TOKEN`). Each call checks the file. It is read
 * again when it has changed, when its token is past 75% of its lifetime, and after a 401. While it cannot be read, the
 * current token is used.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an empty path. A call without a token rejects with
 * CredentialsError.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { tokenFile } from 'arango-services/node';
 *
 * const client = createClient({ url: 'http://localhost:8529', credentials: tokenFile('/var/run/token') });
 * ```
 */
export function tokenFile(path: string): Credentials {
  if (typeof path !== 'string' || path === '') throw expected('path', 'the path of a file', path);
  const versions = new WeakMap<AuthorizedSender, string | undefined>();
  const cache = renewing(async (connection) => {
    // Gets the version first, so that a file that changes during the read is read again. It is noted once the token is
    // there: until then other calls wait for the read, too.
    const version = await versionOf(path);
    const token = await readTokenFile(path);
    versions.set(connection, version);
    return { token, lifetimeMs: readTimes(token).lifetimeMs };
  });
  return {
    ...cache,
    async authorize(context, call) {
      const version = await versionOf(path);
      if (version !== undefined && version !== versions.get(context.connection)) {
        cache.retryNow(context);
        const current = cache.currentToken(context);
        // While the file cannot be read, the current token is used.
        if (current !== undefined) await cache.reject(current, context).catch(() => undefined);
      }
      return cache.authorize(context, call);
    },
  };
}
