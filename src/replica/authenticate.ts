import { InvalidArgumentError } from '../errors.js';
import { readArgument, readToken } from '../lib/readers.js';
import type { AuthorizationRules } from '../policy/authorization-type.js';
import type { EvaluatorSubject } from '../policy/index.js';
import type { Validation } from '../services/authentication/messages.js';
import { ReplicaError } from './error.js';
import type { TokenChecks } from './options.js';

async function validate(token: string, { client, keys, secret }: TokenChecks): Promise<Validation> {
  if (client !== undefined) return client.authentication.validate(token);
  const { verifyToken } = await import('../token/verify.js');
  return keys === undefined ? verifyToken(token, { secret }) : verifyToken(token, { keys });
}

/** Makes a subject of a token. A token without a user is the superuser's, in documented fidelity only where it has no groups. */
export async function authenticate(
  token: unknown,
  checks: TokenChecks | undefined,
  { rolesMakeSubject }: AuthorizationRules,
): Promise<EvaluatorSubject> {
  const text = readArgument(token, 'token', readToken);
  if (checks === undefined) {
    throw new InvalidArgumentError(
      'tokens',
      'is missing; give createReplica one of { client }, { keys } and { secret }',
    );
  }
  const verdict = await validate(text, checks);
  if (!verdict.valid) throw new ReplicaError('INVALID_TOKEN', verdict.reason);
  const { user, groups } = verdict;
  if (user !== undefined) return { user, roles: groups };
  return rolesMakeSubject && groups.length > 0 ? { roles: groups } : { superuser: true };
}
