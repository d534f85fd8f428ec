import type { EvaluatorSource } from '../analysis/index.js';
import { isHttpError } from '../errors.js';
import type { Evaluator } from '../policy/index.js';
import type { AuthorizationClient } from '../services/authorization/client.js';
import type { Collection } from '../services/authorization/management.js';
import { PermissionsError } from './error.js';
import type { PermissionsState } from './model.js';
import { inParallel } from './parallel.js';

/** A client of the package, or its part for authorization under the same name. */
export interface PermissionsClient {
  readonly authorization: Pick<AuthorizationClient, 'policies' | 'roles' | 'bindings'>;
}

/** Options of {@link readState}. One of `users` and `replica` is needed. */
export interface ReadStateOptions {
  /** The users whose bindings are read. */
  readonly users?: readonly string[] | undefined;
  /** A replica, which knows all bindings. It should be ready and live. */
  readonly replica?: EvaluatorSource | undefined;
  /** Concurrent calls, default 16. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const missing = (error: unknown): undefined => {
  if (isHttpError(error) && error.status === 404) return undefined;
  throw error;
};

function readEvaluator(evaluator: Evaluator): PermissionsState {
  const named = <T>(names: readonly string[], get: (name: string) => T | undefined) =>
    // The cast: each name is one of the evaluator's.
    new Map(names.map((name) => [name, get(name) as T]));
  return {
    policies: named(evaluator.policies(), (name) => evaluator.policy(name)),
    roles: named(evaluator.roles(), (name) => evaluator.role(name)),
    bindings: evaluator.bindings(),
    users: 'all',
  };
}

/**
 * Reads the policies, roles and bindings of a deployment. The services can list the bindings of one user, but not all
 * users: name the users, or pass a replica, which knows all of them. Policies and roles that are deleted meanwhile are
 * left out.
 *
 * @throws PermissionsError (code `PERMISSIONS`) unless exactly one of `users` and `replica` is given.
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
export async function readState(
  { authorization }: PermissionsClient,
  { users, replica, concurrency, signal }: ReadStateOptions,
): Promise<PermissionsState> {
  if ((users === undefined) === (replica === undefined))
    throw new PermissionsError('expected one of users and replica');
  if (replica) return readEvaluator(replica.evaluator());
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
    indexes: { policies: policies.indexes, roles: roles.indexes },
  };
}
