import { createMock } from 'arango-services/mock';
import { caller, type Way } from '../support/behaviour/check.ts';
import { checks } from '../support/mock-behaviour.ts';
import { inMemory, onPort, type Platform } from './platform.ts';
import { smoke } from './smoke/index.ts';

/** The findings of a run. */
export interface Outcome {
  readonly passed: number;
  readonly failed: readonly { readonly name: string; readonly error: string }[];
  readonly ms: number;
}

/** A way to a mock that a runtime hosts. */
export type Host = (mock: Way['mock']) => Promise<Pick<Way, 'call'> & { close(): Promise<void> }>;

const patienceMs = 20_000;

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error);
}

export async function runAll(jobs: readonly { readonly name: string; run(): unknown }[]): Promise<Outcome> {
  const started = Date.now();
  const failed: { name: string; error: string }[] = [];
  for (const { name, run } of jobs) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${patienceMs} ms`)), patienceMs);
    });
    try {
      await Promise.race([run(), late]);
    } catch (error) {
      failed.push({ name, error: describe(error).slice(0, 1_500) });
    }
    clearTimeout(timer);
  }
  return { passed: jobs.length - failed.length, failed, ms: Date.now() - started };
}

/** The smoke program against one deployment, each check from its initial state. */
async function runSmoke(platform: Platform): Promise<Outcome> {
  const mine = smoke.filter(({ only }) => only === undefined || only === platform.kind);
  return runAll(
    mine.map(({ name, run }) => ({
      name,
      async run() {
        await platform.restore();
        await run(platform);
      },
    })),
  );
}

/** The mock's behaviour suite, with mocks of this program. */
export function runHosted(host: Host): Promise<Outcome> {
  return runAll(
    checks.map(({ name, config, run }) => ({
      name,
      async run() {
        const mock = await createMock(config);
        const { call, close } = await host(mock);
        try {
          await run({ mock, call });
        } finally {
          await close();
        }
      },
    })),
  );
}

/** The modes; `hosted` calls `mock.fetch`. */
export type Mode = 'memory' | 'port' | 'hosted';

/** Runs one mode. `controlUrl` is the control server of the mode `port`. */
export async function run(mode: Mode, controlUrl: string): Promise<Outcome> {
  if (mode === 'memory') return runSmoke(await inMemory());
  if (mode === 'port') return runSmoke(await onPort(controlUrl));
  return runHosted(async (mock) => ({
    call: caller(mock.connection.url, mock.fetch as typeof fetch), // The cast: it accepts the arguments of fetch.
    close: async () => {},
  }));
}
