// Drives the console's page in Chromium, Firefox and WebKitGTK. A missing browser causes a warning, and a failure in CI.
// Pictures and figures stay in reports/console.
import { runInBrowsers } from './lib/run-in-browsers.ts';

runInBrowsers('console', 'THE CONSOLE WAS');
