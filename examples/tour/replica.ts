// Decisions in process: a replica follows the platform, a permission is taken away, and the next local decision is a
// Deny.
import { createClient, credentials } from 'arango-services';
import type { Mock } from 'arango-services/mock';
import { listenGrpc } from 'arango-services/mock/node';
import { createReplica } from 'arango-services/replica';
import { everywhere } from './platform.ts';
import { say } from './print.ts';

export async function followChanges(mock: Mock, url: string): Promise<void> {
  await using server = await listenGrpc(mock);
  const admin = credentials.bearer(await mock.tokens.issue({ user: null }));
  const { authorization } = createClient({ url, credentials: admin });
  await using replica = createReplica({ address: server.address, credentials: admin });
  await replica.ready({ timeout: 10_000 });
  const { state, indexes } = replica.status;
  say(`a replica of ${server.address} is ${state}: ${JSON.stringify(indexes)}`);

  const question = { user: 'alice', action: 'orders:read', resource: 'orders' };
  say(`may alice do orders:read on orders, asked in this process? ${replica.evaluate(question).message}`);
  const started = performance.now();
  const denied = new Promise<number>((resolve) => {
    replica.on('change', () => {
      if (!replica.isAllowed(question)) resolve(performance.now() - started);
    });
  });
  await authorization.bindings.remove({ user: 'alice', role: 'viewer' });
  const tookMs = await denied;
  say(`her role is taken away: ${replica.evaluate(question).message}, ${tookMs.toFixed(1)} ms after the write began`);

  const asked = 100_000;
  const before = performance.now();
  for (let i = 0; i < asked; i++) replica.isAllowed(question);
  const each = ((performance.now() - before) * 1_000) / asked;
  say(`${asked.toLocaleString('en')} more decisions took ${each.toFixed(2)} µs each`);
  await authorization.bindings.assign({ user: 'alice', role: 'viewer', scope: everywhere });
}
