import { authorizationTypes } from '../../policy/model/authorization-type.js';

/**
 * The kind of value of a flag. `texts` are separated by commas. `texts` and `files` without a path may be repeated; all
 * others may be given once. `switch` alone is `true`; it also takes `true` or `false`. `choice` is one of the words of
 * `among`, in any case.
 */
export type FlagKind = 'nothing' | 'text' | 'texts' | 'files' | 'port' | 'switch' | 'choice';

/** One flag of the command. */
export interface MockFlag {
  readonly takes: FlagKind;
  /** The name of its value in `--help`. */
  readonly value?: string;
  /** Its description in `--help`. The services' own flags have none. */
  readonly help?: string;
  /** A one-letter alias. */
  readonly short?: string;
  /** The words of a choice. */
  readonly among?: readonly string[];
  /** The word that a choice without one stands for. */
  readonly alone?: string;
  /** Another name, that of the services. */
  readonly alias?: string;
  /** The default. */
  readonly otherwise?: string | number;
  /** The path of its value in the configuration. Without one, the flag is an option of the command itself. */
  readonly path?: string;
  /** True if an environment variable sets the same value: the flag's name in upper case, with `_` for dots. */
  readonly variable?: true;
}

const token = 'integration.authentication.v1.token' as const;

/** A flag of the services themselves, which is also a variable. */
const own = (takes: FlagKind, path: string, value = '') => ({ takes, path, value, variable: true }) as const;

/**
 * Every flag of the command and every variable that it reads. Parsing, `--help` and the variables come from this table.
 * Source: docs/wire.md, "Durations" and "Environment of a sidecar's neighbour".
 */
const flags = {
  port: { takes: 'port', value: '<n>', help: 'the port; 0 is any free one', otherwise: 8529 },
  host: {
    takes: 'text',
    value: '<address>',
    help: 'the address to listen on; only this machine reaches the default',
    otherwise: '127.0.0.1',
  },
  'grpc-port': { takes: 'port', value: '<n>', help: 'the port of the gRPC services (pool streams); default none' },
  seed: {
    takes: 'files',
    value: '<file>',
    help: 'the configuration as JSON (users, policies, …), or a file of permissions, as YAML or JSON; may be repeated',
  },
  fidelity: { takes: 'text', value: '<which>', help: 'documented (default) or sidecar', path: 'fidelity' },
  platform: { takes: 'text', value: '<version>', help: '1.4.4, recorded (default) or next', path: 'platform' },
  fresh: { takes: 'switch', help: 'start with the predefined roles of a new deployment', path: 'fresh' },
  cors: {
    takes: 'texts',
    value: '<origin>',
    help: 'an origin whose pages may call, like http://localhost:5173; repeat it, or separate by commas',
  },
  'allowed-host': {
    takes: 'texts',
    value: '<name>',
    help: 'another Host name that a loopback port accepts, like db.test; repeat it, or separate by commas',
  },
  service: {
    takes: 'texts',
    value: '<name=url>',
    help: 'a running service behind the gateway, like orders=http://127.0.0.1:3000; repeat it, or separate by commas',
  },
  gateway: { takes: 'nothing', help: 'serve the gateway alone, which does not route /_integration' },
  console: { takes: 'nothing', help: 'serve a page at /_console that shows requests, decisions and permissions' },
  'print-config': { takes: 'nothing', help: 'print the configuration in force, without secrets, and exit' },
  log: {
    takes: 'choice',
    among: ['requests', 'platform'],
    alone: 'requests',
    value: '[requests|platform]',
    help:
      'print a line for each request (default): method, path, status, decision, and the action and resource decided ' +
      "on; or the platform's own log, with --fidelity sidecar",
  },
  'log-format': {
    takes: 'choice',
    among: ['pretty', 'json'],
    alias: 'log.format',
    value: '<pretty|json>',
    help: "the format of the platform's log; default pretty",
  },
  'log-level': {
    takes: 'choice',
    among: ['debug', 'info', 'warn'],
    alias: 'log.level',
    value: '<level>',
    help: "the least level of the platform's log: debug, info (default) or warn",
  },
  'print-superuser-token': { takes: 'nothing', help: 'print a token that may manage policies, roles and bindings' },
  'superuser-token-file': {
    takes: 'text',
    value: '<file>',
    help: 'write that token to a file that only its owner can read',
  },
  help: { takes: 'nothing', short: 'h', help: 'print this' },

  'integration.authentication.mode': own('text', 'authentication.mode', '<None|Native|SSO>'),
  'integration.authentication.v1.enabled': own('switch', 'authentication.enabled'),
  [`${token}.user`]: own('text', 'authentication.token.user', '<name>'),
  [`${token}.ttl.min`]: own('text', 'authentication.token.ttl.min', '<duration>'),
  [`${token}.ttl.max`]: own('text', 'authentication.token.ttl.max', '<duration>'),
  [`${token}.ttl.default`]: own('text', 'authentication.token.ttl.default', '<duration>'),
  'integration.authorization.mode': own('text', 'authorization.mode', '<None|Native|RBAC>'),
  'integration.authorization.v1.type': own('text', 'authorization.type', `<${authorizationTypes.join('|')}>`),
  [`${token}.allowed`]: own('texts', 'authentication.token.allowed', '<user>'),
} as const satisfies Readonly<Record<string, MockFlag>>;

/** The table as rows, for iteration. */
export const flagRows: readonly (readonly [name: string, flag: MockFlag])[] = Object.entries(flags);

/** The environment variable that sets the same value as a flag. */
export const variableOf = (flag: string): string => flag.toUpperCase().replaceAll('.', '_');

/** The type of a flag's value. */
type Given<F> = F extends { readonly takes: infer Kind }
  ? Kind extends 'port'
    ? F extends { readonly otherwise: number }
      ? number
      : number | undefined
    : Kind extends 'texts' | 'files'
      ? readonly string[]
      : Kind extends 'choice'
        ? F extends { readonly among: readonly (infer Word)[] }
          ? Word | undefined
          : never
        : Kind extends 'nothing'
          ? boolean
          : F extends { readonly otherwise: string }
            ? string
            : string | undefined
  : never;

type Flags = typeof flags;

/** The options of the command itself: the flags that set nothing in the configuration. */
export type CommandOptions = {
  readonly [K in keyof Flags as Flags[K] extends { readonly path: string } ? never : K]: Given<Flags[K]>;
};
