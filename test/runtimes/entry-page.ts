// The program for a browser page: runs every mode, and reports to the control server that served the page.
import { type Mode, type Outcome, run } from './run.ts';

const outcomes: Partial<Record<Mode, Outcome>> = {};
let failure: string | undefined;
try {
  for (const mode of ['memory', 'port', 'hosted'] as const) outcomes[mode] = await run(mode, location.origin);
} catch (error) {
  failure = String(error);
}
const report = { agent: navigator.userAgent, outcomes, failure };
await fetch('/control/report', { method: 'POST', body: JSON.stringify(report) });
