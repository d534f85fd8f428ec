import { serve } from '@hono/node-server';
import { createClient } from 'arango-services';
import { createApp } from './service.ts';

const app = createApp(createClient({ url: process.env.ARANGO_URL ?? 'http://localhost:8529', timeout: 2_000 }));
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
