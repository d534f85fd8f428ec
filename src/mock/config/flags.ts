/**
 * What a flag takes: nothing, a text, texts (repeated, or in one with commas), a port, or a switch, which may stand
 * alone for `true` or have `true` or `false` as its value.
 */
export type FlagKind = 'nothing' | 'text' | 'texts' | 'port' | 'switch';

/** One flag of the command. */
export interface Flag {
  readonly takes: FlagKind;
  /** How `--help` names its value. */
  readonly value?: string;
  /** What `--help` says of it; the services' own flags need no more than their names. */
  readonly help?: string;
  /** The one letter that stands for it, too. */
  readonly short?: string;
  /** What counts when the flag is not given. */
  readonly otherwise?: string | number;
  /** Where its value stands in the configuration; without it the flag is an option of the command itself. */
  readonly path?: string;
  /** True where a variable sets the same thing: the flag's name in upper case, with `_` for the dots. */
  readonly variable?: true;
  /** Why a flag that the services once had is refused. */
  readonly removed?: string;
}

const token = 'integration.authentication.v1.token' as const;

/**
 * Every flag of the command and every variable that it reads. Parsing, `--help` and the variables come from this table.
 * Source: docs/wire.md, "Durations" and "Environment of a sidecar's neighbour".
 */
const flags = {
  port: { takes: 'port', value: '<n>', help: 'the port; 0 is any free one', otherwise: 8529 },
  host: { takes: 'text', value: '<address>', help: 'where to listen: this machine only', otherwise: '127.0.0.1' },
  'grpc-port': { takes: 'port', value: '<n>', help: 'the port of the gRPC services (pool streams); default none' },
  seed: { takes: 'text', value: '<file.json>', help: 'the configuration: users, policies, roles, bindings, …' },
  fidelity: { takes: 'text', value: '<which>', help: 'documented (default) or sidecar', path: 'fidelity' },
  cors: {
    takes: 'texts',
    value: '<origin>',
    help: "a page's origin that may call, like http://localhost:5173; repeat it, or list them with commas",
  },
  'allowed-host': {
    takes: 'texts',
    value: '<name>',
    help: 'another name by which requests may come to a port of this machine, like db.test; repeat it, or use commas',
  },
  'print-config': { takes: 'nothing', help: 'print the configuration in force, without secrets, and exit' },
  log: {
    takes: 'nothing',
    help: 'print a line for each request: method, path, status, decision, and the action and resource decided on',
  },
  'print-superuser-token': { takes: 'nothing', help: 'print a token that may manage policies, roles and bindings' },
  'superuser-token-file': {
    takes: 'text',
    value: '<file>',
    help: 'write such a token into a file that only its owner can read',
  },
  help: { takes: 'nothing', short: 'h', help: 'print this' },

  'integration.authentication.mode': {
    takes: 'text',
    value: '<None|Native|SSO>',
    path: 'authentication.mode',
    variable: true,
  },
  'integration.authentication.v1.enabled': { takes: 'switch', path: 'authentication.enabled', variable: true },
  [`${token}.user`]: { takes: 'text', value: '<name>', path: 'authentication.token.user', variable: true },
  [`${token}.ttl.min`]: { takes: 'text', value: '<duration>', path: 'authentication.token.ttl.min', variable: true },
  [`${token}.ttl.max`]: { takes: 'text', value: '<duration>', path: 'authentication.token.ttl.max', variable: true },
  [`${token}.ttl.default`]: {
    takes: 'text',
    value: '<duration>',
    path: 'authentication.token.ttl.default',
    variable: true,
  },
  'integration.authorization.mode': {
    takes: 'text',
    value: '<None|Native|RBAC>',
    path: 'authorization.mode',
    variable: true,
  },
  'integration.authorization.v1.type': {
    takes: 'text',
    value: '<central|central-permissive|always|never>',
    path: 'authorization.type',
    variable: true,
  },
  [`${token}.allowed`]: {
    takes: 'switch',
    variable: true,
    removed:
      'is gone: who may create tokens is a matter of policies. Grant "authentication:CreateToken" on the user, ' +
      'see "policies" and "bindings" in the seed file',
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** The rows of the table, for code that goes through all of them. */
export const flagRows: readonly (readonly [name: string, flag: Flag])[] = Object.entries(flags);

/** The name of the variable that sets the same thing as a flag. */
export function variableOf(flag: string): string {
  return flag.toUpperCase().replaceAll('.', '_');
}

/** What the flag `K` gives to code. */
type Given<F> = F extends { readonly takes: infer Kind }
  ? Kind extends 'port'
    ? F extends { readonly otherwise: number }
      ? number
      : number | undefined
    : Kind extends 'texts'
      ? readonly string[]
      : Kind extends 'nothing'
        ? boolean
        : F extends { readonly otherwise: string }
          ? string
          : string | undefined
  : never;

type Flags = typeof flags;

/** The options of the command itself: every flag that stands for no setting of the configuration. */
export type CommandOptions = {
  readonly [K in keyof Flags as Flags[K] extends { readonly path: string } | { readonly removed: string }
    ? never
    : K]: Given<Flags[K]>;
};
