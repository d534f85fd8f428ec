import type { Fidelity } from './model.js';

/**
 * Where the fidelities differ in what policies do, one field a difference. Code asks a field and never compares names.
 */
export interface EvaluationRules {
  /** True if the `roles` of a request count beside the user's bindings. */
  readonly rolesCount: boolean;
  /**
   * The treatment of a policy, role or binding with a fault. True: it is refused with a PolicyError. False: it is
   * taken, but skipped by decisions, and an effect that is neither Allow nor Deny is a Deny.
   */
  readonly refusesFaults: boolean;
  /**
   * True if there is one binding for a name `user:role`, which counts for every user that the name begins with up to a
   * `:`. False: each user has bindings of its own.
   */
  readonly bindingsByName: boolean;
}

/** The rules of each fidelity. */
export const evaluationRules: Readonly<Record<Fidelity, EvaluationRules>> = {
  documented: { rolesCount: true, refusesFaults: true, bindingsByName: false },
  sidecar: { rolesCount: false, refusesFaults: false, bindingsByName: true },
};
