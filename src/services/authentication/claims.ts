/** What a JWT says of its own times, not verified; empty where it is none. `lifetimeMs` is `exp − iat`. */
export function readTimes(token: string): { readonly expiresAt?: Date; readonly lifetimeMs?: number } {
  try {
    // Names and times are ASCII, so the bytes need no decoding.
    const { exp, iat }: { exp?: unknown; iat?: unknown } = JSON.parse(
      atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')),
    );
    if (typeof exp !== 'number' || !(Math.abs(exp) <= 8.64e12)) return {};
    return { expiresAt: new Date(exp * 1000), ...(typeof iat === 'number' && { lifetimeMs: (exp - iat) * 1000 }) };
  } catch {
    return {};
  }
}
