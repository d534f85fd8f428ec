import { InvalidArgumentError } from '../../base/errors.js';
import { expected, readArgument } from '../../base/lib/readers.js';
import { readBase } from '../../base/lib/url.js';
import { type AuthorizationType, authorizationTypes } from '../../policy/model/authorization-type.js';
import type { Credentials } from '../connection/credentials-contract.js';
import type { Transport } from '../connection/transport.js';
import { tokenFile } from './token-file.js';
import { nodeTransport } from './transport/index.js';
import type { Env } from './transport/proxy.js';

/** The origin of a host that does not exist; the transport maps it to the socket. */
const socketOrigin = 'http://integration.localhost';

/**
 * The modes of the deployment's services; undefined if the environment has none. Modes are plain strings, because a
 * newer operator may report modes that are not known yet.
 */
export interface Modes {
  /** `INTEGRATION_AUTHENTICATION_MODE`. */
  readonly authentication: 'None' | 'Native' | 'SSO' | (string & {}) | undefined;
  /** `INTEGRATION_AUTHORIZATION_MODE`. */
  readonly authorization: 'None' | 'Native' | 'RBAC' | (string & {}) | undefined;
  /** `INTEGRATION_AUTHORIZATION_MODE_COREDB`; older operators report `Native` for `RBAC`. */
  readonly authorizationCoreDb: 'None' | 'Native' | 'RBAC' | (string & {}) | undefined;
  /**
   * `INTEGRATION_AUTHORIZATION_V1_TYPE`: how decisions are made, also for `createReplica({ type })`. Unknown types are
   * rejected, because their decisions are undefined.
   */
  readonly authorizationType: AuthorizationType | undefined;
}

/**
 * Client options, to pass to `createClient` or to spread into its options. Non-options are getters, so spreading skips
 * them.
 */
export class Environment {
  /** `ARANGO_DEPLOYMENT_ENDPOINT` */
  readonly url: string;
  /** `INTEGRATION_HTTP_ADDRESS_FULL`; without it, an origin for the socket `INTEGRATION_HTTP_UNIX`. */
  readonly integrationUrl: string;
  /** The token in the file that `ARANGO_TOKEN` names. */
  declare readonly credentials?: Credentials;
  /** `nodeTransport`, if `ARANGO_DEPLOYMENT_CA` is set or the integration services have a socket and no address. */
  declare readonly transport?: Transport;
  readonly #modes: Modes;
  readonly #caFile: string | undefined;
  readonly #serviceAddress: string | undefined;

  /** @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the variable; see {@link fromEnv}. */
  constructor(env: Readonly<Record<string, string | undefined>>) {
    if (typeof env !== 'object' || env === null) throw expected('env', 'an object like process.env', env);
    const token = read(env, 'ARANGO_TOKEN');
    const caFile = read(env, 'ARANGO_DEPLOYMENT_CA');
    const socket = read(env, 'INTEGRATION_HTTP_ADDRESS_FULL') === undefined && read(env, 'INTEGRATION_HTTP_UNIX');
    this.url = address(env, 'ARANGO_DEPLOYMENT_ENDPOINT');
    this.integrationUrl = socket ? socketOrigin : address(env, 'INTEGRATION_HTTP_ADDRESS_FULL');
    if (token !== undefined) this.credentials = tokenFile(token);
    if (caFile !== undefined || socket) {
      this.transport = nodeTransport({ tls: { caFile }, ...(socket && { socketPath: { [socketOrigin]: socket } }) });
    }
    this.#modes = Object.freeze({
      authentication: read(env, 'INTEGRATION_AUTHENTICATION_MODE'),
      authorization: read(env, 'INTEGRATION_AUTHORIZATION_MODE'),
      authorizationCoreDb: read(env, 'INTEGRATION_AUTHORIZATION_MODE_COREDB'),
      authorizationType: authorizationType(env),
    });
    this.#caFile = caFile;
    this.#serviceAddress = read(env, 'INTEGRATION_SERVICE_ADDRESS');
  }

  /**
   * `INTEGRATION_AUTHENTICATION_MODE`, `INTEGRATION_AUTHORIZATION_MODE`, `…_COREDB` and
   * `INTEGRATION_AUTHORIZATION_V1_TYPE`.
   */
  get modes(): Modes {
    return this.#modes;
  }

  /** `ARANGO_DEPLOYMENT_CA`: the path of the deployment's CA, which `transport` trusts. */
  get caFile(): string | undefined {
    return this.#caFile;
  }

  /**
   * `INTEGRATION_SERVICE_ADDRESS`: `host:port` of the gRPC services, for `createReplica({ address })` of
   * `arango-services/replica`.
   */
  get serviceAddress(): string | undefined {
    return this.#serviceAddress;
  }
}

/**
 * Reads the client options that the sidecar puts into the environment of its neighbour:
 * `createClient(fromEnv(process.env))`. Empty variables count as missing. If `ARANGO_DEPLOYMENT_CA` is set, or
 * `INTEGRATION_HTTP_UNIX` without an address, calls go over `nodeTransport`, which needs undici.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the variable (`env.ARANGO_DEPLOYMENT_ENDPOINT`) that is
 * missing or invalid.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { fromEnv } from 'arango-services/node';
 *
 * const client = createClient({ ...fromEnv(process.env), database: 'shop' });
 * ```
 */
export const fromEnv = (env: Readonly<Record<string, string | undefined>>): Environment => new Environment(env);

function read(env: Env, name: string): string | undefined {
  const value: unknown = env[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw expected(`env.${name}`, 'a string', value);
  return value;
}

function address(env: Env, name: string): string {
  const value = read(env, name);
  if (value === undefined)
    throw new InvalidArgumentError(`env.${name}`, 'is missing; expected a URL like "http://localhost:8529"');
  readArgument(value, `env.${name}`, readBase);
  return value;
}

function authorizationType(env: Env): Modes['authorizationType'] {
  const name = 'INTEGRATION_AUTHORIZATION_V1_TYPE';
  const value = read(env, name);
  const type = authorizationTypes.find((type) => type === value);
  if (value !== undefined && type === undefined) {
    throw new InvalidArgumentError(`env.${name}`, `expected one of ${authorizationTypes.join(', ')}, or unset`);
  }
  return type;
}
