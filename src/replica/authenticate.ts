import { InvalidArgumentError } from '../errors.js';
import { readArgument, readToken } from '../lib/readers.js';
import type { AuthorizationRules } from '../policy/authorization-type.js';
import type { EvaluatorSubject } from '../policy/index.js';
import type { Validation } from '../services/authentication/messages.js';
import { createVerifier, type VerifierKeys } from '../token/verify.js';
import { ReplicaError } from './error.js';
import type { TokenChecks } from './options.js';

/** Makes subjects of tokens. */
export type MakeSubject = (token: string) => Promise<EvaluatorSubject>;

/** What says whether a token is valid. */
function readChecks(checks: TokenChecks | undefined): (token: string) => Promise<Validation> {
  if (checks === undefined) {
    return () => {
      const missing = 'is missing; give createReplica one of { client }, { keys } and { secret }';
      throw new InvalidArgumentError('tokens', missing);
    };
  }
  const { client, ...given } = checks;
  // The cast: without a client it has keys or a secret.
  return client === undefined
    ? createVerifier(given as VerifierKeys)
    : (token) => client.authentication.validate(token);
}

/**
 * What makes subjects of tokens. A token without a user is the superuser's, in documented fidelity only where it has no
 * groups.
 * @throws InvalidArgumentError for keys of another shape.
 */
export function readAuthenticate(
  checks: TokenChecks | undefined,
  { rolesMakeSubject }: AuthorizationRules,
): MakeSubject {
  const validate = readChecks(checks);
  return async (token) => {
    const verdict = await validate(readArgument(token, 'token', readToken));
    if (!verdict.valid) throw new ReplicaError('INVALID_TOKEN', verdict.reason);
    const { user, groups } = verdict;
    if (user !== undefined) return { user, roles: groups };
    return rolesMakeSubject && groups.length > 0 ? { roles: groups } : { superuser: true };
  };
}
