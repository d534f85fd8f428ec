// The program for Node, Bun and Deno: `<mode> <control URL>`, or `job <place as JSON>`; prints its findings as one
// line of JSON.
import { listen } from 'arango-services/mock/node';
import { caller } from '../support/behaviour/check.ts';
import { type Mode, type Outcome, run, runAll, runHosted } from './run.ts';

const [mode = '', controlUrl = ''] = process.argv.slice(2);

/** Imported dynamically: if a subpath cannot be imported, the rest of the program still runs. */
async function runJob(place: string): Promise<Outcome> {
  const { jobOf } = await import('./job.ts');
  return runAll(jobOf(JSON.parse(place)));
}

const outcome = await (mode === 'job'
  ? runJob(controlUrl)
  : mode === 'hosted-port'
    ? runHosted(async (mock) => {
        const server = await listen(mock);
        return { call: caller(server.url, fetch), close: server.close };
      })
    : run(mode as Mode, controlUrl)); // One of the modes: scripts/check-runtimes.ts starts it.
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit());
