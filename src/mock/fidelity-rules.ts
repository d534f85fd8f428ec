import type { Fidelity } from '../policy/index.js';
import { type AuthorizationRules, authorizationRules } from '../policy/model/authorization-type.js';
import { type EvaluationRules, evaluationRules } from '../policy/model/fidelity.js';

/**
 * The differences between the service specification and the observed services, one field each. `docs/wire.md`,
 * "Fidelity", has the same table in words. Code reads a field of `platform.fidelity` and never compares the fidelity's
 * name. The differences in decisions are in `src/policy`, because the replica needs them, too.
 */
export interface FidelityRules extends AuthorizationRules, EvaluationRules {
  /**
   * The subject whose permission createToken checks. True: the caller, by the caller's token; no token is 401. False:
   * the user that the token is for; the caller does not matter.
   */
  readonly gateChecksCaller: boolean;
  /** True if a `lifetime` may also use the specification's units (`1h`), not only seconds (`3600s`). */
  readonly lifetimeUnits: boolean;
  /**
   * The reason given for a refused token. True: the first rule that it breaks. False: `signature is invalid`, unless
   * there are passive keys and the token is malformed or signed by one of them: then every rule that it breaks, in the
   * words of the services' library.
   */
  readonly givesReason: boolean;
  /**
   * True if tokens are checked more strictly than by the services, for safety: `crit` is refused, `exp: 0` is expired,
   * an `iat` or `nbf` beyond 64 bits is in the future, and base64url has no line breaks.
   */
  readonly strictTokens: boolean;
  /**
   * True if headers are handled as by the gateway: `Grpc-Metadata-Authorization` counts as an authorization, and an
   * `Authorization` with characters outside printable ASCII is a 500.
   */
  readonly gatewayHeaders: boolean;
  /** True if text after the JSON value of a body is refused, false if it is ignored. */
  readonly refusesRest: boolean;
  /** The user that identity answers for a token without a user. */
  readonly superuserName: string;
  /** True if identity accepts the scheme of `Authorization` in any case, false if only `bearer ` in lower case. */
  readonly schemeInAnyCase: boolean;
  /**
   * Handling of a policy effect that is neither Allow nor Deny. True: the policy is invalid. False: text is stored as
   * Deny, and only a number other than 0 and 1 is invalid.
   */
  readonly refusesOddEffects: boolean;
  /**
   * The refusal of an invalid policy or role. True: 400 with the path of each error. False: 500 with nested counts, or
   * 400 for the scope of a binding.
   */
  readonly namesFaults: boolean;
  /**
   * Handling of a pattern that cannot be parsed (`*x*`). True: the policy is invalid. False: it is stored, evaluation
   * skips the whole policy, and the management API answers 500 to every user who has it.
   */
  readonly refusesOddPatterns: boolean;
  /** True if every version checks createToken, reports modes and refuses missing bindings as the specification says. */
  readonly ignoresVersions: boolean;
  /** True if logout revokes the session's token everywhere. Its cookie always expires. */
  readonly logoutRevokes: boolean;
  /** True if there are services that write such a log: those that were observed. */
  readonly hasLog: boolean;
}

const rulesOf = (isDocumented: boolean) => ({
  gateChecksCaller: isDocumented,
  lifetimeUnits: isDocumented,
  givesReason: isDocumented,
  strictTokens: isDocumented,
  gatewayHeaders: !isDocumented,
  refusesRest: isDocumented,
  superuserName: isDocumented ? 'root' : '',
  schemeInAnyCase: isDocumented,
  refusesOddEffects: isDocumented,
  namesFaults: isDocumented,
  refusesOddPatterns: isDocumented,
  ignoresVersions: isDocumented,
  logoutRevokes: isDocumented,
  hasLog: !isDocumented,
});

export const fidelities: Readonly<Record<Fidelity, FidelityRules>> = {
  documented: { ...authorizationRules.documented, ...evaluationRules.documented, ...rulesOf(true) },
  sidecar: { ...authorizationRules.sidecar, ...evaluationRules.sidecar, ...rulesOf(false) },
};
