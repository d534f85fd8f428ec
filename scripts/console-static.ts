// Builds the playground into reports/playground: the console's page with a mock in the tab. Any web server can serve the
// folder, over https or on localhost.
import { buildPage } from './lib/console-page.ts';

await buildPage('src/tools/playground/main.tsx', 'reports/playground');
