// Runs the initial calls of database drivers in other languages against the mock on a port. A missing language causes a
// warning, and a failure in CI. Exits with 1 if a driver fails.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { exec, root } from './lib/exec.ts';
import { reportNotTried } from './lib/not-tried.ts';

const sources = join(root, 'test/deep/drivers');

type Step = readonly [program: string, ...args: string[]];

interface Driver {
  readonly name: string;
  /** The folder of its program, under test/deep/drivers. */
  readonly folder: string;
  /** A command that succeeds if the language is installed. */
  readonly probe: Step;
  /** Installs and runs it, in a separate folder. */
  steps(url: string): readonly Step[];
}

const drivers: readonly Driver[] = [
  {
    name: 'python-arango 8.3.7',
    folder: 'python',
    probe: ['python3', '-m', 'venv', '--help'],
    steps: (url) => [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '--quiet', 'python-arango==8.3.7'],
      ['venv/bin/python', 'driver.py', url],
    ],
  },
  {
    name: 'go-driver 2.4.1',
    folder: 'go',
    probe: ['go', 'version'],
    steps: (url) => [
      ['go', 'mod', 'init', 'drivers'],
      ['go', 'get', 'github.com/arangodb/go-driver/v2@v2.4.1'],
      ['go', 'mod', 'tidy'],
      ['go', 'run', '.', url],
    ],
  },
  {
    name: 'arangodb-java-driver 7.26.0',
    folder: 'java',
    probe: ['mvn', '--version'],
    steps: (url) => [
      ['mvn', '--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
      ['java', '-cp', 'lib/*', 'Driver.java', url],
    ],
  },
];

async function runAll(steps: readonly Step[], cwd: string): Promise<string | undefined> {
  for (const [program, ...args] of steps) {
    const file = program.includes('/') ? join(cwd, program) : program;
    const { ok, output } = await exec(file, args, { cwd, timeout: 600_000 });
    if (!ok) return `${program} ${args[0]}: ${output.slice(-1_500)}`;
  }
  return undefined;
}

for (const { name, folder: source, probe, steps } of drivers) {
  const [program, ...args] = probe;
  if (!(await exec(program, args)).ok) {
    reportNotTried(`NOT TRIED: ${name}, because ${program} is not installed.`);
    continue;
  }
  const folder = await mkdtemp(join(tmpdir(), 'arango-services-driver-'));
  // Behind this machine's clock, so that its clock can be advanced: drivers refuse tokens that are not yet valid.
  const now = new Date(Date.now() - 600_000);
  await using mock = await createMock({ now, users: [{ name: 'alice', password: 'pw' }] });
  // For the renewal after a 401: revokes the token that asks. The next one differs by its time.
  mock.route('POST', '/_db/:db/revoke', ({ headers }) => {
    mock.tokens.revoke(headers.authorization?.replace(/^bearer /i, '') ?? '');
    mock.clock.advance('1s');
    return {};
  });
  const { url } = await listen(mock);
  try {
    await cp(join(sources, source), folder, { recursive: true });
    const failure = await runAll(steps(url), folder);
    console.log(failure === undefined ? `ok   ${name}` : `FAIL ${name}: ${failure}`);
    if (failure !== undefined) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
