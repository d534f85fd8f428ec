// The platform on this machine, for `npm start` in another terminal.
import { writeFile } from 'node:fs/promises';
import { listen, listenGrpc } from 'arango-services/mock/node';
import { addBilling, addDatabase, createPlatform } from './platform.ts';

const mock = await createPlatform();
addDatabase(mock);
const billing = addBilling(mock);
const server = await listen(mock, { port: 8529, console: true });
const grpc = await listenGrpc(mock, { port: 9201 });

await writeFile('platform.token', await mock.tokens.issue({ user: 'orders-service' }));
const variables = { ...(await server.env()), ...grpc.env(), ARANGO_TOKEN: 'platform.token' };
const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
await writeFile('platform.env', lines.join(''));
console.log(`Its requests and decisions: ${server.console?.url}`);
console.log('Next, in another terminal: npm start. Then, as alice:');
console.log(`curl -H "Authorization: Bearer ${await mock.tokens.issue({ user: 'alice' })}" localhost:3000/orders/1`);
// Order 2 is paid after half a minute.
setTimeout(() => billing.pay('2'), 30_000);
