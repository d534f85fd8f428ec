import { isHttpError } from '../errors.js';
import { hasMethod } from '../lib/values.js';
import type { Decider, UserSubject } from '../policy/decider.js';
import type { Decision, EvaluationItem, ManyDecisions } from '../policy/model.js';
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

/** Says whom a token belongs to, as `verifyToken` and `client.authentication.validate` do. What it rejects with is a 503. */
export type Authenticate = (
  token: string,
) => Promise<({ readonly valid: true } & TokenOwner) | { readonly valid: false }>;

/** Who decides for a guard: a client, or a `Decider` with a way to know whom tokens belong to. */
export type GuardSource = TokenDecider | (Decider & { readonly authenticate?: Authenticate | undefined });

/** A token that is not valid, as opposed to a call that failed. */
export const invalidToken = Symbol('a token that is not valid');

/** Whom a token belongs to, or that it is not valid. */
export type Known = TokenOwner | typeof invalidToken;

/** What a guard asks of its source. A promise that rejects is never a decision. */
export interface Source {
  authenticate(token: string): Promise<Known>;
  /** `owner` asks `authenticate`, at most once for a request. */
  evaluate(token: string, item: EvaluationItem, owner: () => Promise<Known>): Promise<Decision | typeof invalidToken>;
  evaluateMany(
    token: string,
    items: readonly EvaluationItem[],
    owner: () => Promise<Known>,
  ): Promise<ManyDecisions | typeof invalidToken>;
}

/** Turns the one failure by which a service says that a token is not valid. Every other one concerns this program, not its caller. */
async function orInvalid<T>(asked: Promise<T>): Promise<T | typeof invalidToken> {
  try {
    return await asked;
  } catch (error) {
    if (isHttpError(error) && error.status === 400 && error.grpcCode === 9) return invalidToken;
    throw error;
  }
}

const readOwner =
  (ask: Authenticate) =>
  async (token: string): Promise<Known> => {
    const said = await ask(token);
    if (said.valid !== true) return invalidToken;
    const { user, groups } = said;
    // Who forgets a field must not make a superuser of everybody.
    if (!Array.isArray(groups) || (user !== undefined && typeof user !== 'string')) {
      throw new TypeError('authenticate: expected { valid: true, user?: text, groups: a list } or { valid: false }');
    }
    return { user, groups };
  };

function remoteSource({ authorization, authentication }: TokenDecider, ask: Authenticate | undefined): Source {
  return {
    authenticate: readOwner(ask ?? ((token) => authentication.validate(token))),
    evaluate: (token, item) => orInvalid(authorization.evaluate({ ...item, token })),
    evaluateMany: (token, items) => orInvalid(authorization.evaluateMany({ items, token })),
  };
}

/**
 * The subject that stands for a token's owner. The cast: a `Decider` need not know a subject without a user; an evaluator and a
 * replica do, and who does not refuses it, or denies.
 */
function subjectOf({ user, groups: roles }: TokenOwner): UserSubject {
  if (user !== undefined) return { user, roles };
  return (roles.length > 0 ? { roles } : { superuser: true }) as unknown as UserSubject;
}

function localSource(decider: Decider, ask: Authenticate): Source {
  return {
    authenticate: readOwner(ask),
    async evaluate(_token, item, owner) {
      const known = await owner();
      return known === invalidToken ? known : decider.evaluate({ ...subjectOf(known), ...item });
    },
    async evaluateMany(_token, items, owner) {
      const known = await owner();
      return known === invalidToken ? known : decider.evaluateMany({ ...subjectOf(known), items });
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
