import { createClient } from 'arango-services';
import { createApp } from './app.ts';

/** The URL of the deployment, and the name of billing: bindings of the worker, or variables of the environment in Node. */
export interface Environment {
  readonly ARANGO_URL?: string;
  readonly BILLING?: string;
}

let app: ReturnType<typeof createApp> | undefined;

/** The service as workerd takes it, and as src/main.ts serves it in Node. */
// biome-ignore lint/style/noDefaultExport: workerd imports this one
export default {
  fetch(request: Request, environment: Environment): Response | Promise<Response> {
    // The echo service of the mock stands for billing.
    const { ARANGO_URL: url = 'http://localhost:8529', BILLING = '_echo' } = environment;
    app ??= createApp(createClient({ url, database: 'shop', timeout: 2_000 }), BILLING);
    return app.fetch(request);
  },
};
