import { isHttpError } from '../errors.js';
import { hasMethod, isObject } from '../lib/values.js';
import type { Decider, UserSubject } from '../policy/decider.js';
import type { EvaluationItem } from '../policy/model.js';
import { type Authenticate, NotValid, type Owner, readOwner } from '../policy/subject.js';
import { own } from '../policy/validate.js';
import { isReplicaError } from '../replica/error.js';
import type { AuthenticationClient } from '../services/authentication/client.js';
import type { AuthorizationClient } from '../services/authorization/client.js';

/** A client: its services decide over tokens themselves. */
export interface TokenDecider {
  readonly authorization: Pick<AuthorizationClient, 'evaluate' | 'evaluateMany'>;
  readonly authentication: Pick<AuthenticationClient, 'validate'>;
}

/** A `Decider` that may know whom tokens belong to, as a replica does. */
export interface AuthenticatingDecider extends Decider {
  readonly authenticate?: Authenticate | undefined;
  /** False if `authenticate` cannot be used, because it was not told how: a replica without such an option. */
  readonly authenticates?: boolean | undefined;
}

/** The source of a guard's decisions: a client, or a `Decider` with a way to know whom tokens belong to. */
export type GuardSource = TokenDecider | AuthenticatingDecider;

/** The owner of a token, or that the token is not valid. */
export type OwnerOrNot = Owner | NotValid;

/** The questions of a guard to its source. A promise that rejects is never a decision. */
export interface Source {
  /**
   * True if decisions are made by a `Decider`: they are never kept, for they cost little and would outlive a revocation
   * that the decider knows of. The owner of each token is known.
   */
  readonly isLocal: boolean;
  authenticate(token: string): Promise<OwnerOrNot>;
  /** `owner` asks `authenticate`, at most once for a request. */
  evaluate(token: string, item: EvaluationItem, owner: () => Promise<OwnerOrNot>): Promise<boolean | NotValid>;
  /** Gives as many decisions as items. */
  evaluateMany(
    token: string,
    items: readonly EvaluationItem[],
    owner: () => Promise<OwnerOrNot>,
  ): Promise<readonly boolean[] | NotValid>;
}

/**
 * The one failure by which a service, or a replica, says that a token is not valid. Every other one concerns this
 * program, not its caller.
 */
const saysNotValid = (error: unknown): boolean =>
  isHttpError(error)
    ? error.status === 400 && error.grpcCode === 9
    : isReplicaError(error) && error.reason === 'INVALID_TOKEN';

/** Asks, and reads the answer. A function that throws at once rejects, too, so that no other promise is left behind. */
async function orNotValid<T, U>(ask: () => Promise<T>, read: (answer: T) => U): Promise<U | NotValid> {
  let answer: T;
  try {
    answer = await ask();
  } catch (error) {
    if (saysNotValid(error)) return new NotValid();
    throw error;
  }
  return read(answer);
}

/** Anything but an own `allowed: true` is a denial. */
const isAllow = (decision: unknown): boolean => own(decision, 'allowed') === true;

/** @throws TypeError for an answer that is not a decision at all. */
function readDecision(answer: unknown): boolean {
  if (!isObject(answer)) throw new TypeError('the decider gave no decision');
  return isAllow(answer);
}

/** @throws TypeError for an answer without a list of decisions, and for another number of them: whose would they be? */
function readDecisions(answer: unknown, asked: number): readonly boolean[] {
  const items = own(answer, 'items');
  if (!Array.isArray(items) || items.length !== asked)
    throw new TypeError(`the decider did not give ${asked} decisions`);
  return Array.from(items, isAllow);
}

const authenticateWith =
  (ask: Authenticate) =>
  (token: string): Promise<OwnerOrNot> =>
    orNotValid(() => ask(token), readOwner);

function remoteSource({ authorization, authentication }: TokenDecider, ask: Authenticate | undefined): Source {
  return {
    isLocal: false,
    authenticate: authenticateWith(ask ?? ((token) => authentication.validate(token))),
    evaluate: (token, item) => orNotValid(() => authorization.evaluate({ ...item, token }), readDecision),
    evaluateMany: (token, items) =>
      orNotValid(
        () => authorization.evaluateMany({ items, token }),
        (answer) => readDecisions(answer, items.length),
      ),
  };
}

/**
 * True for the user `""`, whom every policy denies. The gateway makes such tokens, and not every `Decider` takes the
 * question.
 */
const isUnnamed = ({ user }: Owner): boolean => user === '';

function localSource(decider: Decider, ask: Authenticate): Source {
  // The casts: a `Decider` need not know a subject without a user; an evaluator and a replica do, and others refuse or
  // deny it.
  const asUser = ({ subject }: Owner) => subject as UserSubject;
  return {
    isLocal: true,
    authenticate: authenticateWith(ask),
    async evaluate(_token, item, owner) {
      const known = await owner();
      if (known instanceof NotValid) return known;
      if (isUnnamed(known)) return false;
      return readDecision(await decider.evaluate({ ...asUser(known), ...item }));
    },
    async evaluateMany(_token, items, owner) {
      const known = await owner();
      if (known instanceof NotValid) return known;
      if (isUnnamed(known)) return items.map(() => false);
      return readDecisions(await decider.evaluateMany({ ...asUser(known), items }), items.length);
    },
  };
}

/** The source of a guard; undefined if it cannot decide over tokens. */
export function readSource(given: unknown, authenticate: Authenticate | undefined): Source | undefined {
  // The cast: looked at before it is used.
  const source = Object(given) as TokenDecider & AuthenticatingDecider;
  if (hasMethod(source.authorization, 'evaluateMany') && hasMethod(source.authentication, 'validate')) {
    return remoteSource(source, authenticate);
  }
  const knowsTokens = source.authenticates !== false && hasMethod(source, 'authenticate');
  const ask = authenticate ?? (knowsTokens ? source.authenticate?.bind(source) : undefined);
  return ask && hasMethod(source, 'evaluate') && hasMethod(source, 'evaluateMany')
    ? localSource(source, ask)
    : undefined;
}
