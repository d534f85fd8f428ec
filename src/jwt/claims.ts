import { type BrokenRule, badClaims, type Refusal } from './refusal.js';

/** The claims of a token by name. A Map: names come from outside, and what `Object.prototype` holds is no claim. */
export type Claims = ReadonlyMap<string, unknown>;

/** Whose token it is. Without a user it is a superuser's. */
export interface Identity {
  readonly user: string | undefined;
  readonly groups: readonly string[];
  /** How long the token is still valid, in milliseconds. */
  readonly lifetimeMs: number;
}

/** What the claims say of a token: it is valid, or there is a reason why it is not. */
export type ClaimsVerdict =
  | { readonly valid: true; readonly identity: Identity }
  | { readonly valid: false; readonly refusal: Refusal };

/** What the services answer for the lifetime of a token without `exp`, which does not expire. */
export const endlessMs = 3_600_000;

/** The longest duration that the services can answer: what 63 bits of nanoseconds hold. */
const longestMs = 9_223_372_036_000;

/** From here on, a time in seconds wraps in the services' 64 bits (from the year 1 on) and lies in the far past. */
const wrapsAbove = 2 ** 63 - 62_135_596_800;

/**
 * Applies the services' rules to the claims of a token whose signature is right: `exp` has not passed, and `iat` and
 * `nbf` are not in the future, each a finite number of which whole seconds count. There is no leeway, and the issuer
 * does not count. `preferred_username` that is no text makes a superuser; of `groups` the texts count.
 * An `exp` beyond 64 bits has passed, as it wraps.
 * @param lenient as the observed services are: an `exp` of 0 has not passed, and an `iat` or `nbf` beyond 64 bits is
 * not in the future, as it wraps, too.
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
  const isAhead = (seconds: number): boolean => seconds > now && !(lenient && wraps(seconds));
  const exp = check('exp', 'token is expired', (seconds) =>
    claims.get('exp') === 0 && lenient ? false : seconds <= now || wraps(seconds),
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
