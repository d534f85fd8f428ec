/** The reason why a token is rejected. */
export interface Refusal {
  /** In the words of this package: the first rule that the token breaks. */
  readonly reason: string;
  /** In the words of the services' own JWT library, which names every rule that the claims break. */
  readonly observed: string;
}

const same = (reason: string, more = ''): Refusal => ({ reason, observed: reason + more });

/** The signature matches no key, or the token's algorithm is not the key's. */
export const badSignature: Refusal = /* @__PURE__ */ same('signature is invalid');

/** The text is not a token; `more` is what the services' library appends to the reason. */
export const malformed = (detail: string, more?: string): Refusal => same(`token is malformed: ${detail}`, more);

/** No key can verify the token. */
export const unverifiable = (detail: string): Refusal => same(`token is unverifiable: ${detail}`);

/** A rule that the claims of a token break. */
export interface BrokenRule {
  readonly rule: string;
  /** True if a claim has the wrong type; the services' library then adds `invalid type for claim` to the rule. */
  readonly wrongType: boolean;
}

/** The signature is valid, but the claims break one or more rules. */
export function badClaims([first, ...others]: readonly [BrokenRule, ...BrokenRule[]]): Refusal {
  const rules = [first, ...others].map(({ rule, wrongType }) => (wrongType ? `invalid type for claim: ${rule}` : rule));
  return { reason: first.rule, observed: `token has invalid claims: ${rules.join(', ')}` };
}
