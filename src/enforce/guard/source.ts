import { isHttpError } from '../../base/error-guards.js';
import { InvalidArgumentError } from '../../base/errors.js';
import { hasMethod } from '../../base/lib/values.js';
import type { AuthenticationClient } from '../../client/services/authentication/authentication-client.js';
import type { AuthorizationClient } from '../../client/services/authorization/authorization-client.js';
import { readDecision, readDecisions } from '../../policy/evaluate/decider-answers.js';
import { type Decider, muted, type UserSubject } from '../../policy/model/decider.js';
import type { EvaluationItem } from '../../policy/model/model.js';
import { type Authenticate, NotValid, type Owner, readOwner } from '../../policy/model/subject.js';
import { isReplicaError } from '../replica/replica-error.js';

/** A client, whose services decide on tokens directly. */
export interface TokenDecider {
  readonly authorization: Pick<AuthorizationClient, 'evaluate' | 'evaluateMany'>;
  readonly authentication: Pick<AuthenticationClient, 'validate'>;
}

/** A `Decider` that may identify the owners of tokens, as a replica does. */
export interface AuthenticatingDecider extends Decider {
  readonly authenticate?: Authenticate | undefined;
  /** False if `authenticate` is not configured: a replica without such an option. */
  readonly authenticates?: boolean | undefined;
}

/** The source of a guard's decisions: a client, or a `Decider` that can identify the owners of tokens. */
export type GuardSource = TokenDecider | AuthenticatingDecider;

/** The owner of a token, or `NotValid`. */
export type OwnerOrNot = Owner | NotValid;

