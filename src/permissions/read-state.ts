import type { EvaluatorSource } from '../analysis/index.js';
import { isHttpError } from '../errors.js';
import { inParallel } from '../lib/parallel.js';
import {
  anyText,
  listOf,
  oneOf,
  optionsOf,
  type ReadersOf,
  readArgument,
  readFields,
  transform,
  wholeNumber,
  withMethods,
} from '../lib/readers.js';
import type { Evaluator, Fidelity } from '../policy/index.js';
import type { AuthenticationClient } from '../services/authentication/client.js';
import type { AuthorizationClient } from '../services/authorization/client.js';
import type { Collection } from '../services/authorization/management.js';
import type { PermissionsState } from './model/model.js';
import { readClient } from './model/read-input.js';
import { readFidelity, type VersionClient } from './read-fidelity.js';

/** A client of this package, or an object with the same fields. */
export interface PermissionsClient extends VersionClient {
  /** Identifies the owner of the token, so that `apply` knows if its caller can finish. */
  readonly authentication?: Pick<AuthenticationClient, 'identity'> | undefined;
  readonly authorization: Pick<AuthorizationClient, 'policies' | 'roles' | 'bindings'> &
    Partial<Pick<AuthorizationClient, 'checkSelf'>>;
}

/** Options of {@link readState}. One of `users` and `replica` is needed. */
export interface ReadStateOptions {
  /** The users whose bindings are read. */
  readonly users?: readonly string[] | undefined;
  /** A replica, which knows the bindings of all users. It should be ready and live. */
  readonly replica?: EvaluatorSource | undefined;
  /**
   * The fidelity of the deployment, for analyses of the state. Default: that of the replica, or that which a mock
   * reports; `sidecar` for any other deployment.
   */
  readonly fidelity?: Fidelity | undefined;
  /** The maximum number of concurrent calls, default 16. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const readStateOptions = transform(
  optionsOf({
    users: listOf(anyText, Number.POSITIVE_INFINITY),
    replica: withMethods<EvaluatorSource>('a replica', 'evaluator'),
    fidelity: oneOf<Fidelity>('documented', 'sidecar'),
    concurrency: wholeNumber('a whole number', 1, Number.MAX_SAFE_INTEGER),
    signal: withMethods<AbortSignal>('an AbortSignal', 'addEventListener'),
  } satisfies ReadersOf<ReadStateOptions>),
  (options, reading) =>
    (options.users === undefined) === (options.replica === undefined)
      ? reading.report<typeof options>('expected one of users and replica')
      : options,
);

const missing = (error: unknown): undefined => {
  if (isHttpError(error) && error.status === 404) return undefined;
  throw error;
};

/** The state that an evaluator holds. */
export function stateOf(evaluator: Evaluator, fidelity: Fidelity = evaluator.fidelity): PermissionsState {
  const named = <T>(names: readonly string[], get: (name: string) => T | undefined) =>
    // The cast: each name is one of the evaluator's.
    new Map(names.map((name) => [name, get(name) as T]));
  return {
    policies: named(evaluator.policies(), (name) => evaluator.policy(name)),
    roles: named(evaluator.roles(), (name) => evaluator.role(name)),
    bindings: evaluator.bindings(),
    users: 'all',
    fidelity,
  };
}

/**
 * Reads the policies, roles and bindings of a deployment. The services can list the bindings of one user, but not all
 * users: name the users, or pass a replica, which knows all of them. Policies and roles that are deleted meanwhile are
 * left out.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for invalid options, and unless exactly one of `users` and
 *   `replica` is given.
 * @throws HttpError (code `HTTP`, status 403) if the token may not read; `needs` is the missing permission.
 *
 * @example
 * ```ts
 * import { readState } from 'arango-services/permissions';
 *
 * const { policies, bindings } = await readState(client, { users: ['alice', 'bob'] });
 * console.log(policies.size, bindings.length);
 * ```
 */
export async function readState(client: PermissionsClient, options: ReadStateOptions): Promise<PermissionsState> {
  readArgument(client, 'client', readClient);
  const { users, replica, fidelity, concurrency, signal } = readFields(options, 'options', readStateOptions);
  if (replica) return stateOf(replica.evaluator(), fidelity);
  const { authorization } = client;
  const call = { signal };
  const parallel = { concurrency, signal };
  const read = async <T>(items: Pick<Collection<T>, 'list' | 'get'>) => {
    const names: string[] = [];
    for await (const name of items.list({ ...call, pageSize: 1_000 })) names.push(name);
    const found = await inParallel(names, parallel, (name) => items.get(name, call).catch(missing));
    const stored = found.flatMap((one) => one ?? []);
    return {
      items: new Map(stored.map(({ name, item }) => [name, item])),
      indexes: new Map(stored.map(({ name, index }) => [name, index])),
    };
  };
  const names = [...new Set(users)];
  const rules = fidelity ?? (await readFidelity(client, signal));
  const bindings = await inParallel(names, parallel, async (user) =>
    (await authorization.bindings.list(user, call)).map(({ role, scope }) => ({ user, role, scope })),
  );
  const roles = await read(authorization.roles);
  const policies = await read(authorization.policies);
  return {
    policies: policies.items,
    roles: roles.items,
    bindings: bindings.flat(),
    users: names,
    fidelity: rules,
    indexes: { policies: policies.indexes, roles: roles.indexes },
  };
}
