// Another process with a replica and a guard of the built package, for write-then-check.ts.
import { createGuard } from '../../../../dist/guard/index.js';
import { credentials } from '../../../../dist/index.js';
import { createReplica } from '../../../../dist/replica/index.js';

const [address, token] = process.argv.slice(2);
const replica = createReplica({
  address,
  credentials: credentials.bearer(token),
  authenticate: async (user) => ({ user }),
});
await replica.ready({ timeout: 50_000 });
process.on('message', async ({ way, user, item, revision, timeout }) => {
  const headers = { authorization: `Bearer ${user}` };
  if (way === 'reached') {
    const answer = await replica.reached(revision, { timeout }).then(
      () => ({ allowed: replica.isAllowed({ user, ...item }) }),
      ({ code, reason }) => ({ failure: reason ?? code }),
    );
    process.send(answer);
    return;
  }
  const guard = createGuard(replica, { timeout, revisionHeader: 'x-revision' });
  const access = await (way === 'header'
    ? guard.check({ headers: { ...headers, 'x-revision': revision } }, item)
    : guard.check({ headers }, { ...item, atLeast: revision }));
  const { status, cause } = access;
  process.send(status === 503 ? { failure: cause?.reason ?? cause?.code } : { allowed: access.allowed });
});
process.once('disconnect', () => process.exit());
process.send('ready');
