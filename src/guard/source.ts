import type { AuthenticationClient } from '../services/authentication/client.js';
import type { Validation } from '../services/authentication/messages.js';
import type { AuthorizationClient } from '../services/authorization/client.js';
import type { ServiceCallOptions } from '../services/service-client.js';
import type { Decider } from '../policy/decider.js';
import type { Decision, EvaluationItem, ManyDecisions } from '../policy/model.js';

/** A client: its services decide over tokens themselves. */
export interface TokenDecider {
  readonly authorization: Pick<AuthorizationClient, 'evaluate' | 'evaluateMany'>;
  readonly authentication: Pick<AuthenticationClient, 'validate'>;
}

/** Says whom a token belongs to, as `client.authentication.validate` or `verifyToken` do. */
export type Authenticate = (token: string) => Promise<Validation>;

/** Who decides for a guard: a client, or a `Decider` that knows whom tokens belong to. */
export type GuardSource = TokenDecider | (Decider & { authenticate?: Authenticate | undefined });

/** A token that is not valid, as opposed to a call that failed. */
export const invalidToken = Symbol('a token that is not valid');

/** What a guard asks of its source. A promise that rejects is never a decision. */
export interface Source {
  evaluate(token: string, item: EvaluationItem): Promise<Decision | typeof invalidToken>;
  evaluateMany(token: string, items: readonly EvaluationItem[]): Promise<ManyDecisions | typeof invalidToken>;
  authenticate(token: string): Promise<Extract<Validation, { valid: true }> | typeof invalidToken>;
}

/** Failures by which a service says that a token is not valid. Every other one concerns this program, not its caller. */
function saysInvalid(error: unknown): boolean {
  const { code, status, grpcCode } = Object(error) as { code?: unknown; status?: unknown; grpcCode?: unknown };
  return code === 'HTTP' && status === 400 && grpcCode === 9;
}

async function orInvalid<T>(asked: Promise<T>): Promise<T | typeof invalidToken> {
  try {
    return await asked;
  } catch (error) {
    if (saysInvalid(error)) return invalidToken;
    throw error;
  }
}

const validOnly = (validation: Validation) => (validation.valid ? validation : invalidToken);

function remoteSource({ authorization, authentication }: TokenDecider, options: ServiceCallOptions): Source {
  return {
    evaluate: (token, item) => orInvalid(authorization.evaluate({ ...item, token }, options)),
    evaluateMany: (token, items) => orInvalid(authorization.evaluateMany({ items, token }, options)),
    authenticate: async (token) => validOnly(await authentication.validate(token, options)),
  };
}

function localSource(decider: Decider, ask: Authenticate): Source {
  const authenticate: Source['authenticate'] = async (token) => validOnly(await ask(token));
  const subjectOf = async (token: string) => {
    const known = await authenticate(token);
    if (known === invalidToken) return known;
    const { user, groups: roles } = known;
    // The cast: a token without a user belongs to the superuser, whom evaluators and replicas know and other deciders refuse.
    const superuser = { superuser: roles.length === 0, roles } as unknown as { user: string };
    return user === undefined ? superuser : { user, roles };
  };
  return {
    authenticate,
    async evaluate(token, item) {
      const subject = await subjectOf(token);
      return subject === invalidToken ? subject : decider.evaluate({ ...subject, ...item });
    },
    async evaluateMany(token, items) {
      const subject = await subjectOf(token);
      return subject === invalidToken ? subject : decider.evaluateMany({ ...subject, items });
    },
  };
}

/** The source of a guard; undefined where it cannot decide over tokens. */
export function readSource(
  given: unknown,
  authenticate: Authenticate | undefined,
  options: ServiceCallOptions,
): Source | undefined {
  // The cast: looked at before it is used.
  const source = Object(given) as Partial<TokenDecider & Decider & { authenticate: Authenticate }>;
  const { authorization, authentication } = source;
  if (authorization !== undefined && authentication !== undefined) {
    return remoteSource({ authorization, authentication }, options);
  }
  const ask = authenticate ?? source.authenticate?.bind(source);
  if (typeof source.evaluate !== 'function' || typeof source.evaluateMany !== 'function' || ask === undefined) {
    return undefined;
  }
  return localSource(source as Decider, ask);
}
