import { encodeText, toHex } from '../../base/jwt/bytes.js';
import { requireSubtle } from '../../base/jwt/keys.js';
import type { Bytes, WebKey } from '../../base/lib/web-types.js';

/** The hashes that are kept. */
const most = 10_000;

/** Creates the function that hashes users: HMAC-SHA-256 in hexadecimal digits, the last ones kept. */
export function createUserHash(secret: Bytes): (user: string) => Promise<string> | string {
  const hashes = new Map<string, string>();
  let imported: Promise<WebKey> | undefined;

  async function compute(user: string): Promise<string> {
    const subtle = requireSubtle();
    imported ??= subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const hash = toHex(await subtle.sign('HMAC', await imported, encodeText(user)));
    if (hashes.size >= most) hashes.clear();
    hashes.set(user, hash);
    return hash;
  }

  return (user) => hashes.get(user) ?? compute(user);
}
