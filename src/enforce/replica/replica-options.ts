import { InvalidArgumentError } from '../../base/errors.js';
import {
  accepting,
  asGiven,
  isWithin,
  oneOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFields,
  readFunction,
  strictObject,
  wholeNumber,
} from '../../base/lib/readers.js';
import { hasMethod, isObject } from '../../base/lib/values.js';
import { Connection } from '../../client/connection/connection.js';
import { connectionReaders } from '../../client/connection/connection-options.js';
import type { Clock, Credentials } from '../../client/connection/credentials-contract.js';
import { readTls, type TlsOptions } from '../../client/node/transport/transport-options.js';
import type { Validation } from '../../client/services/authentication/authentication-messages.js';
import type { OnDecision } from '../../policy/decision-line/on-decision.js';
import type { Fidelity } from '../../policy/index.js';
import { type AuthorizationType, authorizationTypes } from '../../policy/model/authorization-type.js';
import type { Authenticate } from '../../policy/model/subject.js';
import type { PoolTransport } from '../../policy/pool/pool-items.js';
import { readAddress, type Target } from './address.js';
import type { PoolCaller } from './pool-session.js';

/** Transports a replica's streams without a network, like `mockPool(mock)` of `arango-services/mock/node`. */
export interface ReplicaTransport extends PoolTransport {
  /** The default of the replica's `fidelity`. */
  readonly fidelity?: Fidelity | undefined;
  /** The default of the replica's `type`. */
  readonly type?: AuthorizationType | undefined;
}

/** Checks tokens with the authentication service, public keys (PEM) or a shared secret. */
export type TokenChecks =
  | {
      /**
       * A client of `createClient`. It identifies the owner of each token (POST validate), which needs the network for
       * each token; keys and a secret do not. It makes no decisions.
       */
      readonly client: {
        readonly authentication: {
          /** Returns the owner of a token, or the reason why the token is not valid. */
          validate(token: string): Promise<Validation>;
        };
      };
      readonly keys?: undefined;
      readonly secret?: undefined;
    }
  | { readonly keys: readonly string[]; readonly client?: undefined; readonly secret?: undefined }
  | { readonly secret: string | Uint8Array; readonly client?: undefined; readonly keys?: undefined };

/** The behavior of a stale replica; `serveForMs` is how long it continues to decide, in milliseconds. */
export type WhenStale = 'serve' | 'refuse' | { readonly serveForMs: number };

/** Options of `createReplica`: either `address` or `transport` is required. */
export interface ReplicaOptions {
  /**
   * The address of the gRPC services: `host:port`, as in `INTEGRATION_SERVICE_ADDRESS`, or an http: or https: URL
   * without a path.
   */
  readonly address?: string | URL | undefined;
  /** Replaces the network connection. */
  readonly transport?: ReplicaTransport | undefined;
  /** Credentials for the streams. They need `rbac:PoolPolicy`, `rbac:PoolRole` and `rbac:PoolUserRoleBinding`. */
  readonly credentials?: Credentials | undefined;
  /** The deployment's base URL, for credentials that obtain tokens over HTTP (`login`, `minted`). */
  readonly url?: string | URL | undefined;
  /** The base URL of the integration services if it differs (a sidecar). Default `url`. */
  readonly integrationUrl?: string | URL | undefined;
  /**
   * TLS with the default CAs (`true`) or with other settings. Default: as the scheme of the URL says; no TLS for
   * `host:port`.
   */
  readonly tls?: boolean | TlsOptions | undefined;
  /** The behaviour to reproduce. Default `sidecar`: decides like the deployed service, by bindings only. */
  readonly fidelity?: Fidelity | undefined;
  /** The authorization type of the deployment (`INTEGRATION_AUTHORIZATION_V1_TYPE`). Default `central`. */
  readonly type?: AuthorizationType | undefined;
  /**
   * The behavior of a stale replica: continue to decide from its copy (`serve`, the default), continue for a limited
   * time after it became stale (`{ serveForMs }`), or throw `ReplicaError` (`refuse`).
   */
  readonly whenStale?: WhenStale | undefined;
  /** The maximum size of a received message over a network, in bytes. Default 8 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Lets `replica.authenticate` check tokens with a service, with keys or with a secret. */
  readonly tokens?: TokenChecks | undefined;
  /**
   * Lets `replica.authenticate` call this function instead, such as `createVerifier({ client })`; the same as the
   * option of a guard. Cannot be combined with `tokens`.
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Called with each decision, such as `record` of a decision log. A guard, a PDP or a client with an `onDecision` of
   * its own tells that one instead. What it throws is ignored.
   */
  readonly onDecision?: OnDecision | undefined;
  /**
   * The clock for the lifetimes of the replica's own tokens. Default: a monotonic clock. If its time is in milliseconds
   * since 1970 (like a mock's clock), `tokens: { keys }` and `{ secret }` use it, too.
   */
  readonly clock?: Clock | undefined;
}

const tokenNames = ['client', 'keys', 'secret'];
const readTokens = accepting<TokenChecks>(`an object with one of ${tokenNames.join(', ')}`, (value) => {
  if (!isObject(value)) return false;
  const names = Object.keys(value).filter((name) => (value as Record<string, unknown>)[name] !== undefined);
  return names.length === 1 && tokenNames.includes(names[0] ?? '');
});

