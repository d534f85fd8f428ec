// The clients of the integration services: tokens, decisions, and the management of who may do what.
import { createClient, credentials } from 'arango-services';
import { createEvaluator, explain, formatExplanation } from 'arango-services/policy';
import { platform } from './platform.ts';
import { failure, say } from './print.ts';

export async function decisions(url: string): Promise<void> {
  // Its token is made with the first call and renewed by itself.
  const service = createClient({ url, credentials: credentials.minted({ user: 'alice', lifetime: '10m' }) });
  const { authentication, authorization } = service;
  await service.route('_echo').get();
  say(`minted credentials: the route call went as ${(await authentication.identity()).user}`);

  const { token, lifetimeMs, groups } = await authentication.createToken({
    user: 'bob',
    lifetime: '5m',
    groups: ['g'],
  });
  const validation = await authentication.validate(token);
  say(`createToken: ${lifetimeMs} ms for bob in [${groups}]; validate says valid: ${validation.valid}`);

  // The policy engine explains what the service decides.
  const evaluator = createEvaluator(platform);
  for (const resource of ['orders', 'orders:secret']) {
    const question = { user: 'alice', action: 'orders:read', resource };
    const { effect, message } = await authorization.evaluate(question);
    say(`may alice do orders:read on ${resource}? ${effect}: ${message}`);
    for (const line of formatExplanation(explain(evaluator, question)).split('\n')) say(`    ${line}`);
  }
  await failure(
    'assertAllowed, for the token of bob',
    authorization.assertAllowed({ token, action: 'orders:read', resource: 'orders' }),
  );
  await failure('alice may not change policies', authorization.policies.delete('no-secrets'));
  await failure(
    'a user that is empty is refused here',
    authorization.isAllowed({ user: '', action: 'a:b', resource: '' }),
  );
  await failure('a wrong password', authentication.login({ username: 'alice', password: 'guess' }));
}
