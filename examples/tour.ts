// A tour of the main job: typed requests over a real port to a running platform, which is the bundled mock.
// `npm start` builds the package and runs this file; it imports the package as an application does.
import { createClient, credentials } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import * as z from 'zod/mini';
import { decisions } from './tour/decisions.ts';
import { guarded } from './tour/guard.ts';
import { ordersService, platform } from './tour/platform.ts';
import { chapter, failure, say, show } from './tour/print.ts';
import { followChanges } from './tour/replica.ts';

await using mock = await createMock(platform);
mock.route('*', '/_db/:db/orders/*', ordersService());
await using server = await listen(mock);
say(`A platform is running on ${server.url} (the mock of arango-services, on a real port).`);

chapter('A route sends any request to a service behind the database');
const alice = createClient({ url: server.url, database: 'shop', credentials: credentials.basic('alice', 'pw') });
const orders = alice.route('orders', { 'x-tenant': 'acme' });
await show('a query: orders.get("open", { limit: 2 })', () => orders.get('open', { limit: 2 }));
await show('a body: orders.post({ id: "o-3", total: 7.5 })', () => orders.post({ id: 'o-3', total: 7.5 }));
await show('a nested route with a header of its own', () =>
  orders.route('archive', { 'x-year': '2024' }).get('résumé 1'),
);

chapter('A schema types the body and checks it');
z.config(z.locales.en()); // zod/mini comes without words for its messages
const Order = z.object({ id: z.string(), total: z.number() });
const typed = orders.with({ schema: z.array(Order) });
const { body: open } = await typed.get('open');
say(
  `the sum of all open orders is ${open.reduce((sum, order) => sum + order.total, 0)} (order.total is a number for the compiler, too)`,
);
await failure('a body of another shape', typed.get('archive/1'));

chapter('Tokens and decisions come from the integration services');
await decisions(server.url);

chapter('A service guards itself with what the services decide');
await guarded(createClient({ url: server.url, database: 'shop' }));

chapter('Decisions in process, from a copy that follows every change');
await followChanges(mock, server.url);

chapter('What goes wrong has one type a failure, and no secret in it');
await failure('a deadline of 50 ms for the whole call', orders.with({ timeout: 50 }).get('slow'));
await failure('a path that leaves the route is not sent', orders.get('../../_system/secrets'));
await failure('an HTTP error', orders.get('nothing/here'));
await failure('no credentials', createClient({ url: server.url, database: 'shop' }).route('orders').get('open'));
