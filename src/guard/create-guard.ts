import { InvalidArgumentError } from '../errors.js';
import type { Guard } from './guard.js';
import { type GuardOptions, readOptions } from './options.js';
import { type GuardSource, readSource } from './source.js';
import { SourceGuard } from './source-guard.js';

/**
 * Guards a service: reads the bearer token of a request and has its owner's permission decided, with the right status
 * for each outcome.
 * @param source a client, whose services decide (POST evaluate-token, evaluate-token-many, validate), or a `Decider`
 * (an evaluator, a replica) with `authenticate`, which says whom a token belongs to
 * @param options see {@link GuardOptions}
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option, or `source` for a decider without a way to
 * know whom tokens belong to.
 * @example Actions that are declared once cannot be misspelt
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createGuard } from 'arango-services/guard';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * export const guard = createGuard<'orders:read' | 'orders:write'>(client, { realm: 'orders', cache: { ttl: '5s' } });
 * ```
 * @example Decisions in the process
 * ```ts
 * import { createGuard } from 'arango-services/guard';
 * import { createEvaluator } from 'arango-services/policy';
 * import { createVerifier } from 'arango-services/token';
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
  const found = readSource(source, settings.authenticate);
  if (found === undefined) {
    throw new InvalidArgumentError(
      'source',
      'expected a client, or a Decider (evaluate, evaluateMany) with the option ' +
        'authenticate: (token) => a promise of its owner; a replica also knows by its own tokens or authenticate',
    );
  }
  return new SourceGuard(found, settings);
}
