import type { platformVersions } from '../policy/model/platform-versions.js';

/**
 * The version of the platform to follow. `1.4.4`: the release of July 2026. `recorded`: the services that the
 * recordings of the repository were made of, master of 2026-08-21; `1.4.5` is taken for it. `next`: later ones, which
 * bind roles to groups.
 */
export type PlatformVersion = '1.4.4' | 'recorded' | 'next';

/** The version that a name stands for: a page of 1.4.5 shows nothing that the recorded services lack (derived). */
export const platformOf = (name: (typeof platformVersions)[number]): PlatformVersion =>
  name === '1.4.5' ? 'recorded' : name;

/**
 * The differences between versions that a mock follows, one field each. Code reads a field and never compares the
 * version's name. They count in sidecar fidelity; in documented fidelity createToken is gated in every version, and a
 * missing binding is 404.
 */
export interface VersionRules {
  /**
   * True if createToken asks the policies. False: no permission is needed, and tokens are created for the
   * users in `authentication.token.allowed` or, if that is empty, for any user.
   */
  readonly gatesCreateToken: boolean;
  /** True if roles are bound to groups, which tokens and questions name. */
  readonly bindsGroups: boolean;
  /** True if an evaluation can ask for the newest policies, by a header or by a call. */
  readonly refreshes: boolean;
  /** True if the removal of a missing binding is 404. False: 500, code 13. */
  readonly namesMissingBinding: boolean;
  /** True if the log has `AUTHZ-EVAL-DIAG` lines at level debug. */
  readonly logsEvaluations: boolean;
  /** True if a program next to the services is told the modes of authentication and authorization. */
  readonly reportsModes: boolean;
  /** True if the inventory has `connectors`, and the security of the database. */
  readonly listsConnectors: boolean;
  /** True if a new deployment has predefined roles. */
  readonly predefinesRoles: boolean;
}

const rulesOf = (is144: boolean, isNext: boolean): VersionRules => ({
  gatesCreateToken: !is144,
  bindsGroups: isNext,
  refreshes: isNext,
  namesMissingBinding: isNext,
  logsEvaluations: !is144,
  reportsModes: !is144,
  listsConnectors: !is144,
  predefinesRoles: !is144,
});

export const versionRules: Readonly<Record<PlatformVersion, VersionRules>> = {
  '1.4.4': /* @__PURE__ */ rulesOf(true, false),
  recorded: /* @__PURE__ */ rulesOf(false, false),
  next: /* @__PURE__ */ rulesOf(false, true),
};
