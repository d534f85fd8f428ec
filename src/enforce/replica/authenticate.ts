import { InvalidArgumentError } from '../../base/errors.js';
import { readArgument, readToken } from '../../base/lib/readers.js';
import { ownField } from '../../base/lib/values.js';
import type { EvaluatorSubject } from '../../policy/index.js';
import type { AuthorizationRules } from '../../policy/model/authorization-type.js';
import { type Authenticate, isSuperuser, NotValid, readOwner } from '../../policy/model/subject.js';
import { createVerifier, type VerifierKeys } from '../token/verify.js';
import { ReplicaError } from './replica-error.js';
import type { ReplicaSettings, TokenChecks } from './replica-options.js';

export type MakeSubject = (token: string) => Promise<EvaluatorSubject>;

type TokenSettings = Pick<ReplicaSettings, 'tokens' | 'authenticate' | 'wallClock'>;

/** True if a replica is configured to check tokens. */
export const authenticates = ({ tokens, authenticate }: Pick<TokenSettings, 'tokens' | 'authenticate'>): boolean =>
  (tokens ?? authenticate) !== undefined;

/** Checks a token with a service, or with keys. */
function checkWith({ client, ...settings }: TokenChecks, clock: TokenSettings['wallClock']): Authenticate {
  // The cast: without a client it has keys or a secret.
  return client === undefined
    ? createVerifier({ ...settings, clock } as VerifierKeys)
    : (token) => client.authentication.validate(token);
}

const isNotGiven = () => {
  const missing = 'is missing; give createReplica one of { client }, { keys } and { secret }, or authenticate';
  throw new InvalidArgumentError('tokens', missing);
};

/** The reason that a verdict gives; undefined if it quotes the token. */
function reasonOf(said: unknown, token: string): string {
  const reason = ownField(said, 'reason');
  return typeof reason === 'string' && !reason.includes(token) ? reason : 'it is not valid';
}

/**
 * Creates the function that resolves tokens to subjects. A token without a user belongs to the superuser only if the
 * result has `superuser: true`. In sidecar fidelity a token with groups but without a user is the superuser's, too;
 * this applies to tokens checked by the service or with keys, not to the results of a custom `authenticate`.
 * @throws InvalidArgumentError for invalid keys.
 */
export function readAuthenticate(
  { tokens, authenticate, wallClock }: TokenSettings,
  { rolesMakeSubject }: AuthorizationRules,
): MakeSubject {
  const ask = tokens === undefined ? (authenticate ?? isNotGiven) : checkWith(tokens, wallClock);
  return async (value) => {
    const token = readArgument(value, 'token', readToken);
    const said = await ask(token);
    const owner = readOwner(said);
    if (owner instanceof NotValid) throw new ReplicaError('INVALID_TOKEN', owner.problem ?? reasonOf(said, token));
    const { subject } = owner;
    if (rolesMakeSubject || subject.user !== undefined || subject.superuser === true) return subject;
    if (tokens !== undefined && isSuperuser(owner, rolesMakeSubject)) return { superuser: true };
    throw new ReplicaError('INVALID_TOKEN', 'it has groups and no user, which is not a subject in sidecar fidelity');
  };
}
