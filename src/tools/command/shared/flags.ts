import { platformVersions } from '../../../policy/model/platform-versions.js';

/** A flag of `arango-services permissions`. */
export interface Flag {
  /**
   * The kind of its value. `texts` (separated by commas) and `files` (which may hold commas) may be repeated; of `file`
   * and `files` the value `-` is stdin.
   */
  readonly takes:
    | 'nothing'
    | 'text'
    | 'file'
    | 'texts'
    | 'files'
    | readonly [least: number, most: number]
    | readonly string[];
  /** The value, as `--help` shows it. */
  readonly value?: string;
  readonly short?: string;
  readonly help: string;
}

/** A flag that takes a value, which `--help` shows in this form. */
const taking = <const T extends Exclude<Flag['takes'], 'nothing'>>(takes: T, value: string, help: string) => ({
  takes,
  value,
  help,
});

/** Every flag; a subcommand names those that it takes. */
export const flags = {
  help: { takes: 'nothing', short: 'h', help: 'prints this help' },
  file: {
    ...taking('file', '<file>', 'the file of permissions (default permissions.yaml; - reads stdin)'),
    short: 'f',
  },
  deployment: taking(
    'text',
    '<[namespace/]name>',
    'the deployment whose custom resources are read, or written by "export"',
  ),
  from: taking('file', '<file>', 'writes the custom resources of a file of permissions (- reads stdin)'),
  to: taking('text', '<folder>', 'compares with a folder of custom resources (of --deployment) instead'),
  json: { takes: 'nothing', help: 'prints JSON' },
  details: { takes: 'nothing', help: 'prints each item and each region of access, not in groups' },
  csv: { takes: 'nothing', help: 'prints CSV (RFC 4180) for a spreadsheet' },
  since: taking('file', '<report.json>', 'an earlier report of --json: what changed since then is listed'),
  markdown: { takes: 'nothing', help: 'prints Markdown for a comment on a pull request' },
  coverage: { takes: 'nothing', help: 'prints the statements and bindings that decided nothing' },
  junit: taking('text', '<file>', 'writes the results as JUnit XML'),
  lcov: taking('text', '<file>', 'writes the coverage of the files as lcov'),
  url: taking('text', '<url>', 'the deployment (default: of the environment next to a sidecar)'),
  'integration-url': taking('text', '<url>', 'the integration services, if they are not at --url (a sidecar)'),
  'token-file': taking('file', '<file>', 'a file with the token to send (default: of ARANGO_TOKEN; - reads stdin)'),
  'jwt-secret-file': taking(
    'file',
    '<file>',
    "a file with the deployment's secret, which signs superuser tokens (- is stdin)",
  ),
  user: taking('text', '<name>', 'the user to log in, with --password-stdin'),
  'password-stdin': { takes: 'nothing', help: "reads the user's password from stdin" },
  grpc: taking('text', '<host:port>', 'the gRPC services, from which a replica learns all users'),
  users: taking('texts', '<names>', 'users whose bindings are read, beside those of the file'),
  groups: taking('texts', '<names>', 'groups whose bindings are read, beside those of the file'),
  'users-file': taking('text', '<file>', 'keeps the users of the last apply, to find removed ones'),
  'groups-file': taking('text', '<file>', 'keeps the groups of the last apply, to find removed ones'),
  before: taking('text', '<file|revision>', 'an old version of the file, or its git revision, whose users are known'),
  'first-run': { takes: 'nothing', help: 'accepts that a file of the last apply, or the old version, is missing' },
  'allow-orphans': { takes: 'nothing', help: 'exits with 0 although bindings of known users have no owner' },
  holds: taking('text', '<file>', 'revocations that plans respect, beside those of <file>.holds.yaml'),
  group: taking('text', '<name>', 'the group whose bindings are removed, instead of those of a user'),
  role: taking('texts', '<names>', 'the roles that are revoked (default: all)'),
  until: taking('text', '<time>', 'when the hold ends: a time with its zone, or a duration like 8h'),
  reason: taking('text', '<text>', 'why, for the reviewers of later plans'),
  as: taking('text', '<user[,group…]>', 'who will apply the plan: judged by their permissions, not those of the token'),
  restore: { takes: 'nothing', help: 'applies changes that give back what was revoked by hand' },
  prune: { takes: 'nothing', help: 'deletes what "manage" of the file owns and the file does not have' },
  order: taking(
    ['revoke-first', 'grant-first'],
    'revoke-first|grant-first',
    'what to avoid on the way: too much access (default), or too little',
  ),
  fidelity: taking(
    ['documented', 'sidecar'],
    'documented|sidecar',
    'the rules (default: of the deployment, else documented; in "rehearse" sidecar)',
  ),
  platform: taking(
    platformVersions,
    platformVersions.join('|'),
    'the version of the platform (default: the one that fits, in "lint" all)',
  ),
  port: taking([0, 65_535], '<n>', 'the port on 127.0.0.1 (default 8530); 0 is any free one'),
  out: taking('text', '<path>', 'the file of "plan", "rehearse" or "tighten", or the folder of "export --from"'),
  'include-unknown': { takes: 'nothing', help: 'grants also to users whom neither the files nor the bindings name' },
  yes: { takes: 'nothing', short: 'y', help: 'applies without a question' },
  'allow-self-lockout': {
    takes: 'nothing',
    help: 'applies even if the caller cannot finish, or loses permissions to manage permissions',
  },
  'take-over': { takes: 'nothing', help: 'overwrites items that differ and that "manage" of their file does not own' },
  record: taking('text', '<file>', 'the record of the calls of saved plans (of "apply" by default <plan>.record)'),
  'valid-for': taking('text', '<duration>', 'how old a saved plan may be, as "90m" (default 24h)'),
  concurrency: taking([1, 256], '<number>', 'calls at once (default 16)'),
  off: taking('texts', '<rules>', 'rules of the lint to leave out'),
  allow: taking('file', '<file>', 'what is allowed: a list of { action, resource, users, roles } as YAML or JSON'),
  log: taking('files', '<file>', 'a log of the platform or of this package, also gzip (- is stdin)'),
  generalise: taking(
    ['resources', 'statements'],
    'resources|statements',
    'keeps the granted resources or whole statements, not only logged names',
  ),
  by: taking(
    ['user', 'group'],
    'user|group',
    'the bindings that are kept where several allow: all (default), or those of groups',
  ),
  responses: {
    takes: 'nothing',
    help: 'prints what the document lacks of the responses of a guard, to be merged into it',
  },
  'exit-code': { takes: 'nothing', help: 'exits with 2 for Deny' },
  all: { takes: 'nothing', help: 'lists each user of a group' },
  match: taking(['all', 'any'], 'all|any', 'with patterns: access to all that they match (default), or to some of it'),
  'by-minting': { takes: 'nothing', help: 'lists those who can do it with tokens that they may create' },
  'max-work': taking(
    [1, Number.MAX_SAFE_INTEGER],
    '<number>',
    'comparisons of patterns, above which access is not compared (default 100000000)',
  ),
  update: { takes: 'nothing', help: 'renews the recordings of the folder: files that changed are rewritten' },
  document: taking('text', '<file>', "the service's OpenAPI document as JSON, for templates and checks"),
  strict: { takes: 'nothing', help: 'keeps no exchange that does not fit the document, and exits with 2' },
  redact: taking('texts', '<fields>', 'names or JSON pointers of fields that are secret, beside the usual ones'),
  volatile: taking('texts', '<fields>', 'names or JSON pointers of fields whose values differ at each run'),
  'max-body': taking(
    [1, 100_000_000],
    '<bytes>',
    'the longest body that is kept (default 1048576); longer ones are passed on only',
  ),
  'keep-header': taking('texts', '<names>', 'names of headers of answers that are kept, beside the usual ones'),
  'keep-bytes': taking(
    'texts',
    '<types>',
    'content types whose bytes are kept, like image/png or image/*; of others the length and a digest',
  ),
  'allow-remote': { takes: 'nothing', help: 'records a service on another machine, which gets the tokens of callers' },
  stream: taking('text', '<path>', 'the path of a stream of a service, to see whether its pieces arrive one by one'),
  write: {
    takes: 'nothing',
    help: 'also asks questions that write, below names with a random prefix, and removes what they wrote',
  },
  rate: taking([1, 10_000], '<number>', 'the most questions a second (default 20)'),
  known: taking(
    'file',
    '<file>',
    'known differences, a list of { check, at?, reason? } as JSON: they are shown, and do not fail',
  ),
  'settle-ms': taking([0, 600_000], '<ms>', 'the pause between stages (default 2000; 0 with the mock)'),
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof flags;

type ValueOf<T> = T extends 'nothing'
  ? boolean
  : T extends 'text' | 'file'
    ? string
    : T extends 'texts' | 'files'
      ? readonly string[]
      : T extends readonly (infer V)[]
        ? V extends number
          ? number
          : V
        : never;

/** The flags that were given, by name. */
export type Flags = { readonly [Name in FlagName]?: ValueOf<(typeof flags)[Name]['takes']> | undefined };

/** The flags that make a plan. */
export const planning = [
  'file',
  'deployment',
  'users',
  'groups',
  'before',
  'prune',
  'order',
  'fidelity',
  'max-work',
] as const satisfies FlagName[];

/** The flags that connect to a deployment. */
export const connecting = [
  'url',
  'token-file',
  'jwt-secret-file',
  'user',
  'password-stdin',
  'grpc',
] as const satisfies FlagName[];

/** The flags that name the users and groups whose bindings are read. */
export const owning = ['users', 'groups', 'users-file', 'groups-file', 'first-run'] as const satisfies FlagName[];

/** The flags that compare a file with a deployment. */
export const deployed = [
  ...planning,
  'users-file',
  'groups-file',
  'first-run',
  'holds',
  ...connecting,
] as const satisfies FlagName[];
