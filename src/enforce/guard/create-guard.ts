import { InvalidArgumentError } from '../../base/errors.js';
import type { Guard } from './guard.js';
import { type GuardOptions, readOptions } from './guard-options.js';
import { cannotReach, type GuardSource, readSource } from './source.js';
import { SourceGuard } from './source-guard.js';

/**
 * Creates a guard for a service: it reads the bearer token of a request, checks the permission of the token's owner,
 * and has the right status for each outcome.
 * @param source a client, whose services decide (POST evaluate-token, evaluate-token-many, validate), or a `Decider`
 * (an evaluator, a replica) with `authenticate`, which identifies the owner of a token
 * @param options see {@link GuardOptions}
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option, or `source` for a decider that cannot
 * identify the owners of tokens.
 * @example Actions that are declared once cannot be misspelt
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createGuard } from 'arango-services/guard';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * export const guard = createGuard<'orders:read' | 'orders:write'>(client, { realm: 'orders', cache: { ttl: '5s' } });
 * ```
 * @example In-process decisions
 * ```ts
 * import { createGuard, createVerifier } from 'arango-services/guard';
 * import { createEvaluator } from 'arango-services/policy';
 *
 * const authenticate = createVerifier({ secret: 'the secret of the deployment' });
 * export const guard = createGuard(createEvaluator(), { authenticate });
 * ```
 */
export function createGuard<Action extends string = string, Resource extends string = string>(
  source: GuardSource,
  options: GuardOptions = {},
): Guard<Action, Resource> {
  const settings = readOptions(options);
  const guardSource = readSource(source, settings.authenticate, settings.emits);
  if (guardSource === undefined) {
    throw new InvalidArgumentError(
      'source',
      'expected a client of createClient, a replica with tokens or authenticate, ' +
        'or a Decider (evaluate, evaluateMany) with the option authenticate: (token) => its owner',
    );
  }
  if (settings.revisionHeader !== undefined && !guardSource.reached) throw cannotReach('revisionHeader');
  return new SourceGuard(guardSource, settings);
}
