import { readFile, stat } from 'node:fs/promises';
import { readTimes } from '../authentication/claims.js';
import type { Credentials, CredentialsContext } from '../credentials/credentials.js';
import { type RenewingCredentials, renewing } from '../credentials/renewing.js';
import { CredentialsError, expected } from '../errors.js';

/** What tells one content of a file from another without reading it. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  } catch {
    // It may be replaced just now; the token that is held serves meanwhile.
    return undefined;
  }
}

async function readToken(path: string): Promise<string> {
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
 * The token in a file that another program rewrites (`ARANGO_TOKEN`). The file is looked at with each call, read again when it
 * changed, when its token is past 75% of its lifetime, and after a 401. While it cannot be read the token that is held serves.
 * @throws InvalidArgumentError. A call that has no token rejects with CredentialsError.
 */
export function tokenFile(path: string): Credentials {
  if (typeof path !== 'string' || path === '') throw expected('path', 'the path of a file', path);
  const versions = new WeakMap<CredentialsContext, string>();
  const cache: RenewingCredentials = renewing('tokenFile', () => async () => {
    const token = await readToken(path);
    return { token, lifetimeMs: readTimes(token).lifetimeMs };
  });
  return {
    ...cache,
    async authorize(context) {
      const version = await versionOf(path);
      if (version !== undefined && version !== versions.get(context)) {
        await cache.renew(context);
        // Noted after the reading: what changed during it is read once more.
        versions.set(context, version);
      }
      return cache.authorize(context);
    },
  };
}
