import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../../../scripts/lib/exec.ts';
import { listen, playback } from '../../../../src/console/mock/node.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { type RecordedExchange, readRecording } from '../../../../src/mock/recordings/recording-format.ts';
import { isThorough } from '../../../support/thorough.ts';
import { Running } from '../support/process.ts';
import { makeFolder, readFiles } from './support.ts';

/** The examples whose tests ask a service of theirs. */
const projects = ['hono-service', 'express-service', 'fastify-service', 'contract', 'recorded-service'] as const;
type Project = (typeof projects)[number];

const recorderFlags: Partial<Record<Project, readonly string[]>> = {
  contract: ['--document', join(root, 'examples/contract/openapi.json')],
  'recorded-service': ['--keep-bytes', 'application/octet-stream'],
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Copies the examples to a folder with the packages that they import. */
async function copyExamples(): Promise<string> {
  const folder = await makeFolder();
  for (const name of [...projects, 'shared'])
    await cp(join(root, 'examples', name), join(folder, name), { recursive: true });
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  for (const name of ['hono', '@hono', 'express', 'fastify', 'vitest', '@cfworker'])
    await symlink(join(root, 'node_modules', name), join(modules, name));
  await symlink(root, join(modules, 'arango-services'));
  return folder;
}

const atPort = (port: number): string => `http://127.0.0.1:${port}`;

/** Starts the service of an example as its package.json does. */
async function startService(folder: string, platform: string): Promise<{ url: string; child: ChildProcess }> {
  const url = atPort(await freePort());
  const env = { PORT: new URL(url).port, ARANGO_URL: platform, BILLING: 'billing' };
  const service = new Running(process.execPath, ['src/main.ts'], folder, env);
  const isUp = async () => {
    if (service.child.exitCode !== null) throw new Error(`${folder} ended: ${service.err}`);
    return fetch(`${url}/health-of-nothing`).then(
      () => true,
      () => false,
    );
  };
  await expect.poll(isUp, { timeout: 60_000, interval: 100 }).toBe(true);
  return { url, child: service.child };
}

/** Starts `arango-services record` in front of a service. */
async function startRecorder(url: string, folder: string, more: readonly string[]) {
  const args = [join(root, 'dist/command/index.js'), 'record', '--url', url, '--out', folder, '--port', '0', ...more];
  const recorder = new Running(process.execPath, args, root, {});
  const [proxy = ''] = await recorder.printed(/http:\/\/127\.0\.0\.1:\d+/);
  return {
    url: proxy,
    stop() {
      recorder.child.kill('SIGINT');
      return recorder.ended();
    },
  };
}

/** The report of vitest, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly failureMessages: readonly string[] }[];
  }[];
}

/** Runs the test suites of the examples as they are, each with its own environment. */
async function runSuites(folder: string, environments: Readonly<Record<Project, Record<string, string>>>) {
  // Another suite of `contract` has a recording of its own.
  const exclude = ['**/recorded.test.ts'];
  const list = projects.map((name) => ({ test: { name, root: join(folder, name), env: environments[name], exclude } }));
  const file = join(folder, 'vitest.config.mjs');
  await writeFile(file, `export default { test: { testTimeout: 60000, projects: ${JSON.stringify(list)} } };\n`);
  const output = join(folder, 'report.json');
  const args = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    file,
    '--reporter',
    'json',
    '--outputFile',
    output,
  ];
  const { PATH = '' } = process.env;
  const { code, err } = await new Running(process.execPath, args, folder, { PATH }).ended();
  if (code !== 0 && code !== 1) throw new Error(err);
  const report = JSON.parse(await readFile(output, 'utf8')) as Report;
  const failed = report.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${name}: ${message}`] : []),
    ...assertionResults.flatMap((one) => one.failureMessages.map((text) => `${one.fullName}: ${text}`)),
  ]);
  return { code, failed, passed: report.numPassedTests, pending: report.numPendingTests };
}

/** The kinds of bodies of an exchange. */
function kindsOf({ request, response }: RecordedExchange): string[] {
  const type = String(new Map(Object.entries(response.headers)).get('content-type') ?? '');
  return [
    ...(request.parts === undefined ? [] : ['upload']),
    // They are compared by their digest.
    ...(request.bytes === undefined ? [] : ['bytes sent']),
    ...(response.base64 === undefined ? [] : ['bytes']),
    ...(response.chunks === undefined ? [] : [type.split(';')[0] ?? '']),
    String(response.status),
  ];
}

test.runIf(isThorough)(
  'the tests of the examples pass without the services when their recordings are played back',
  {
    timeout: 300_000,
  },
  async () => {
    const copies = await copyExamples();
    const platforms: Partial<Record<Project, string>> = {};
    const folders: Partial<Record<Project, string>> = {};
    const services: ChildProcess[] = [];
    const recorders: Awaited<ReturnType<typeof startRecorder>>[] = [];
    const urls: Partial<Record<Project, string>> = {};
    for (const name of projects) {
      const platform = await freePort();
      const { url, child } = await startService(join(copies, name), atPort(platform));
      const folder = await makeFolder();
      const recorder = await startRecorder(url, folder, recorderFlags[name] ?? []);
      services.push(child);
      recorders.push(recorder);
      urls[name] = recorder.url;
      folders[name] = folder;
      platforms[name] = String(platform);
    }
    const urlOf = (name: Project): string => (name === 'recorded-service' ? 'FILES_URL' : 'ORDERS_URL');
    const running = projects.map((name) => [name, { [urlOf(name)]: urls[name], PLATFORM_PORT: platforms[name] }]);
    const recorded = await runSuites(copies, Object.fromEntries(running));
    expect(recorded).toMatchObject({ code: 0, failed: [], pending: 0 });
    const isComplete = { code: 0, err: expect.not.stringContaining('is not kept') };
    for (const recorder of recorders) expect(await recorder.stop()).toMatchObject(isComplete);
    for (const child of services) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }

    const exchanges: RecordedExchange[] = [];
    for (const name of projects)
      for (const [file, text] of Object.entries(await readFiles(folders[name] ?? ''))) {
        expect(text).not.toContain('eyJ');
        exchanges.push(readRecording(text, file));
      }
    expect(exchanges.length).toBeGreaterThanOrEqual(200);
    const kinds = new Set(exchanges.flatMap(kindsOf));
    const wanted = ['upload', 'bytes sent', 'bytes', 'text/event-stream', 'application/x-ndjson'];
    const statuses = ['200', '201', '204', '401', '403', '404', '502', '503'];
    expect([...wanted, ...statuses].filter((kind) => !kinds.has(kind))).toEqual([]);

    const mock = await createMock();
    onTestFinished(() => mock[Symbol.asyncDispose]());
    const { url } = await listen(mock);
    const played = [];
    const offline: [string, Record<string, string>][] = [];
    for (const name of projects) {
      const folder = folders[name] ?? '';
      if (name === 'recorded-service') offline.push([name, { FILES_RECORDINGS: folder }]);
      else {
        mock.service(name, {}, { authentication: 'optional' });
        played.push(await playback(mock, name, folder, { order: 'recorded' }));
        offline.push([name, { ORDERS_URL: `${url}/_service/uds/_db/shop/${name}` }]);
      }
    }
    const again = await runSuites(copies, Object.fromEntries(offline) as Record<Project, Record<string, string>>);
    for (const one of played) one.check();
    expect(again).toMatchObject({ code: 0, failed: [], pending: 0, passed: recorded.passed });
    expect(played.flatMap(({ unplayed }) => unplayed)).toEqual([]);
  },
);

test.runIf(isThorough)(
  'the suite of an example passes with what its service answered, when the service is gone',
  {
    timeout: 300_000,
  },
  async () => {
    const copies = await copyExamples();
    const folder = join(copies, 'contract');
    await rm(join(folder, 'recordings'), { recursive: true });
    const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      new Running(process.execPath, args, folder, { PATH: process.env.PATH ?? '', ...env });
    const command = (...args: string[]) => run([join(root, 'dist/command/index.js'), ...args]);
    const suite = async (env?: Readonly<Record<string, string>>) => {
      const vitest = join(root, 'node_modules/vitest/vitest.mjs');
      const { code, out, err } = await run([vitest, 'run', 'test/recorded.test.ts'], env).ended();
      return { code, output: out + err };
    };
    const addressOf = async (running: Running) => (await running.printed(/http:\/\/127\.0\.0\.1:\d+/))[0];

    const platform = await addressOf(command('mock', '--port', '0', '--seed', 'seed.json'));
    const { url, child } = await startService(folder, platform);
    const recorder = command(
      'record',
      '--url',
      url,
      '--out',
      'recordings',
      '--document',
      'openapi.json',
      '--port',
      '0',
    );
    const recorded = await suite({ ORDERS_URL: await addressOf(recorder) });
    expect(recorded, recorded.output).toMatchObject({ code: 0 });
    recorder.child.kill('SIGINT');
    expect(await recorder.ended()).toMatchObject({ code: 0, out: expect.stringContaining('4 new, 0 changed') });
    // The recordings of the example are those that its README makes.
    expect(await readFiles(join(folder, 'recordings'))).toEqual(
      await readFiles(join(root, 'examples/contract/recordings')),
    );

    child.kill();
    await once(child, 'close');
    const played = await suite();
    expect(played, played.output).toMatchObject({ code: 0 });
    await writeFile(join(folder, 'recordings', '0001-get-orders-id.json'), '{}');
    expect(await suite()).toMatchObject({ code: 1, output: expect.stringContaining('0001-get-orders-id.json') });
  },
);
