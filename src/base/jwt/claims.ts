import { type BrokenRule, badClaims, type Refusal } from './refusal.js';

/** The claims of a token by name. A Map, because names are untrusted: members of `Object.prototype` are not claims. */
export type Claims = ReadonlyMap<string, unknown>;

/** The owner of a token. Without a user it is a superuser. */
export interface Identity {
  readonly user: string | undefined;
  readonly groups: readonly string[];
  /** The remaining lifetime of the token, in milliseconds. */
  readonly lifetimeMs: number;
}

/** The result of checking the claims: valid, or the reason why not. */
export type ClaimsVerdict =
  | { readonly valid: true; readonly identity: Identity }
  | { readonly valid: false; readonly refusal: Refusal };

/** The lifetime that the services report for a token without `exp`, which does not expire. */
export const endlessMs = 3_600_000;

/** The longest duration that the services can report: 63 bits of nanoseconds. */
const longestMs = 9_223_372_036_000;

/** From this time on, in seconds, the services' 64-bit times (which start at the year 1) wrap to the far past. */
const wrapsAbove = 2 ** 63 - 62_135_596_800;

/**
 * Applies the services' rules to the claims of a token with a valid signature: `exp` has not passed, and `iat` and
 * `nbf` are not in the future. Each must be a finite number, truncated to whole seconds. There is no leeway, and the
 * issuer is ignored. If `preferred_username` is not a string, the owner is a superuser; non-strings in `groups` are
 * ignored. An `exp` beyond 64 bits has passed, because it wraps. If `nowMs` is NaN, each of these times is refused.
 * @param lenient like the observed services: an `exp` of 0 has not passed, and an `iat` or `nbf` beyond 64 bits is not
 * in the future, because it wraps, too.
 */
export function judgeClaims(claims: Claims, nowMs: number, lenient = false): ClaimsVerdict {
  const now = nowMs / 1000;
  const broken: BrokenRule[] = [];
  const check = (name: string, rule: string, breaks: (seconds: number) => boolean): number | undefined => {
    const value = claims.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      broken.push({ rule: `${name} is invalid`, wrongType: true });
      return undefined;
    }
    const seconds = Math.trunc(value);
    if (breaks(seconds)) broken.push({ rule, wrongType: false });
    return seconds;
  };
  const wraps = (seconds: number): boolean => seconds > wrapsAbove;
  const isAhead = (seconds: number): boolean => !(seconds <= now) && !(lenient && wraps(seconds));
  const exp = check('exp', 'token is expired', (seconds) =>
    claims.get('exp') === 0 && lenient ? false : !(seconds > now) || wraps(seconds),
  );
  check('nbf', 'token is not valid yet', isAhead);
  check('iat', 'token used before issued', isAhead);
  const [first, ...others] = broken;
  if (first !== undefined) return { valid: false, refusal: badClaims([first, ...others]) };
  const [user, groups] = [claims.get('preferred_username'), claims.get('groups')];
  return {
    valid: true,
    identity: {
      user: typeof user === 'string' ? user : undefined,
      groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
      lifetimeMs: exp === undefined ? endlessMs : Math.min(exp * 1000 - nowMs, longestMs),
    },
  };
}
