import { createClient, credentials } from 'arango-services';
import { createGuard, createVerifier } from 'arango-services/guard';
import { createEvaluator, type PolicyState } from 'arango-services/policy';
import permissions from '../permissions.json' with { type: 'json' };

/** The variables of wrangler.json and the secrets: a user whose token lets the worker read the deployment's keys. */
export interface Environment {
  readonly ARANGO_URL: string;
  readonly ARANGO_USER: string;
  readonly ARANGO_PASSWORD: string;
}

/**
 * The deployment, and a guard that asks it for nothing but the keys that verify tokens: permissions.json decides. One
 * serves all requests of the worker, so it holds the credentials of no caller. If the deployment signs with a secret
 * (HS256), `createGuard(deployment, { realm: 'orders' })` asks it for each decision instead.
 */
export function createService(environment: Environment) {
  const { ARANGO_URL: url, ARANGO_USER: username, ARANGO_PASSWORD: password } = environment;
  const deployment = createClient({ url, database: 'shop', timeout: 5_000 });
  const reader = deployment.with({ credentials: credentials.login({ username, password }) });
  // The cast: createEvaluator checks the policies itself.
  const evaluator = createEvaluator(permissions as PolicyState);
  const authenticate = createVerifier({ client: reader });
  const guard = createGuard<'orders:read' | 'orders:write'>(evaluator, { authenticate, realm: 'orders' });
  return { deployment, guard };
}
