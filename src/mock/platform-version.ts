/**
 * The version of the platform to follow. `1.4.4`: the release of July 2026. `recorded`: the services that the
 * recordings of the repository were made of, master of 2026-08-21; `1.4.5` is taken for it. `next`: later ones, which
 * bind roles to groups.
 */
export type PlatformVersion = '1.4.4' | 'recorded' | 'next';

/** The versions, and the names that stand for one of them. */
export const platformVersions = ['1.4.4', 'recorded', '1.4.5', 'next'] as const;

/** How a difference between versions is known: from recordings, or read in the platform's sources. */
export type Source = 'recorded' | 'read' | 'derived';

/**
 * The differences between versions, one field each; the columns of the table in `docs/wire.md`, "Versions". Code reads
 * a field and never compares the version's name.
 */
export interface VersionRules {
  /** How the rules of this version are known. */
  readonly source: Source;
  /**
   * True if createToken asks the policies. False: everybody may create tokens, for the users in
   * `authentication.token.allowed` or, if that is empty, for any user.
   */
  readonly gatesCreateToken: boolean;
  /** True if roles are bound to groups, which tokens and questions name. */
  readonly bindsGroups: boolean;
  /** True if an evaluation can ask for the newest policies, by a header or by a call. */
  readonly refreshes: boolean;
  /** True if the removal of a missing binding is 404. False: 500, code 13. */
  readonly tellsMissingBinding: boolean;
  /** True if the log has `AUTHZ-EVAL-DIAG` lines at level debug. */
  readonly logsEvaluations: boolean;
}

const recorded: VersionRules = {
  source: 'recorded',
  gatesCreateToken: true,
  bindsGroups: false,
  refreshes: false,
  tellsMissingBinding: false,
  logsEvaluations: true,
};

export const versionRules: Readonly<Record<PlatformVersion, VersionRules>> = {
  '1.4.4': { ...recorded, source: 'read', gatesCreateToken: false, logsEvaluations: false },
  recorded,
  next: { ...recorded, source: 'read', bindsGroups: true, refreshes: true, tellsMissingBinding: true },
};
