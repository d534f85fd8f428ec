import type { AuthorizationType } from '../../policy/authorization-type.js';
import type { Binding, Fidelity, Policy, Role } from '../../policy/index.js';

/** `createMock`'s configuration; every field is optional. The same object is the seed file of the command. */
export interface MockConfig {
  /**
   * Names the JSON Schema of a seed file, for editors: `arango-services/seed.schema.json` in `node_modules`. It changes
   * nothing.
   */
  readonly $schema?: string;
  /** Whose behaviour to show where the specification and the observed services differ. Default `documented`. */
  readonly fidelity?: Fidelity;
  /** The clock stands at this ISO 8601 moment until it is set or advanced. Default: the real time. */
  readonly now?: string | Date;
  /** Who is asked for credentials, and how tokens are made. */
  readonly authentication?: {
    /** Whether tokens are made and checked at all; `false` is the same as mode `None`. Default `true`. */
    readonly enabled?: boolean;
    /**
     * How callers are authenticated: not at all, by bearer tokens, or with `SSO` by the session cookie as well. Default
     * `Native`.
     */
    readonly mode?: 'None' | 'Native' | 'SSO';
    /** The keys that sign and check tokens: secret text (HS256) or PEM (ES256). */
    readonly keys?: {
      /** The key that signs. Default: a random secret for each mock. */
      readonly active?: string;
      /** Keys that only check tokens. Default none. */
      readonly passive?: readonly string[];
    };
    /** What createToken fills in and clamps. */
    readonly token?: {
      /** The user of a token that is asked for without a user. Default `root`. */
      readonly user?: string;
      /** How long tokens are valid. */
      readonly ttl?: {
        /** The shortest lifetime, a duration like `90s`. Default `1m`. */
        readonly min?: string;
        /** The longest lifetime. Default `1h`. */
        readonly max?: string;
        /** The lifetime of a token that is asked for without one. Default `1h`. */
        readonly default?: string;
      };
    };
  };
  /** Whether central services are enabled; with an ES256 key createToken is gated. Default `false`. */
  readonly central?: boolean;
  /** How decisions are made. */
  readonly authorization?: {
    /**
     * How a decision is made: by the policies, by the policies but leniently, always Allow, or always Deny. Default
     * `central`.
     */
    readonly type?: AuthorizationType;
    /** The authorization mode that `mock.env()` tells; nothing else depends on it. Default `RBAC`. */
    readonly mode?: 'None' | 'Native' | 'RBAC';
    /**
     * The mode of the core database that `mock.env()` tells. Default: `mode`; older operators report `Native` for
     * `RBAC`.
     */
    readonly coreDb?: 'None' | 'Native' | 'RBAC';
  };
  /** The users who can log in. `root` with an empty password exists unless it is listed. */
  readonly users?: readonly {
    /** What the user logs in as. */
    readonly name: string;
    /** The user's password. Default: the empty text. */
    readonly password?: string;
  }[];
  /** Policies by name. Default none. */
  readonly policies?: Readonly<Record<string, Policy>>;
  /** Roles by name. Default none. */
  readonly roles?: Readonly<Record<string, Role>>;
  /** Who has which role, inside which scope. Default none. */
  readonly bindings?: readonly Binding[];
  /**
   * Services of your own: fixed answers, or an echo of the request as `/_db/:db/_echo` gives it. Of two that fit, one
   * with a fixed path comes first. Default none.
   */
  readonly routes?: readonly {
    /** The method, or `*` for any. Default `*`. */
    readonly method?: string;
    /** As `mock.route` takes it, like `/_db/:db/orders/:id` or `/_db/:db/my-service/*`. */
    readonly path: string;
    /** True for an echo; then there is no status, header or body. Default `false`. */
    readonly echo?: boolean;
    /** The status of the answer, from 200 to 599. Default 200. */
    readonly status?: number;
    /** Headers of the answer; without a `content-type`, text is `text/plain` and any other body JSON. Default none. */
    readonly headers?: Readonly<Record<string, string>>;
    /** The body of the answer: any JSON. Default: no body. */
    readonly body?: unknown;
  }[];
  /** What is refused before it is decoded, and how long the log is. */
  readonly limits?: {
    /** Longest body of a request in bytes. Default 1 MiB. */
    readonly bodyBytes?: number;
    /** Most items of an evaluate-many. Default 1000. */
    readonly items?: number;
    /** Longest token in bytes. Default 16 KiB. */
    readonly tokenBytes?: number;
    /** Most requests that `mock.requests` keeps. Default 1000. */
    readonly log?: number;
    /** Most bytes that `mock.requests` keeps, in memory and about. Default 32 MiB. */
    readonly logBytes?: number;
  };
}

/** A service of a seed file. */
export interface RouteSettings {
  readonly method: string;
  readonly path: string;
  readonly echo: boolean;
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/**
 * A configuration with every field filled in: `MockConfig` says what each one means. Durations and moments are
 * milliseconds.
 */
export interface Settings {
  readonly fidelity: Fidelity;
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
    };
  };
  readonly central: boolean;
  readonly authorization: {
    readonly type: AuthorizationType;
    readonly mode: 'None' | 'Native' | 'RBAC';
    readonly coreDb?: 'None' | 'Native' | 'RBAC' | undefined;
  };
  readonly users: ReadonlyMap<string, string>;
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly bindings: readonly Binding[];
  readonly routes: readonly RouteSettings[];
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
    now: undefined,
    authentication: {
      enabled: true,
      mode: 'Native',
      keys: { active: undefined, passive: [] },
      token: { user: 'root', minMs: 60_000, maxMs: 3_600_000, defaultMs: 3_600_000 },
    },
    central: false,
    authorization: { type: 'central', mode: 'RBAC' },
    users: new Map([['root', '']]),
    policies: new Map(),
    roles: new Map(),
    bindings: [],
    routes: [],
    limits: { bodyBytes: 1_048_576, items: 1_000, tokenBytes: 16_384, log: 1_000, logBytes: 33_554_432 },
  };
}

/** Whether tokens are checked at all: `enabled: false` and mode None are the same. */
export function authenticates({ authentication }: Settings): boolean {
  return authentication.enabled && authentication.mode !== 'None';
}
