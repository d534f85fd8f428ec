import { createClient } from 'arango-services';
import { createApp } from './app.js';

const { ARANGO_URL = 'http://localhost:8529', PORT = '3000' } = process.env;
const app = await createApp(createClient({ url: ARANGO_URL, database: 'shop', timeout: 2_000 }));
// Requests in flight are answered, new ones get a 503, then the client is closed; `useProcessExit`: 0 instead of an end
// by the signal. A container starts `node dist/src/main.js`, because npm does not hand on the signal.
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true });
await app.listen(PORT);
console.log(`orders on ${await app.getUrl()}/orders`);
