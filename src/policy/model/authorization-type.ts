import type { Decision, Fidelity } from './model.js';
import { sharedDecision } from './shared-decision.js';

/** How a deployment makes decisions: `INTEGRATION_AUTHORIZATION_V1_TYPE`. */
export type AuthorizationType = 'central' | 'central-permissive' | 'always' | 'never';

export const authorizationTypes = [
  'central',
  'central-permissive',
  'always',
  'never',
] as const satisfies readonly AuthorizationType[];

/** The differences between fidelities outside the evaluation of policies, one field each. */
export interface AuthorizationRules {
  /** True if `central-permissive` keeps a Deny and allows only failed evaluations; false if it allows everything. */
  readonly permissiveDenies: boolean;
  /**
   * True if roles or groups without a user are a subject other than the superuser in every API; false if only in the
   * management API, while evaluation and CreateToken's gate treat every caller without a user as the superuser.
   */
  readonly rolesMakeSubject: boolean;
}

export const authorizationRules: Readonly<Record<Fidelity, AuthorizationRules>> = {
  documented: { permissiveDenies: true, rolesMakeSubject: true },
  sidecar: { permissiveDenies: false, rolesMakeSubject: false },
};

const always = /* @__PURE__ */ sharedDecision('Allow', 'Allowed by always plugin');
const never = /* @__PURE__ */ sharedDecision('Deny', 'Denied by never plugin');
const granted = /* @__PURE__ */ sharedDecision('Allow', 'Access granted');
const permissive = /* @__PURE__ */ sharedDecision('Allow', 'Access granted due to the Permissive mode');

/**
 * Decides by the authorization type; `always` and `never` decide at once, even for the superuser. Source: docs/wire.md,
 * "Authorization V1" and "Fidelity".
 */
export function decideAs(
  type: AuthorizationType,
  { permissiveDenies }: AuthorizationRules,
  ask: () => Decision,
): Decision {
  if (type === 'central') return ask();
  if (type === 'always') return always;
  if (type === 'never') return never;
  let decision: Decision;
  try {
    decision = ask();
  } catch {
    return permissiveDenies ? granted : permissive;
  }
  if (decision.message === 'Superuser Allowed') return decision;
  if (decision.effect === 'Allow') return granted;
  return permissiveDenies ? decision : permissive;
}
