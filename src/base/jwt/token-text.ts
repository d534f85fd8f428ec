import { decodeBase64 } from '../lib/text/base64.js';

// The parts of a token that can be read without its key.

/** Returns the signed part of a token: header and claims. Texts with the same signed part are the same token. */
export function signedPart(token: string): string {
  const end = token.lastIndexOf('.');
  return end < 0 ? token : token.slice(0, end);
}

/** Decodes the claims of a JWT. Throws for invalid base64 or JSON. */
export const claimsOf = (token: string): Readonly<Record<string, unknown>> =>
  JSON.parse(decodeBase64((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));

/** Reads user and groups of a JWT, unverified; undefined for a malformed token. A superuser's token has neither. */
export function readIdentity(
  token: string,
): { readonly user: string | undefined; readonly groups: readonly string[] } | undefined {
  try {
    if (!/^(?:[\w-]+\.){2}[\w-]+$/.test(token)) return undefined;
    const { preferred_username: user, groups } = claimsOf(token);
    return {
      user: typeof user === 'string' ? user : undefined,
      groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
    };
  } catch {
    return undefined;
  }
}

/** Reads user and groups of a JWT, unverified; undefined for a token that is malformed or names no user. */
export function readOwner(token: string): { readonly user: string; readonly groups: readonly string[] } | undefined {
  const { user, groups = [] } = readIdentity(token) ?? {};
  return user ? { user, groups } : undefined;
}

/** Reads the unverified times of a JWT. `lifetimeMs` is `exp − iat`; without `iat`, the time until `exp`. */
export function readTimes(token: string): { readonly expiresAt?: Date; readonly lifetimeMs?: number } {
  try {
    const { exp, iat } = claimsOf(token);
    // Within the range of Date.
    if (typeof exp !== 'number' || !(Math.abs(exp) <= 8.64e12)) return {};
    const issuedAt = typeof iat === 'number' ? iat : Date.now() / 1000;
    return { expiresAt: new Date(exp * 1000), lifetimeMs: Math.max(0, (exp - issuedAt) * 1000) };
  } catch {
    return {};
  }
}
