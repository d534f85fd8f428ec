/** Why a token is refused. */
export interface Refusal {
  /** In the words of this package: the first rule that the token breaks. */
  readonly reason: string;
  /** In the words of the services' own JWT library, which names every rule that the claims break. */
  readonly observed: string;
}

const same = (reason: string, more = ''): Refusal => ({ reason, observed: reason + more });

/** No key signed the token, or another algorithm than the key's did. */
export const badSignature: Refusal = /* @__PURE__ */ same('signature is invalid');

/** The text is no token; `more` is what the services' library says behind the reason. */
export const malformed = (detail: string, more?: string): Refusal => same(`token is malformed: ${detail}`, more);

/** No key can say anything about the token. */
export const unverifiable = (detail: string): Refusal => same(`token is unverifiable: ${detail}`);

/** A rule that the claims of a token break. */
export interface BrokenRule {
  readonly rule: string;
  /** Whether a claim is of a wrong type, which the services' library says in front of the rule. */
  readonly wrongType: boolean;
}

/** The signature is right, and the claims break one rule or more. */
export function badClaims([first, ...others]: readonly [BrokenRule, ...BrokenRule[]]): Refusal {
  const rules = [first, ...others].map(({ rule, wrongType }) => (wrongType ? `invalid type for claim: ${rule}` : rule));
  return { reason: first.rule, observed: `token has invalid claims: ${rules.join(', ')}` };
}
