import type { Fidelity } from './model.js';

/** The differences between fidelities in the evaluation, one field each. Code never compares names. */
export interface EvaluationRules {
  /** True if the `roles` of a request count in addition to the user's bindings. */
  readonly rolesCount: boolean;
  /**
   * The treatment of an invalid policy, role or binding. True: it is rejected with a PolicyError. False: it is loaded
   * but skipped by decisions, and an unknown effect is a Deny.
   */
  readonly refusesFaults: boolean;
  /**
   * True if there is one binding per name `user:role`, which applies to every user that is a prefix of the name, up to
   * a `:`. False: each user has separate bindings.
   */
  readonly bindingsByName: boolean;
}

const rulesOf = (isDocumented: boolean): EvaluationRules => ({
  rolesCount: isDocumented,
  refusesFaults: isDocumented,
  bindingsByName: !isDocumented,
});

export const evaluationRules: Readonly<Record<Fidelity, EvaluationRules>> = {
  documented: rulesOf(true),
  sidecar: rulesOf(false),
};
