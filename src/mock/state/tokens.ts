import { type Claims, type Identity, judgeClaims } from '../../base/jwt/claims.js';
import { badSignature, malformed, type Refusal } from '../../base/jwt/refusal.js';
import { signedPart } from '../../base/jwt/token-text.js';
import type { FidelityRules } from '../fidelity-rules.js';
import type { Epochs } from './epochs.js';
import type { MockClock } from './mock-clock.js';
import { createKeys, type Key, type Keys, type KeyTexts } from './signing-keys.js';
import type { Store } from './store.js';

/** The verdict on a token, with the reason that the mock's fidelity reports. */
export type TokenVerdict =
  | { readonly valid: true; readonly identity: Identity }
  | { readonly valid: false; readonly reason: string };

/** The content of a token. Login tokens have no `groups`. */
interface NewSession {
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly lifetimeMs: number;
}

/** Issues and verifies tokens, with the mock's keys and by its clock. */
export interface Tokens {
  readonly keys: Keys;
  /** Signs a valid token. If it equals one revoked within the same second, it is a new session all the same. */
  sign(session: NewSession): Promise<string>;
  /** Verifies a token; synchronous if its signature is cached. */
  verify(token: string): TokenVerdict | Promise<TokenVerdict>;
  /** The claims of a token that was issued or verified lately and is signed by a key of the mock. */
  claimsOf(token: string): Claims | undefined;
  /** Revokes a token: every token with its header and claims, since a signature can be encoded in more than one way. */
  revoke(token: string): void;
}

interface TokenContext {
  readonly clock: MockClock;
  readonly fidelity: FidelityRules;
  readonly tokenBytes: number;
  readonly store: Store;
  readonly epochs: Epochs;
  readonly keys: KeyTexts;
  /** True if callers must authenticate. */
  readonly authenticates: boolean;
}

/** A token with a valid signature. Only what cannot change is cached; times and revocations are checked each time. */
interface SignedToken {
  readonly claims: Claims;
  /** The signed part of the token, by which it is revoked. */
  readonly signed: string;
  /** The keys that the token was checked with; empty for one that was only signed. */
  readonly keys: readonly Key[];
}

const remembered = 1_000;
const revoked: Refusal = { reason: 'token is revoked', observed: 'token is revoked' };

/** Creates the token service of one mock. */
export async function createTokens(context: TokenContext): Promise<Tokens> {
  const { clock, fidelity, tokenBytes, store, epochs } = context;
  const keys = await createKeys(context.keys, context.authenticates);
  const seen = new Map<string, SignedToken>();

  function remember(text: string, claims: Claims, by: readonly Key[]): SignedToken {
    const token = { claims, signed: signedPart(text), keys: by };
    if (seen.size >= remembered) seen.delete(seen.keys().next().value ?? '');
    seen.set(text, token);
    return token;
  }

  /** A refusal as the fidelity reports it: without `givesReason`, only passive keys give a specific reason. */
  const refuse = ({ reason, observed }: Refusal, isPassive: boolean): TokenVerdict => {
    if (fidelity.givesReason) return { valid: false, reason };
    return { valid: false, reason: isPassive ? observed : badSignature.reason };
  };

  function judge({ claims, signed }: SignedToken, isPassive: boolean): TokenVerdict {
    const verdict = judgeClaims(claims, clock.now(), !fidelity.strictTokens);
    if (!verdict.valid) return refuse(verdict.refusal, isPassive);
    return store.isRevoked(signed) ? refuse(revoked, isPassive) : verdict;
  }

  async function askKeys(text: string): Promise<TokenVerdict> {
    const all = keys.all();
    const { isSignedBy, parseToken } = await import('../../base/jwt/compact.js');
    const parsed = parseToken(text, fidelity.strictTokens ? undefined : all);
    if ('reason' in parsed) return refuse(parsed, all.length > 1);
    let refused: TokenVerdict | undefined;
    for (const [index, key] of all.entries()) {
      if (!(await isSignedBy(parsed, key))) continue;
      refused = judge(remember(text, parsed.claims, all), index > 0);
      // A later key's reason replaces that of the active key.
      if (refused.valid || fidelity.givesReason) return refused;
    }
    return refused ?? refuse(badSignature, false);
  }

  return {
    keys,
    async sign({ user, groups, lifetimeMs }) {
      const epoch = epochs.current();
      const key = keys.active();
      const iat = Math.floor(clock.now() / 1000);
      const payload = {
        exp: Math.floor((clock.now() + lifetimeMs) / 1000),
        groups: groups === undefined ? undefined : [...groups],
        iat,
        iss: 'arangodb',
        preferred_username: user,
      };
      const { signToken } = await import('../../base/jwt/sign.js');
      const token = await signToken(payload, key.algorithm, key.sign ?? key.verify);
      if (!epoch.aborted) store.reinstate(signedPart(token));
      // For the log, which shows the claims also where no token is checked. No keys: it has not been verified.
      if (token.length <= tokenBytes) remember(token, new Map(Object.entries(JSON.parse(JSON.stringify(payload)))), []);
      return token;
    },
    verify(text) {
      const token = seen.get(text);
      if (token !== undefined && token.keys === keys.all()) {
        const verdict = judge(token, false);
        // Without `givesReason` the refusal depends on every key, so all are asked again.
        if (verdict.valid || fidelity.givesReason) return verdict;
      }
      if (text.length <= tokenBytes) return askKeys(text);
      return refuse(malformed(`longer than ${tokenBytes} bytes`), false);
    },
    claimsOf: (text) => seen.get(text)?.claims,
    revoke: (token) => store.revoke(signedPart(token)),
  };
}
