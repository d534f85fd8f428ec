import { createClient } from 'arango-services';
import { createApp } from './app.ts';

/** The URL of the deployment: a binding of the worker, or a variable of the environment in Node. */
export interface Environment {
  readonly ARANGO_URL?: string;
}

let app: ReturnType<typeof createApp> | undefined;

/** The service as workerd takes it, and as src/main.ts serves it in Node. */
// biome-ignore lint/style/noDefaultExport: workerd imports this one
export default {
  fetch(request: Request, { ARANGO_URL: url = 'http://localhost:8529' }: Environment): Response | Promise<Response> {
    // The echo service of the mock stands for billing.
    app ??= createApp(createClient({ url, database: 'shop', timeout: 2_000 }), '_echo');
    return app.fetch(request);
  },
};
