// Builds the console's page into dist/console/page: one script, the script of the worker that reads logs, one style
// sheet, the icon, and the licences of what the scripts hold. Nothing is inline, so that the page needs no `unsafe-*` in its Content-Security-Policy.
import { buildPage } from './lib/console-page.ts';

await buildPage('src/console/page/main.tsx', 'dist/console/page');
