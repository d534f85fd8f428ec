import type { PlatformVersion, VersionRules } from '../../src/mock/platform-version.ts';

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
    rules: ['namesMissingBinding'],
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