/** The options of a call to a service: the trace of the request, and the guard's deadline. */
export interface SourceCall {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

/** The questions of a guard to its source. A rejected promise is never a decision. */
export interface Source {
  /**
   * True if a `Decider` makes the decisions. They are never cached: they are cheap, and a cached one could outlive a
   * revocation that the decider knows of. The owner of each token is known.
   */
  readonly isLocal: boolean;
  /** The decider, in the words of a decision log. */
  readonly name: 'service' | 'replica' | 'decider';
  /** Waits until decisions reflect these writes; undefined if the source cannot tell. */
  readonly reached: ((revisions: readonly string[], call: SourceCall) => Promise<void>) | undefined;
  authenticate(token: string, call: SourceCall): Promise<OwnerOrNot>;
  /** `owner` calls `authenticate`, at most once per request. A local source decides at once when it has resolved. */
  evaluate(
    token: string,
    item: EvaluationItem,
    owner: () => Promise<OwnerOrNot>,
    call: SourceCall,
  ): Promise<boolean | NotValid>;
  /** Returns one decision per item, in order. */
  evaluateMany(
    token: string,
    items: readonly EvaluationItem[],
    owner: () => Promise<OwnerOrNot>,
    call: SourceCall,
  ): Promise<readonly boolean[] | NotValid>;
  /** Resolves when decisions can be made. */
  ready(call: SourceCall, timeout: number): Promise<unknown>;
}

/** True for the one failure that means an invalid token; any other is a problem of this program. */
const saysNotValid = (error: unknown): boolean =>
  isHttpError(error)
    ? error.status === 400 && error.grpcCode === 9
    : isReplicaError(error) && error.reason === 'INVALID_TOKEN';

/** Asks, and reads the answer. A synchronous throw rejects, too, so that no other promise is left unhandled. */
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

const authenticateWith =
  (ask: (token: string, call: SourceCall) => ReturnType<Authenticate>) =>
  (token: string, call: SourceCall): Promise<OwnerOrNot> =>
    orNotValid(() => ask(token, call), readOwner);

/** Waits for a part that can tell when it is ready, as a replica and a verifier can. */
const whenReady = async (part: unknown, timeout: number): Promise<void> => {
  if (hasMethod(part, 'ready')) await (part as { ready(limit: object): unknown }).ready({ timeout });
};

/** A question to which any answer shows that the service decides. */
const anyQuestion = { user: 'guard:ready', action: 'guard:ready', resource: '' };
const operation = 'guard.ready';

function remoteSource({ authorization, authentication }: TokenDecider, ask: Authenticate | undefined): Source {
  // The service decides, not a replica of the client, and no log has a line of it.
  const service = hasMethod(authorization, 'muted')
    ? (authorization as AuthorizationClient).muted({ replica: undefined })
    : authorization;
  const decides = async (call: object) => readDecision(await service.evaluate(anyQuestion, call));
  return {
    isLocal: false,
    name: 'service',
    reached: undefined,
    authenticate: authenticateWith(ask ? (token) => ask(token) : (token, call) => authentication.validate(token, call)),
    evaluate: (token, item, _owner, call) =>
      orNotValid(() => authorization.evaluate({ ...item, token }, call), readDecision),
    ready: (call, timeout) =>
      Promise.all([
        decides({ ...call, operation }),
        // The result of a token that is not valid shows that tokens are verified.
        authentication.validate('ready', { ...call, operation }),
        whenReady(ask, timeout),
      ]),
    evaluateMany: (token, items, _owner, call) =>
      orNotValid(
        () => authorization.evaluateMany({ items, token }, call),
        (answer) => readDecisions(answer, items.length),
      ),
  };
}

/** True for the user `""` of some tokens of the gateway, whom every policy denies and not every decider accepts. */
export const isUnnamed = ({ user }: Owner): boolean => user === '';

/** The name of a decider in a decision log. */
export const nameOf = (decider: Decider): 'replica' | 'decider' =>
  hasMethod(decider, 'assertLive') ? 'replica' : 'decider';

/** The error for a source that cannot wait for writes. */
export const cannotReach = (field: string): InvalidArgumentError =>
  new InvalidArgumentError(field, 'needs a guard over a replica: nothing else tells which writes it decides with');

/** A decider that can wait for a write, as a replica can. */
interface ReachingDecider extends Decider {
  reached(written: readonly string[], options: { readonly signal: AbortSignal }): Promise<void>;
}

function localSource(decider: Decider, ask: Authenticate, emits: boolean): Source {
  const judge = emits ? muted(decider) : decider;
  // The cast: a `Decider` need not support a subject without a user. An evaluator and a replica do; others reject or
  // deny it.
  const asUser = ({ subject }: Owner) => subject as UserSubject;
  return {
    isLocal: true,
    name: nameOf(decider),
    // The cast: `hasMethod` has just checked it.
    reached: hasMethod(decider, 'reached')
      ? (revisions, { signal }) => (decider as ReachingDecider).reached(revisions, { signal })
      : undefined,
    authenticate: authenticateWith((token) => ask(token)),
    ready: (_call, timeout) => Promise.all([whenReady(decider, timeout), whenReady(ask, timeout)]),
    async evaluate(_token, item, owner) {
      const tokenOwner = await owner();
      if (tokenOwner instanceof NotValid) return tokenOwner;
      if (isUnnamed(tokenOwner)) return false;
      return readDecision(await judge.evaluate({ ...asUser(tokenOwner), ...item }));
    },
    async evaluateMany(_token, items, owner) {
      const tokenOwner = await owner();
      if (tokenOwner instanceof NotValid) return tokenOwner;
      if (isUnnamed(tokenOwner)) return items.map(() => false);
      return readDecisions(await judge.evaluateMany({ ...asUser(tokenOwner), items }), items.length);
    },
  };
}

/**
 * Creates the source of a guard; undefined if the value cannot decide on tokens. If the guard reports its
 * decisions (`emits`), the source does not.
 */
export function readSource(value: unknown, authenticate: Authenticate | undefined, emits: boolean): Source | undefined {
  // The cast: methods of the source are checked before use.
  const source = Object(value) as TokenDecider & AuthenticatingDecider;
  if (hasMethod(source.authorization, 'evaluateMany') && hasMethod(source.authentication, 'validate')) {
    const { authentication, authorization } = source;
    return remoteSource({ authentication, authorization: emits ? muted(authorization) : authorization }, authenticate);
  }
  const knowsTokens = source.authenticates !== false && hasMethod(source, 'authenticate');
  const ask = authenticate ?? (knowsTokens ? source.authenticate?.bind(source) : undefined);
  return ask && hasMethod(source, 'evaluate') && hasMethod(source, 'evaluateMany')
    ? localSource(source, ask, emits)
    : undefined;
}
