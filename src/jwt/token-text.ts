// What the text of a token says without its key.

/** The part of a token that is signed: header and claims. Two texts with one signed part are one token. */
export function signedPart(token: string): string {
  const end = token.lastIndexOf('.');
  return end < 0 ? token : token.slice(0, end);
}

/**
 * The times that a JWT claims for itself; what is no JWT has none. `lifetimeMs` is `exp − iat`, which does not depend
 * on this machine's clock; where there is no `iat`, the time until `exp`.
 */
export function readTimes(token: string): { readonly expiresAt?: Date; readonly lifetimeMs?: number } {
  try {
    // Names and times are ASCII, so the bytes need no decoding.
    const { exp, iat }: { exp?: unknown; iat?: unknown } = JSON.parse(
      atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')),
    );
    // Within what a Date can hold.
    if (typeof exp !== 'number' || !(Math.abs(exp) <= 8.64e12)) return {};
    const issuedAt = typeof iat === 'number' ? iat : Date.now() / 1000;
    return { expiresAt: new Date(exp * 1000), lifetimeMs: Math.max(0, (exp - issuedAt) * 1000) };
  } catch {
    return {};
  }
}
