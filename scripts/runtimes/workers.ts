import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { scenarios } from '../../test/runtimes/requests.ts';
import type { Mode, Outcome } from '../../test/runtimes/run.ts';
import { scratch } from '../lib/scratch.ts';
import { kyText, withoutKy } from '../lib/without-ky.ts';
import { bundleProgram } from './bundles.ts';
import { startControl } from './control.ts';
import type { Found, Runtime } from './runtime.ts';

type Ask = (url: string) => Promise<{ ok: boolean; text(): Promise<string> }>;

/** Asks a worker for one mode. */
async function askFor(mode: Mode, ask: Ask): Promise<Outcome> {
  await using control = await startControl();
  const answer = await ask(`http://worker.test/${mode}?control=${encodeURIComponent(control.url)}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${mode}: ${text.slice(0, 1_000)}`);
  return JSON.parse(text); // The answer of entry-worker.ts.
}

/** Asks a worker for each mode. */
const askAll = async (version: string, ask: Ask): Promise<Found> => ({
  version,
  memory: await askFor('memory', ask),
  port: await askFor('port', ask),
  hosted: { 'mock.fetch': await askFor('hosted', ask) },
});

/** The error of a request. */
async function failureOf(answered: ReturnType<Ask>): Promise<string | undefined> {
  const answer = await answered;
  return answer.ok ? undefined : answer.text();
}

/** Longer than any call waits for another's. */
const patienceMs = 30_000;
const hanging = () => setTimeout(patienceMs, `no answer after ${patienceMs} ms`, { ref: false });

/** Runs the scenarios of several requests, each request by itself. */
async function askInTurn(ask: Ask): Promise<Outcome> {
  await using control = await startControl();
  const started = performance.now();
  const failed: { name: string; error: string }[] = [];
  for (const { name, steps } of scenarios) {
    for (const step of steps.keys()) {
      const query = new URLSearchParams({ name, step: String(step), control: control.url });
      const error = await Promise.race([failureOf(ask(`http://worker.test/scenario?${query}`)), hanging()]);
      if (error === undefined) continue;
      failed.push({ name: `${name}, request ${step + 1}`, error: error.slice(0, 1_000) });
      break;
    }
  }
  return { passed: scenarios.length - failed.length, failed, ms: performance.now() - started };
}

const miniflareVersion = '4.20260730.0';
const edgeVersion = '4.0.1';

/** Runs a module in Cloudflare's simulator, for as long as `use` asks it. */
export async function withMiniflare<T>(
  script: string,
  bindings: Readonly<Record<string, string>>,
  use: (dispatch: typeof fetch) => Promise<T>,
): Promise<T> {
  const folder = await scratch(`miniflare@${miniflareVersion}`);
  const { Miniflare } = await import(pathToFileURL(join(folder, 'node_modules/miniflare/dist/src/index.js')).href);
  const miniflare = new Miniflare({ modules: true, script, bindings, compatibilityDate: '2026-07-01' });
  try {
    return await use((url, init) => miniflare.dispatchFetch(url, init));
  } finally {
    await miniflare.dispose();
  }
}

/** The program for a worker, bundled under conditions. */
async function bundleWorker(kind: 'module' | 'script', consumer: string, conditions: string[]): Promise<string> {
  const code = await bundleProgram(kind, consumer, ...conditions);
  if (code.includes(kyText) === conditions.includes(withoutKy)) throw new Error('ky is in the bundle, or is not');
  return code;
}

/** Cloudflare's runtime, in its own simulator. */
const workerd = (name: string, ...conditions: string[]): Runtime => ({
  name,
  async run(consumer) {
    const script = await bundleWorker('module', consumer, conditions);
    return withMiniflare(script, {}, async (dispatch) => ({
      ...(await askAll(`miniflare ${miniflareVersion}`, dispatch)),
      requests: await askInTurn(dispatch),
    }));
  },
});

/** Vercel's runtime of middleware and edge functions. */
const edge = (name: string, ...conditions: string[]): Runtime => ({
  name,
  async run(consumer) {
    const folder = await scratch(`edge-runtime@${edgeVersion}`);
    const { EdgeRuntime } = await import(pathToFileURL(join(folder, 'node_modules/edge-runtime/dist/index.js')).href);
    const runtime = new EdgeRuntime({ initialCode: await bundleWorker('script', consumer, conditions) });
    return askAll(edgeVersion, (url) => runtime.dispatchFetch(url));
  },
});

export const workers: readonly Runtime[] = [
  workerd('workerd'),
  workerd('workerd, without ky', withoutKy),
  edge('edge-runtime'),
  edge('edge-runtime, without ky', withoutKy),
];
