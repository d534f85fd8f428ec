// The program for workerd: a module whose default export handles requests.
import { answer } from './worker.ts';

const worker = { fetch: answer };

// biome-ignore lint/style/noDefaultExport: workerd requires the default export.
export { worker as default };
