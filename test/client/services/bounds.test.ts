import { expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { type Responder, serve } from '../../support/server.ts';

/** A valid start, and white space without an end. */
const endless: Responder = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const space = Buffer.alloc(65_536, ' ');
  let sent = 0;
  const more = (): void => {
    while (!response.destroyed && sent < 64 * 1_048_576) {
      sent += space.length;
      if (!response.write(space)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
};

const calls: readonly (readonly [name: string, call: (client: ReturnType<typeof createClient>) => Promise<unknown>])[] =
  [
    ['login', ({ authentication }) => authentication.login({ username: 'root', password: 'pw' })],
    ['identity', ({ authentication }) => authentication.identity()],
    ['createToken', ({ authentication }) => authentication.createToken({ user: 'alice' })],
    ['validate', ({ authentication }) => authentication.validate('x.y.z')],
    ['keys', ({ authentication }) => authentication.keys()],
    ['a policy', ({ authorization }) => authorization.policies.get('p')],
    ['a role', ({ authorization }) => authorization.roles.get('r')],
    ['bindings', ({ authorization }) => authorization.bindings.list('alice')],
    ['policies', ({ authorization }) => authorization.policies.list().next()],
    ['a decision', ({ authorization }) => authorization.isAllowed({ user: 'a', action: 'a:b', resource: 'c' })],
  ];

test.each(calls)('%s reads at most 1 MiB of an answer', async (_, call) => {
  const { url } = await serve(endless);
  const client = createClient({ url, credentials: credentials.bearer('token'), retry: 0 });
  const before = process.memoryUsage().arrayBuffers;
  const failure = await failureOf(call(client));
  expect(['PARSE', 'SCHEMA']).toContain(failure.code);
  expect(failure.message).toMatch(/1048576 bytes/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1_048_576);
});
