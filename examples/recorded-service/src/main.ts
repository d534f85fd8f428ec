import { serve } from '@hono/node-server';
import { createService } from './service.ts';

const { PORT = '3000' } = process.env;
serve({ fetch: createService().fetch, port: Number(PORT) });
console.log(`files on http://localhost:${PORT}/files`);
