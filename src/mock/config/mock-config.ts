import type { Binding, Fidelity, GroupBinding, Policy, Role } from '../../policy/index.js';
import type { AuthorizationType } from '../../policy/model/authorization-type.js';
import type { PlatformVersion } from '../platform-version.js';

/** Configuration of `createMock`; every field is optional. A seed file has the same form. */
export interface MockConfig {
  /**
   * The JSON Schema of a seed file, for editors: `arango-services/seed.schema.json` in `node_modules`. The mock ignores
   * it.
   */
  readonly $schema?: string | undefined;
  /**
   * The behaviour to follow if the specification and the observed services differ: `documented` or `sidecar`. Default
   * `documented`.
   */
  readonly fidelity?: Fidelity | undefined;
  /**
   * The version of the platform: `1.4.4`, `recorded` (the services that were recorded; `1.4.5` is taken for it) or
   * `next`, which binds roles to groups. Default `recorded`.
   */
  readonly platform?: PlatformVersion | '1.4.5' | undefined;
  /**
   * True to start with what a new deployment of the version holds: the predefined roles, of which only super-admin has
   * a policy, and its binding to `root`. Nothing with `1.4.4`. Policies, roles and bindings given here are added; an
   * equal name is an error. Default `false`.
   */
  readonly fresh?: boolean | undefined;
  /**
   * How long writes take to reach decisions, a duration like `2s` on the mock's clock; management and pool streams see
   * them at once. Default: no time.
   */
  readonly lag?: string | undefined;
  /** An ISO 8601 time at which the clock stands until it is set or advanced. Default: the clock runs in real time. */
  readonly now?: string | Date | undefined;
  /** Authentication of callers and creation of tokens. */
  readonly authentication?:
    | {
        /** If `false`, tokens are neither created nor checked, as in mode `None`. Default `true`. */
        readonly enabled?: boolean | undefined;
        /**
         * How callers authenticate: not at all (`None`), by bearer token (`Native`), or also by session cookie (`SSO`).
         * Default `Native`.
         */
        readonly mode?: 'None' | 'Native' | 'SSO' | undefined;
        /** The keys that sign and verify tokens: secret text (HS256) or PEM (ES256). */
        readonly keys?:
          | {
              /** The key that signs. Default: a random secret for each mock. */
              readonly active?: string | undefined;
              /** Keys that only verify tokens. Default: none. */
              readonly passive?: readonly string[] | undefined;
            }
          | undefined;
        /** Defaults and limits of createToken. */
        readonly token?:
          | {
              /** The user of a token that is requested without one. Default `root`. */
              readonly user?: string | undefined;
              /** Lifetimes of tokens. */
              readonly ttl?:
                | {
                    /** The shortest lifetime, a duration like `90s`. Default `1m`. */
                    readonly min?: string | undefined;
                    /** The longest lifetime. Default `1h`. */
                    readonly max?: string | undefined;
                    /** The lifetime of a token that is requested without one. Default `1h`. */
                    readonly default?: string | undefined;
                  }
                | undefined;
              /**
               * The users whom createToken creates tokens for; only of platform 1.4.4 in sidecar fidelity. Default: any
               * user.
               */
              readonly allowed?: readonly string[] | undefined;
            }
          | undefined;
      }
    | undefined;
  /**
   * True if central services are enabled; with an ES256 key, createToken then requires a permission. Default `false`.
   */
  readonly central?: boolean | undefined;
  /** Authorization decisions. */
  readonly authorization?:
    | {
        /**
         * How decisions are made: by the policies (`central`), by the policies but leniently (`central-permissive`),
         * always Allow (`always`) or always Deny (`never`). Default `central`.
         */
        readonly type?: AuthorizationType | undefined;
        /** The authorization mode that `mock.env()` reports; nothing else depends on it. Default `RBAC`. */
        readonly mode?: 'None' | 'Native' | 'RBAC' | undefined;
        /**
         * The mode of the core database that `mock.env()` reports. Default: `Native` for `RBAC`, as operators report a
         * core database that does not enforce policies itself; else `mode`.
         */
        readonly coreDb?: 'None' | 'Native' | 'RBAC' | undefined;
      }
    | undefined;
  /**
   * Tells the sessions of mocks apart, over `mock.connection`: those of two mocks with the same identity share their
   * channels, locks and entries. Default: random.
   */
  readonly identity?: string | undefined;
  /** The users who can log in. `root` exists with an empty password unless it is listed. */
  readonly users?:
    | readonly {
        /** The name to log in with. */
        readonly name: string;
        /** The password. Default: empty. */
        readonly password?: string | undefined;
      }[]
    | undefined;
  /** Policies by name. Default: none. */
  readonly policies?: Readonly<Record<string, Policy>> | undefined;
  /** Roles by name. Default: none. */
  readonly roles?: Readonly<Record<string, Role>> | undefined;
  /** Bindings of roles to users, each within a scope. Default: none. */
  readonly bindings?: readonly Binding[] | undefined;
  /** Bindings of roles to groups, each within a scope. Only with `platform: 'next'`. Default: none. */
  readonly groupBindings?: readonly GroupBinding[] | undefined;
  /**
   * Your own services: fixed responses, or an echo of the request like `/_db/:db/_echo`. If two routes match, a fixed
   * path wins over a pattern. Default: none.
   */
  readonly routes?:
    | readonly {
        /** The method, or `*` for any. Default `*`. */
        readonly method?: string | undefined;
        /** A path pattern as in `mock.route`, like `/_db/:db/orders/:id` or `/_db/:db/my-service/*`. */
        readonly path: string;
        /** True for an echo, which excludes `status`, `headers` and `body`. Default `false`. */
        readonly echo?: boolean | undefined;
        /** The status of the response, from 200 to 599. Default 200. */
        readonly status?: number | undefined;
        /**
         * Headers of the response. Without a `content-type`, text is sent as `text/plain` and any other body as JSON.
         * Default: none.
         */
        readonly headers?: Readonly<Record<string, string>> | undefined;
        /** The body of the response: any JSON. Default: no body. */
        readonly body?: unknown;
      }[]
    | undefined;
  /** Running services behind the gateway, by name, as `mock.service(name, url)` adds them. Default: none. */
  readonly services?: Readonly<Record<string, ServiceConfig>> | undefined;
  /** The gateway in front of the services. */
  readonly gateway?:
    | {
        /**
         * If `false`, `/_integration/*` is not routed, as in the gateway's code; only its short names `/_login`,
         * `/_logout` and `/_identity` and `/_management` are. Default `true`.
         */
        readonly integration?: boolean | undefined;
        /**
         * If `false`, a cookie with a token authenticates no request, like upstream's option of this name; sessions of
         * single sign-on still do. Default `true`.
         */
        readonly cookiesSupport?: boolean | undefined;
      }
    | undefined;
  /**
   * Serves the AuthZEN API beside the services, with the default mapping, for every valid token: `/access/v1/…` and its
   * metadata. Default `false`.
   */
  readonly authzen?: boolean | undefined;
  /** Limits of requests and of the request log. */
  readonly limits?:
    | {
        /** Maximum size of a request body, in bytes. Default 4 MiB, as the services. */
        readonly bodyBytes?: number | undefined;
        /** Maximum number of items in evaluate-many. Default 1000. */
        readonly items?: number | undefined;
        /** Maximum size of a token, in bytes. Default 16 KiB. */
        readonly tokenBytes?: number | undefined;
        /** Maximum number of requests that `mock.requests` keeps. Default 1000. */
        readonly log?: number | undefined;
        /** Maximum size of `mock.requests` in memory, in bytes (estimated). Default 32 MiB. */
        readonly logBytes?: number | undefined;
      }
    | undefined;
}

