import { createClient } from 'arango-services';
import { createApp } from './app.ts';

// The echo service of the mock stands for billing.
const { ARANGO_URL = 'http://localhost:8529', BILLING = '_echo', PORT = '3000' } = process.env;
const client = createClient({ url: ARANGO_URL, database: 'shop', timeout: 2_000 });

createApp(client, BILLING).listen(Number(PORT), () => console.log(`orders on http://localhost:${PORT}/orders`));
