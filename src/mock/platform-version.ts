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
  readonly tellsMissingBinding: boolean;
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
  tellsMissingBinding: isNext,
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

/** A row of the table of versions: the behaviour, and the words of each version. */
interface VersionDifference extends Readonly<Record<PlatformVersion, string>> {
  readonly behaviour: string;
  /** `recorded` if a recording shows what `recorded` says. The other versions, and other rows, were read only. */
  readonly source: 'recorded' | 'read';
  /** The fields of `VersionRules` that follow it; none if the mock does not serve it. */
  readonly rules?: readonly (keyof VersionRules)[];
}

/** The table of `docs/wire.md`, "Versions"; `npm run tables` writes it. */
export const versionDifferences: readonly VersionDifference[] = [
  {
    behaviour: 'createToken',
    source: 'recorded',
    rules: ['gatesCreateToken'],
    '1.4.4': 'no permission; with `token.allowed`, other users are 500, code 2, `User x is not allowed`',
    recorded: 'needs a permission, see [who may create tokens](#who-may-create-tokens)',
    next: 'the same, asked with the groups of the request',
  },
  {
    behaviour: '`roles` of a question, `groups` of a token',
    source: 'recorded',
    rules: ['bindsGroups'],
    '1.4.4': 'ignored',
    recorded: 'ignored',
    next: 'name [groups](#groups-read)',
  },
  {
    behaviour: 'DELETE of a missing binding',
    source: 'recorded',
    rules: ['tellsMissingBinding'],
    '1.4.4': '500, code 13, `not found`',
    recorded: '500, code 13, `not found`',
    next: '404, code 5',
  },
  {
    behaviour: 'list and get of the management API',
    source: 'read',
    '1.4.4': 'from memory',
    recorded: 'from memory',
    next: 'the store is read first',
  },
  {
    behaviour: 'refresh: a header of evaluate, and a call',
    source: 'read',
    rules: ['refreshes'],
    '1.4.4': 'none',
    recorded: 'none',
    next: 'see [refresh](#refresh-read)',
  },
  {
    behaviour: '`AUTHZ-EVAL-DIAG` lines of the log',
    source: 'recorded',
    rules: ['logsEvaluations'],
    '1.4.4': 'none',
    recorded: 'level debug',
    next: 'unknown',
  },
  {
    behaviour: 'the three `MODE` variables of a neighbour',
    source: 'read',
    rules: ['reportsModes'],
    '1.4.4': 'none',
    recorded: 'set',
    next: 'unknown',
  },
  {
    behaviour: 'predefined roles',
    source: 'read',
    rules: ['predefinesRoles'],
    '1.4.4': 'none',
    recorded: 'nine; only super-admin grants anything',
    next: 'nine',
  },
  {
    behaviour: 'port 8108 of a member',
    source: 'read',
    '1.4.4': 'any address, TLS as the deployment',
    recorded: 'loopback, plain: `/_management` of the gateway is 503',
    next: 'a second listener, if the operator sets it',
  },
  {
    behaviour: 'gateway',
    source: 'read',
    '1.4.4': 'a token cookie drops other headers set before; no WebSocket over HTTP/2',
    recorded: 'both mended',
    next: 'takes identities of an ALB, too',
  },
  {
    behaviour: '`/_inventory`',
    source: 'read',
    rules: ['listsConnectors'],
    '1.4.4': 'without `connectors` and `arangodb.security`',
    recorded: 'with both',
    next: 'unknown',
  },
];
