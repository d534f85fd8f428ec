// The program for Node, Bun and Deno: `<mode> <control URL>`; prints what it found as one line of JSON.
import { listen } from 'arango-services/mock/node';
import { caller } from '../support/behaviour/check.ts';
import { type Mode, run, runHosted } from './run.ts';

const [mode = '', controlUrl = ''] = process.argv.slice(2);

const outcome =
  mode === 'hosted-port'
    ? await runHosted(async (mock) => {
        const server = await listen(mock);
        return { call: caller(server.url, fetch), close: server.close };
      })
    : await run(mode as Mode, controlUrl); // One of the modes: scripts/check-runtimes.ts starts it.
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit());
