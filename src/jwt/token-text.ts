// The parts of a token that can be read without its key.

/** Returns the signed part of a token: header and claims. Texts with the same signed part are the same token. */
export function signedPart(token: string): string {
  const end = token.lastIndexOf('.');
  return end < 0 ? token : token.slice(0, end);
}

/**
 * Reads the times of a JWT, unverified; anything else has none. `lifetimeMs` is `exp − iat`, which does not depend on
 * this machine's clock; without `iat`, it is the time until `exp`.
 */
export function readTimes(token: string): { readonly expiresAt?: Date; readonly lifetimeMs?: number } {
  try {
    // Names and times are ASCII, so the bytes need no UTF-8 decoding.
    const { exp, iat }: { exp?: unknown; iat?: unknown } = JSON.parse(
      atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')),
    );
    // Within the range of Date.
    if (typeof exp !== 'number' || !(Math.abs(exp) <= 8.64e12)) return {};
    const issuedAt = typeof iat === 'number' ? iat : Date.now() / 1000;
    return { expiresAt: new Date(exp * 1000), lifetimeMs: Math.max(0, (exp - issuedAt) * 1000) };
  } catch {
    return {};
  }
}
