import { createClient } from 'arango-services';
import { createApp } from './app.ts';

const { ARANGO_URL = 'http://localhost:8529', PORT = '3000' } = process.env;
const client = createClient({ url: ARANGO_URL, database: 'shop', timeout: 2_000 });

// The echo service of the mock stands for billing.
await createApp(client, '_echo').listen({ port: Number(PORT) });
console.log(`orders on http://localhost:${PORT}/orders`);
