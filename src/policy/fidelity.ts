import type { Fidelity } from './model.js';

/** Where the fidelities differ in what policies do, one field a difference. Code asks a field and never compares names. */
export interface EvaluationRules {
  /** Whether the `roles` of a request count beside the user's bindings. */
  readonly rolesCount: boolean;
  /**
   * What becomes of a policy, role or binding with a fault. True: it is refused with a PolicyError. False: it is taken, but
   * skipped by decisions, and an effect that is neither Allow nor Deny is a Deny.
   */
  readonly refusesFaults: boolean;
  /**
   * What the authorization type `central-permissive` does with a Deny. True: it stays a Deny, and only an evaluation that
   * fails is allowed. False: everything is allowed.
   */
  readonly permissiveDenies: boolean;
  /**
   * Whether roles or groups without a user make somebody who is not the superuser. True: in every API. False: in the
   * management API only; evaluation and the gate take everybody without a user for the superuser.
   */
  readonly rolesMakeSubject: boolean;
}

/** The rules of each fidelity. */
export const evaluationRules: Readonly<Record<Fidelity, EvaluationRules>> = {
  documented: { rolesCount: true, refusesFaults: true, permissiveDenies: true, rolesMakeSubject: true },
  sidecar: { rolesCount: false, refusesFaults: false, permissiveDenies: false, rolesMakeSubject: false },
};
