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

/**
 * Applies the services' rules to the claims of a token whose signature is right: `exp` has not passed, and `iat` and
 * `nbf` are not in the future, each a finite number of which whole seconds count. There is no leeway, and the issuer
 * does not count. `preferred_username` that is no text makes a superuser; of `groups` the texts count.
 */
export function judgeClaims(claims: Claims, nowMs: number): ClaimsVerdict {
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
  const exp = check('exp', 'token is expired', (seconds) => seconds <= now);
  check('nbf', 'token is not valid yet', (seconds) => seconds > now);
  check('iat', 'token used before issued', (seconds) => seconds > now);
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