const readServeFor = strictObject({
  serveForMs: accepting<number>('milliseconds, a number from 0', (value) =>
    isWithin(value, 0, Number.POSITIVE_INFINITY),
  ),
} satisfies ReadersOf<Exclude<WhenStale, string>>);
const readStaleWord = accepting<'serve' | 'refuse'>(
  "'serve', 'refuse' or { serveForMs: milliseconds }",
  (value) => value === 'serve' || value === 'refuse',
);
const readWhenStale: Reader<WhenStale> = (value, reading) =>
  isObject(value) ? readServeFor(value, reading) : readStaleWord(value, reading);

export const readTlsOrFlag: Reader<boolean | TlsOptions> = (value, reading) =>
  typeof value === 'boolean' ? value : readTls(value, reading);

export const readReplicaOptions = optionsOf({
  address: asGiven,
  transport: accepting<ReplicaTransport>('a transport like mockPool(mock)', (value) => hasMethod(value, 'open')),
  credentials: connectionReaders.credentials,
  url: connectionReaders.url,
  integrationUrl: connectionReaders.integrationUrl,
  tls: readTlsOrFlag,
  fidelity: oneOf<Fidelity>('documented', 'sidecar'),
  type: oneOf<AuthorizationType>(...authorizationTypes),
  whenStale: readWhenStale,
  maxMessageBytes: wholeNumber('a whole number of bytes', 1, 2 ** 32 - 1),
  tokens: readTokens,
  authenticate: readFunction as Reader<Authenticate>,
  onDecision: readFunction as Reader<OnDecision>,
  clock: connectionReaders.clock,
} satisfies ReadersOf<ReplicaOptions>);

/** The validated options with defaults. */
export interface ReplicaSettings {
  /** The address to connect to; undefined if there is a transport. */
  readonly target: Target | undefined;
  readonly transport: ReplicaTransport | undefined;
  readonly tls: TlsOptions;
  readonly caller: PoolCaller;
  readonly fidelity: Fidelity;
  readonly type: AuthorizationType;
  /** How long a stale replica continues to decide, in milliseconds; undefined: without limit. */
  readonly staleMs: number | undefined;
  readonly maxMessageBytes: number;
  readonly tokens: TokenChecks | undefined;
  readonly authenticate: Authenticate | undefined;
  readonly onDecision: OnDecision | undefined;
  /** The given clock, if its time is in milliseconds since 1970. */
  readonly wallClock: Clock | undefined;
}

/** The year 2001: later times are counted from 1970, because no process or machine runs that long. */
const earliestWallMs = 1e12;

const defaultMessageBytes = 8 * 1_024 * 1_024;

function staleMsOf(whenStale: WhenStale): number | undefined {
  if (typeof whenStale === 'object') return whenStale.serveForMs;
  return whenStale === 'refuse' ? 0 : undefined;
}

/** Creates a connection for credentials; without a URL, its calls reject naming the missing option. */
function connectionFor({ url, integrationUrl, clock }: ReplicaOptions): Connection {
  const shared = clock === undefined ? {} : { clock };
  const base = url ?? integrationUrl;
  if (base !== undefined) return new Connection({ ...shared, url: base, integrationUrl });
  const missing = 'is missing: these credentials get tokens over HTTP; set it or integrationUrl';
  const fetch = () => Promise.reject(new InvalidArgumentError('url', missing));
  return new Connection({ ...shared, url: 'http://replica.invalid', fetch });
}

/** Reads the options; throws InvalidArgumentError naming the option, the problem and what is accepted. */
export function readSettings(options: ReplicaOptions): ReplicaSettings {
  const read = readFields(options, 'options', readReplicaOptions);
  const { address, transport, credentials, tls } = read;
  if ((address === undefined) === (transport === undefined)) {
    const what =
      address === undefined
        ? 'is missing; set it, or a transport (fromEnv reads it from INTEGRATION_SERVICE_ADDRESS)'
        : 'cannot be combined with a transport';
    throw new InvalidArgumentError('address', what);
  }
  if (read.tokens !== undefined && read.authenticate !== undefined) {
    throw new InvalidArgumentError('authenticate', 'cannot be combined with tokens: set one of them');
  }
  const clock = read.clock ?? performance;
  return {
    target: transport === undefined ? readAddress(address, tls === undefined ? undefined : tls !== false) : undefined,
    transport,
    tls: typeof tls === 'object' ? tls : {},
    caller: { credentials, context: { clock, connection: connectionFor(options) } },
    fidelity: read.fidelity ?? transport?.fidelity ?? 'sidecar',
    type: read.type ?? transport?.type ?? 'central',
    staleMs: staleMsOf(read.whenStale ?? 'serve'),
    maxMessageBytes: read.maxMessageBytes ?? defaultMessageBytes,
    tokens: read.tokens,
    wallClock: clock.now() > earliestWallMs ? clock : undefined,
    authenticate: read.authenticate,
    onDecision: read.onDecision,
  };
}
