import { type AuthorizationRules, authorizationRules } from '../policy/authorization-type.js';
import { type EvaluationRules, evaluationRules } from '../policy/fidelity.js';
import type { Fidelity } from '../policy/index.js';

/**
 * Where the service specification and the observed services differ, one field a difference. `docs/wire.md`, "Fidelity",
 * has the same table in words. Code asks a field of `platform.fidelity`; it never compares the fidelity's name.
 * What decisions do differently is in `src/policy`, for the replica decides by it as well.
 */
export interface FidelityRules extends AuthorizationRules, EvaluationRules {
  /**
   * Whom the gate of createToken asks about. True: the caller, by the caller's own token, and without a token the
   * answer is 401. False: the user that the token is for; the caller does not matter.
   */
  readonly gateChecksCaller: boolean;
  /** Whether the `lifetime` of a request may have the specification's units (`1h`). Seconds (`3600s`) always do. */
  readonly lifetimeUnits: boolean;
  /**
   * Why a token is refused. True: the first rule that it breaks. False: `signature is invalid`, unless there are
   * passive keys and the token is malformed or signed by one of them: then every rule that it breaks, in the words of
   * the services' library.
   */
  readonly tellsReason: boolean;
  /**
   * Whether tokens are judged more strictly than the services do where that is safer: `crit` is refused, `exp: 0` has
   * passed, an `iat` or `nbf` beyond 64 bits is in the future, and base64url has no line breaks.
   */
  readonly strictTokens: boolean;
  /**
   * Whether the gateway's own ways with headers are shown: `Grpc-Metadata-Authorization` counts as an authorization,
   * and one with characters that are not printable ASCII is a 500.
   */
  readonly gatewayHeaders: boolean;
  /** Whether something behind the JSON of a body is refused, or ignored. */
  readonly refusesRest: boolean;
  /** The user whom identity answers for a token without a user. */
  readonly superuserName: string;
  /** Whether identity takes the scheme of `Authorization` in any case, or only `bearer ` in lower case. */
  readonly schemeInAnyCase: boolean;
  /**
   * What becomes of an effect in a policy that is neither Allow nor Deny. True: it is a fault of the policy. False:
   * text is stored as Deny, and only a number other than 0 and 1 is a fault.
   */
  readonly refusesOddEffects: boolean;
  /**
   * How a policy or role that does not validate is refused. True: with 400 and the path of each fault. False: with 500
   * and nested counts; the scope of a binding with 400.
   */
  readonly namesFaults: boolean;
  /**
   * What becomes of a pattern that cannot be parsed (`*x*`). True: it is a fault of the policy. False: it is stored,
   * the evaluation skips the whole policy, and the management API answers 500 to everyone who has it.
   */
  readonly refusesOddPatterns: boolean;
  /** What is answered when a binding that does not exist is to be removed. */
  readonly bindingNotFound: { readonly code: 5 | 13; readonly message: string };
  /**
   * Whether logout ends the session: everything that checks tokens then refuses its token. Its cookie always expires.
   */
  readonly logoutRevokes: boolean;
}

/** The rules of each fidelity. */
export const fidelities: Readonly<Record<Fidelity, FidelityRules>> = {
  documented: {
    ...authorizationRules.documented,
    ...evaluationRules.documented,
    gateChecksCaller: true,
    lifetimeUnits: true,
    tellsReason: true,
    strictTokens: true,
    gatewayHeaders: false,
    refusesRest: true,
    superuserName: 'root',
    schemeInAnyCase: true,
    refusesOddEffects: true,
    namesFaults: true,
    refusesOddPatterns: true,
    bindingNotFound: { code: 5, message: 'User role binding not found' },
    logoutRevokes: true,
  },
  sidecar: {
    ...authorizationRules.sidecar,
    ...evaluationRules.sidecar,
    gateChecksCaller: false,
    lifetimeUnits: false,
    tellsReason: false,
    strictTokens: false,
    gatewayHeaders: true,
    refusesRest: false,
    superuserName: '',
    schemeInAnyCase: false,
    refusesOddEffects: false,
    namesFaults: false,
    refusesOddPatterns: false,
    bindingNotFound: { code: 13, message: 'not found' },
    logoutRevokes: false,
  },
};
