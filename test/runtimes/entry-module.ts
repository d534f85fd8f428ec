// The program as workerd takes it: a module whose default export answers requests.
import { answer } from './worker.ts';

const worker = { fetch: answer };

// biome-ignore lint/style/noDefaultExport: workerd looks for the default export.
export { worker as default };
