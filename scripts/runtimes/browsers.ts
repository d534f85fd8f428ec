import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mode, Outcome } from '../../test/runtimes/run.ts';
import { findProgram } from '../lib/find-program.ts';
import { bundleProgram } from './bundles.ts';
import { startControl } from './control.ts';
import type { Runtime } from './runtime.ts';

// A browser is only started on a page: the page runs the program and reports to the server that it came from.

interface Report {
  readonly agent: string;
  readonly outcomes: Readonly<Record<Mode, Outcome>>;
  readonly failure?: string;
}

const patienceMs = 240_000;

/** Starts a program in a process group of its own, so that its helpers end with it. */
export function startProgram(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(file, args, { detached: true, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
}

export function endProgram({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function whileRunning<T>(child: ChildProcess, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no report after ${patienceMs / 1000} s`)), patienceMs);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the browser ended with code ${code} before its report`)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    endProgram(child);
  }
}

type Launch = (url: string, profile: string) => Promise<ChildProcess>;

function browser(name: string, debian: string, needs: () => (string | undefined)[], launch: Launch): Runtime {
  return {
    name,
    missing: () => (needs().includes(undefined) ? `apt-get install ${debian}` : undefined),
    async run(consumer) {
      await using control = await startControl(await bundleProgram('page', consumer));
      const profile = await mkdtemp(join(tmpdir(), 'arango-services-browser-'));
      try {
        // The cast: what entry-page.ts reports.
        const report = (await whileRunning(await launch(`${control.url}/`, profile), control.report)) as Report;
        if (report.failure !== undefined) throw new Error(report.failure);
        const { memory, port, hosted } = report.outcomes;
        const version = /(?:Chrome|Firefox|Version)\/([\d.]+)/.exec(report.agent)?.[1] ?? report.agent;
        return { version, memory, port, hosted: { 'mock.fetch': hosted } };
      } finally {
        await rm(profile, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}

const chromium = () => process.env.CHROME_PATH ?? findProgram('chromium');
export const firefox = () => findProgram('firefox-esr', 'firefox');
export const miniBrowser = () => globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').sort().at(-1);
export const xvfb = () => findProgram('Xvfb');

const chromiumFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
];
export const webkitSettings = {
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  WEBKIT_DISABLE_DMABUF_RENDERER: '1',
  // Its sandbox does not start for root.
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  LIBGL_ALWAYS_SOFTWARE: '1',
  GDK_BACKEND: 'x11',
  NO_AT_BRIDGE: '1',
};

/** Starts a screen of its own for a browser that needs one, and ends it with the browser. */
export async function startOnScreen(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ChildProcess> {
  const screen = startProgram(xvfb() ?? 'Xvfb', [
    '-displayfd',
    '1',
    '-screen',
    '0',
    '1400x1000x24',
    '-nolisten',
    'tcp',
  ]);
  // The cast: it was started with a pipe.
  const [display] = await once(screen.stdout as NodeJS.ReadableStream, 'data');
  const child = startProgram(file, args, { ...env, DISPLAY: `:${String(display).trim()}` });
  child.once('exit', () => endProgram(screen));
  return child;
}

export const browsers: readonly Runtime[] = [
  browser(
    'Chromium',
    'chromium',
    () => [chromium()],
    async (url, profile) => startProgram(chromium() ?? '', [...chromiumFlags, `--user-data-dir=${profile}`, url]),
  ),
  browser(
    'Firefox ESR',
    'firefox-esr',
    () => [firefox()],
    async (url, profile) => startProgram(firefox() ?? '', ['--headless', '--no-remote', '--profile', profile, url]),
  ),
  browser(
    'WebKitGTK',
    'webkit2gtk-driver xvfb',
    () => [miniBrowser(), xvfb()],
    (url, profile) => startOnScreen(miniBrowser() ?? '', ['--private', url], { ...webkitSettings, HOME: profile }),
  ),
];
