import { expect, test } from 'vitest';
import { listen, listenGrpc } from '../../src/console/mock/node.ts';
import { createMock } from '../../src/mock/index.ts';
import { es256 } from '../support/calls.ts';
import { serve } from '../support/server.ts';
import { endOf, startProgram } from './programs.ts';

/** A service with an event stream, an upload, a replica and a verifier, which closes at SIGTERM. */
const program = `
import { createClient, credentials } from './src/index.ts';
import { nodeTransport } from './src/client/node/index.ts';
import { createReplica } from './src/enforce/replica/index.ts';
import { events } from './src/client/stream/index.ts';
import { createVerifier } from './src/enforce/guard/index.ts';

const { mock, address, hanging, token, callers, way } = JSON.parse(process.argv[2]);
const transport = way === 'nodeTransport' ? { transport: nodeTransport() } : {};
const own = credentials.bearer(token);
const client = createClient({ url: mock, credentials: own, ...transport });
const billing = createClient({ url: hanging, ...transport });
const replica = createReplica({ address, credentials: own });
const verify = createVerifier({ client });
await replica.ready({ timeout: 20_000 });
await verify(callers);
const ended = [];
const failed = (name) => (error) => void ended.push(name + ' ' + error.code);
async function* upload() {
  for (;;) {
    yield new Uint8Array(1_024);
    await new Promise((done) => setTimeout(done, 10));
  }
}
const route = billing.route();
const uploading = route.post('upload', upload()).catch(failed('upload'));
const resume = async () => (await route.with({ responseType: 'stream' }).get('events')).body;
const following = (async () => {
  for await (const { data } of events(undefined, { resume })) console.log(data);
})().catch(failed('events'));
process.once('SIGTERM', async () => {
  await Promise.all([client.close({ graceMs: 300 }), billing.close({ graceMs: 300 })]);
  await replica.close();
  await Promise.all([uploading, following]);
  console.log(JSON.stringify(ended.sort()));
});
`;

const cases = ['Node', 'Bun', 'Deno'].flatMap((name) => ['fetch', 'nodeTransport'].map((way) => [name, way] as const));

test.each(cases)('in %s over %s a service ends by itself at SIGTERM', async (name, way) => {
  const { privatePem } = await es256();
  await using mock = await createMock({ authentication: { keys: { active: privatePem } } });
  await using http = await listen(mock);
  await using grpc = await listenGrpc(mock);
  const hanging = await serve((wire, response) => {
    if (wire.target.endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: following\n\n');
    }
  });
  // Without a user it may do everything.
  const [token, callers] = [await mock.tokens.issue({ user: null }), await mock.tokens.issue({ user: 'alice' })];
  const place = { mock: http.url, address: grpc.address, hanging: hanging.url, token, callers, way };
  const child = await startProgram(name, program, place);
  const { status, errors, output } = await endOf(
    child,
    (text) => void (text === 'following\n' && child.kill('SIGTERM')),
  );
  expect({ status, errors, output: output.trim().split('\n') }).toEqual({
    status: 0,
    errors: '',
    output: ['following', '["events ABORTED","upload ABORTED"]'],
  });
});
