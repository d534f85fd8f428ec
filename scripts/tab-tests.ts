// Runs sessions in tabs, views and uploads in Chromium, Firefox and WebKitGTK (test/{client/session,client/stream}/drive). A missing
// browser causes a warning, and a failure in CI. ROUNDS is the number of rounds of each kind, default 30.
import { runInBrowsers } from './lib/run-in-browsers.ts';

runInBrowsers('tabs', 'TABS WERE');