/** A running service behind the gateway. */
export interface ServiceConfig {
  /** The origin that requests are forwarded to, like `http://127.0.0.1:3000`. */
  readonly url: string;
  /** True for a service of the whole deployment: `/_service/uds/_global/<name>`. Default `false`. */
  readonly global?: boolean | undefined;
  /** With `optional`, requests without an identity reach the service. Default `required`. */
  readonly authentication?: 'required' | 'optional' | undefined;
  /** The credentials that the service gets: `override`, `pass` or `remove`. Default `override`. */
  readonly passMode?: 'override' | 'pass' | 'remove' | undefined;
  /** True if the service may run on another machine, which gets the callers' tokens. Default `false`. */
  readonly allowRemote?: boolean | undefined;
}

/** A route of the configuration, with defaults filled in. */
export interface RouteSettings {
  readonly method: string;
  readonly path: string;
  readonly echo: boolean;
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/** A running service of the configuration, with defaults filled in. */
export type ServiceSettings = { readonly [Name in keyof ServiceConfig]-?: NonNullable<ServiceConfig[Name]> };

/**
 * A configuration with all defaults filled in; `MockConfig` describes the fields. Durations and times are in
 * milliseconds.
 */
export interface Settings {
  readonly fidelity: Fidelity;
  readonly platform: PlatformVersion;
  readonly lagMs: number;
  readonly now: number | undefined;
  readonly authentication: {
    readonly enabled: boolean;
    readonly mode: 'None' | 'Native' | 'SSO';
    readonly keys: { readonly active: string | undefined; readonly passive: readonly string[] };
    readonly token: {
      readonly user: string;
      readonly minMs: number;
      readonly maxMs: number;
      readonly defaultMs: number;
      readonly allowed: readonly string[];
    };
  };
  readonly central: boolean;
  readonly authorization: {
    readonly type: AuthorizationType;
    readonly mode: 'None' | 'Native' | 'RBAC';
    readonly coreDb?: 'None' | 'Native' | 'RBAC' | undefined;
  };
  readonly identity?: string | undefined;
  readonly users: ReadonlyMap<string, string>;
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly bindings: readonly Binding[];
  readonly groupBindings: readonly GroupBinding[];
  readonly routes: readonly RouteSettings[];
  readonly services: ReadonlyMap<string, ServiceSettings>;
  readonly gateway: { readonly integration: boolean; readonly cookiesSupport: boolean };
  readonly authzen: boolean;
  readonly limits: {
    readonly bodyBytes: number;
    readonly items: number;
    readonly tokenBytes: number;
    readonly log: number;
    readonly logBytes: number;
  };
}

/** The settings of a mock without configuration. */
export function defaultSettings(): Settings {
  return {
    fidelity: 'documented',
    platform: 'recorded',
    lagMs: 0,
    now: undefined,
    authentication: {
      enabled: true,
      mode: 'Native',
      keys: { active: undefined, passive: [] },
      token: { user: 'root', minMs: 60_000, maxMs: 3_600_000, defaultMs: 3_600_000, allowed: [] },
    },
    central: false,
    authorization: { type: 'central', mode: 'RBAC' },
    users: new Map([['root', '']]),
    policies: new Map(),
    roles: new Map(),
    bindings: [],
    groupBindings: [],
    routes: [],
    services: new Map(),
    gateway: { integration: true, cookiesSupport: true },
    authzen: false,
    limits: { bodyBytes: 4_194_304, items: 1_000, tokenBytes: 16_384, log: 1_000, logBytes: 33_554_432 },
  };
}

/** True unless authentication is disabled, by `enabled: false` or by mode None. */
export function authenticates({ authentication }: Settings): boolean {
  return authentication.enabled && authentication.mode !== 'None';
}
