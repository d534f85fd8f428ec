import { isHttpError } from '../errors.js';
import { hasMethod } from '../lib/values.js';
import type { Decider, UserSubject } from '../policy/decider.js';
import type { Decision, EvaluationItem, EvaluatorSubject, ManyDecisions } from '../policy/model.js';
import { isReplicaError } from '../replica/error.js';
import type { AuthenticationClient } from '../services/authentication/client.js';
import type { AuthorizationClient } from '../services/authorization/client.js';

/** A client: its services decide over tokens themselves. */
export interface TokenDecider {
  readonly authorization: Pick<AuthorizationClient, 'evaluate' | 'evaluateMany'>;
  readonly authentication: Pick<AuthenticationClient, 'validate'>;
}

/** Whom a valid token belongs to; without a user to the superuser, unless it has groups. */
export interface TokenOwner {
  readonly user?: string | undefined;
  readonly groups: readonly string[];
}

/**
 * Says whom a token belongs to: as `verifyToken` and `client.authentication.validate` do, or as a subject of policies,
 * as a replica does. What it rejects with is a 503, but for a replica's `INVALID_TOKEN`.
 */
export type Authenticate = (
  token: string,
) => Promise<({ readonly valid: true } & TokenOwner) | { readonly valid: false } | EvaluatorSubject>;

/** Who decides for a guard: a client, or a `Decider` with a way to know whom tokens belong to. */
export type GuardSource = TokenDecider | (Decider & { readonly authenticate?: Authenticate | undefined });

/** A token that is not valid, as opposed to a call that failed. */
export const invalidToken = Symbol('a token that is not valid');

/** The owner of a token that is valid, and the subject that stands for it in policies. */
export interface Owner extends TokenOwner {
  readonly subject: EvaluatorSubject;
}

/** Whom a token belongs to, or that it is not valid. */
export type OwnerOrInvalid = Owner | typeof invalidToken;

/** What a guard asks of its source. A promise that rejects is never a decision. */
export interface Source {
  authenticate(token: string): Promise<OwnerOrInvalid>;
  /** `owner` asks `authenticate`, at most once for a request. */
  evaluate(
    token: string,
    item: EvaluationItem,
    owner: () => Promise<OwnerOrInvalid>,
  ): Promise<Decision | typeof invalidToken>;
  evaluateMany(
    token: string,
    items: readonly EvaluationItem[],
    owner: () => Promise<OwnerOrInvalid>,
  ): Promise<ManyDecisions | typeof invalidToken>;
}

/**
 * The one failure by which a service, or a replica, says that a token is not valid. Every other one concerns this
 * program, not its caller.
 */
const saysInvalid = (error: unknown): boolean =>
  isHttpError(error)
    ? error.status === 400 && error.grpcCode === 9
    : isReplicaError(error) && error.reason === 'INVALID_TOKEN';

async function orInvalid<T>(asked: Promise<T>): Promise<T | typeof invalidToken> {
  try {
    return await asked;
  } catch (error) {
    if (saysInvalid(error)) return invalidToken;
    throw error;
  }
}

/** Checks an owner that `authenticate` gave: one that forgets a field must not make a superuser of everybody. */
function readOwner({ user, groups }: Partial<TokenOwner>, superuser: boolean): Owner {
  if (!Array.isArray(groups) || (user !== undefined && typeof user !== 'string')) {
    throw new TypeError(
      'authenticate: expected { valid: true, user?: text, groups: a list }, { valid: false } or a subject',
    );
  }
  if (user !== undefined) return { user, groups, subject: { user, roles: groups } };
  return { user, groups, subject: superuser ? { superuser } : { roles: groups } };
}

const authenticateWith =
  (ask: Authenticate) =>
  async (token: string): Promise<OwnerOrInvalid> => {
    const said = await orInvalid(ask(token));
    if (said === invalidToken) return said;
    if ('valid' in said) return said.valid === true ? readOwner(said, said.groups?.length === 0) : invalidToken;
    const { user, roles, superuser } = said;
    // A subject may leave out its roles where it says who it is.
    const known = user !== undefined || superuser === true;
    return readOwner({ user, groups: known ? (roles ?? []) : roles }, superuser === true);
  };

function remoteSource({ authorization, authentication }: TokenDecider, ask: Authenticate | undefined): Source {
  return {
    authenticate: authenticateWith(ask ?? ((token) => authentication.validate(token))),
    evaluate: (token, item) => orInvalid(authorization.evaluate({ ...item, token })),
    evaluateMany: (token, items) => orInvalid(authorization.evaluateMany({ items, token })),
  };
}

function localSource(decider: Decider, ask: Authenticate): Source {
  // The casts: a `Decider` need not know a subject without a user; an evaluator and a replica do, and who does not
  // refuses it, or denies.
  const asUser = ({ subject }: Owner) => subject as UserSubject;
  return {
    authenticate: authenticateWith(ask),
    async evaluate(_token, item, owner) {
      const known = await owner();
      return known === invalidToken ? known : decider.evaluate({ ...asUser(known), ...item });
    },
    async evaluateMany(_token, items, owner) {
      const known = await owner();
      return known === invalidToken ? known : decider.evaluateMany({ ...asUser(known), items });
    },
  };
}

/** The source of a guard; undefined where it cannot decide over tokens. */
export function readSource(given: unknown, authenticate: Authenticate | undefined): Source | undefined {
  // The cast: looked at before it is used.
  const source = Object(given) as TokenDecider & Decider & { readonly authenticate?: Authenticate };
  if (hasMethod(source.authorization, 'evaluateMany') && hasMethod(source.authentication, 'validate')) {
    return remoteSource(source, authenticate);
  }
  const ask = authenticate ?? (hasMethod(source, 'authenticate') ? source.authenticate?.bind(source) : undefined);
  return ask && hasMethod(source, 'evaluate') && hasMethod(source, 'evaluateMany')
    ? localSource(source, ask)
    : undefined;
}
