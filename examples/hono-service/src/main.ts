import { serve } from '@hono/node-server';
import service from './service.ts';

const port = Number(process.env.PORT ?? 3000);
serve({ fetch: (request) => service.fetch(request, process.env), port });
console.log(`orders on http://localhost:${port}/orders`);
