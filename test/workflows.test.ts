import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../scripts/lib/exec.ts';
import { findProgram } from '../scripts/lib/find-program.ts';
import { findNode, oldestNode } from '../scripts/lib/scratch.ts';
import { packInto } from '../scripts/lib/tarball.ts';
import { isThorough } from './support/thorough.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly container?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const files = globSync('.github/workflows/*', { cwd: root }).sort();
/** Of an example, which people copy. */
const copied = globSync('examples/*/.github/workflows/*', { cwd: root }).sort();
// The cast: the schema of workflows, which is checked below.
const workflows = new Map(files.map((file) => [file, parse(read(file)) as Workflow]));
const jobs = [...workflows].flatMap(([file, { jobs: all }]) =>
  Object.entries(all).map(([name, job]) => ({ name: `${name} of ${file}`, job })),
);
const steps = jobs.flatMap(({ job }) => job.steps ?? []);

/** The steps that no test executes, with the reason. */
const untried: ReadonlyMap<string, string> = new Map([
  ['.ci/run', 'it runs these tests'],
  ['npm ci --no-audit --no-fund', '.ci/run begins with it'],
  [
    'npm publish ./out/*.tgz --provenance --access public --tag "$DIST_TAG"',
    'npm takes it from the repository that it trusts only, with a token of GitHub for this run',
  ],
  [
    'npm run site -- --base "$BASE"',
    'the stage `site --check` builds the site without the reference; a full build is by hand',
  ],
  ['gh release create "$TAG" --verify-tag --generate-notes out/*', 'it needs the repository on GitHub'],
]);

/** The steps that a test below executes as they stand here. */
const step = {
  trust: 'git config --global --add safe.directory "$GITHUB_WORKSPACE"',
  actionlint: 'go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12',
  schemas: [
    'python3 -m venv "$RUNNER_TEMP/schemas"',
    '"$RUNNER_TEMP/schemas/bin/pip" install --quiet --disable-pip-version-check check-jsonschema==0.39.0',
    'check="$RUNNER_TEMP/schemas/bin/check-jsonschema --builtin-schema"',
    '$check vendor.github-workflows .github/workflows/* examples/*/.github/workflows/*',
    '$check vendor.dependabot .github/dependabot.yml',
    '$check vendor.gitlab-ci --data-transform gitlab-ci examples/*/.gitlab-ci.yml',
  ].join('\n'),
  build: 'npm run build',
  pack: 'npm exec -- node scripts/pack.ts out',
  program: 'npm exec -- node scripts/smoke-program.ts out',
  install: 'npm install --prefix out --ignore-scripts --no-audit --no-fund',
  smoke: '"$(node -p process.execPath)" out/run.mjs',
  sbom: 'npm exec -- node scripts/sbom.ts out/*.tgz out/sbom.cdx.json',
  digest: 'echo "digest=$(sha256sum out/*.tgz | cut -d \' \' -f 1)" >> "$GITHUB_OUTPUT"',
  compare: 'echo "$DIGEST  $(ls out/*.tgz)" | sha256sum --check --strict',
  release: 'npm run release -- --checked "$GITHUB_REF_NAME"',
};

describe('the workflows', () => {
  test('run only steps that are executed below or listed as untried', () => {
    const runs = steps.flatMap(({ run }) => (run === undefined ? [] : [run.trim()]));
    expect([...new Set(runs)].sort()).toEqual([...Object.values(step), ...untried.keys()].sort());
    expect(read('.ci/run')).toContain('\nnpm ci --no-audit --no-fund\n');
  });

  test('pin every action by its full hash, with its version behind it, and every container by its digest', () => {
    const actions = [...files, ...copied].flatMap((file) => read(file).match(/\buses: (?!\.\/).*/g) ?? []);
    expect(actions.length).toBeGreaterThan(10);
    expect(actions.filter((line) => !/^uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    );
    const containers = jobs.flatMap(({ job }) => job.container ?? []);
    expect(containers.filter((name) => !/@sha256:[0-9a-f]{64}$/.test(name))).toEqual([]);
  });

  test('pin one version of each action, also in examples', () => {
    expect(copied.length).toBeGreaterThan(0);
    const pins = new Set(
      [...files, ...copied].flatMap((file) => read(file).match(/[\w-]+\/[\w/-]+@[0-9a-f]{40}/g) ?? []),
    );
    const names = [...pins].map((pin) => pin.replace(/@.*/, ''));
    expect(names).toEqual([...new Set(names)]);
  });

  test('name no registry by its host', () => {
    expect([...files, '.github/dependabot.yml'].filter((file) => /https?:|registry/.test(read(file)))).toEqual([]);
  });

  test('give no permission that a job does not name, and put no expression into a shell', () => {
    for (const { permissions } of workflows.values()) {
      expect(Object.values(permissions).filter((right) => right !== 'read')).toEqual([]);
    }
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });

  test.each(jobs)('end the job $name after a time', ({ job }) => {
    expect(job.uses ?? job['timeout-minutes']).toBeDefined();
  });

  test('publish only what ci has checked, in an environment that a person approves, without a stored token', () => {
    const { ci, build, publish } = workflows.get('.github/workflows/release.yml')?.jobs ?? {};
    expect(ci?.uses).toBe('./.github/workflows/ci.yml');
    expect([build, publish]).toMatchObject([{ needs: 'ci' }, { needs: 'build', environment: 'npm' }]);
    expect(publish?.permissions).toEqual({ 'id-token': 'write', attestations: 'write' });
    expect(files.filter((file) => /secrets\./.test(read(file)))).toEqual([]);
  });

  test.runIf(isThorough && findProgram('go'))(
    'have no fault that actionlint finds',
    () => {
      const both = `${step.actionlint}; ${step.actionlint} ${copied.join(' ')}`;
      expect(spawnSync('bash', ['-ec', both], { cwd: root, encoding: 'utf8' })).toMatchObject({
        stdout: '',
        status: 0,
      });
    },
    300_000,
  );

  // Debian's python3 makes no virtual environments without the package python3-venv.
  const hasVenv = () => spawnSync('python3', ['-c', 'import ensurepip']).status === 0;

  test.runIf(isThorough && hasVenv())(
    'have the form of the schemas of GitHub and GitLab, like dependabot.yml',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'arango-services-schemas-'));
      const env = { ...process.env, RUNNER_TEMP: folder };
      const result = spawnSync('bash', ['-ec', step.schemas], { cwd: root, env, encoding: 'utf8' });
      rmSync(folder, { recursive: true, force: true });
      expect(result).toMatchObject({ stdout: 'ok -- validation done\n'.repeat(3), status: 0 });
    },
    300_000,
  );
});

// The steps of the jobs `tarball`, `matrix`, `build` and `publish`, in their order, in a folder of its own, with another
// umask than that of this clone: each test needs those before it.
describe.runIf(isThorough)('the steps, in another folder and with umask 077', { timeout: 300_000 }, () => {
  const parent = mkdtempSync(join(tmpdir(), 'arango-services-workflows-'));
  const folder = join(parent, 'clone');
  const output = join(parent, 'output');
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  beforeAll(() => {
    const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
    for (const file of list.split('\0').filter((name) => name !== '' && globSync(name, { cwd: root }).length > 0)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      copyFileSync(join(root, file), join(folder, file));
      chmodSync(join(folder, file), file === '.ci/run' ? 0o700 : 0o600);
    }
    // Not the whole folder: the build keeps its intermediate files in node_modules/.cache.
    mkdirSync(join(folder, 'node_modules'));
    for (const name of readdirSync(join(root, 'node_modules')).filter((entry) => entry !== '.cache')) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
  });

  /** Runs a step as GitHub does, and returns its output. Throws if it fails. */
  function run(command: string, env: Readonly<Record<string, string>> = {}): string {
    // `npm run check` has packed the tarball of this clone.
    const { TARBALL, ...own } = process.env;
    const result = spawnSync('bash', ['-eo', 'pipefail', '-c', `umask 077\n${command}`], {
      cwd: folder,
      env: { ...own, ...env },
      timeout: 290_000,
      encoding: 'utf8',
    });
    if (result.status !== 0) throw new Error(`${command}: ${result.stdout}${result.stderr}`);
    return result.stdout;
  }

  test('let git read the clone of another user', () => {
    run(step.trust, { HOME: parent, GITHUB_WORKSPACE: folder });
    expect(readFileSync(join(parent, '.gitconfig'), 'utf8')).toContain(`directory = ${folder}`);
  });

  test('build and pack the same bytes as this clone', async () => {
    run(step.build);
    const printed = run(step.pack);
    const own = createHash('sha256')
      .update(readFileSync(await packInto(parent)))
      .digest('hex');
    expect(printed).toContain(`${own}  arango-services-`);
    run(step.digest, { GITHUB_OUTPUT: output });
    expect(readFileSync(output, 'utf8')).toBe(`digest=${own}\n`);
    expect(run(step.compare, { DIGEST: own })).toContain('OK');
    expect(() => run(step.compare, { DIGEST: '0'.repeat(64) })).toThrow('FAILED');
  });

  test('run the smoke program from the tarball on the Node that is first on PATH', async () => {
    run(step.program);
    run(step.install);
    const node = await findNode(oldestNode);
    const printed = run(step.smoke, { PATH: [dirname(node), process.env.PATH].join(delimiter) });
    expect(printed).toContain(`Node v${oldestNode}, `);
    expect(printed.match(/^ok {3}(?:memory|hosted|hosted-port): \d{2} passed$/gm)).toHaveLength(3);
  });

  test('list every dependency of the tarball', () => {
    run(step.sbom);
    const { components } = JSON.parse(readFileSync(join(folder, 'out/sbom.cdx.json'), 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    expect(names.sort()).toEqual(Object.keys(JSON.parse(read('package.json')).dependencies).sort());
  });

  test('release a tagged, announced commit of the repository in package.json', () => {
    const change = (file: string, edit: (text: string) => string) =>
      writeFileSync(join(folder, file), edit(readFileSync(join(folder, file), 'utf8')));
    const { version } = JSON.parse(read('package.json'));
    const today = new Date().toISOString().slice(0, 10);
    change('package.json', (text) => text.replaceAll('/OWNER/', '/acme/'));
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      `# Changelog\n\n## [Unreleased]\n\n## [${version}] - ${today}\n\n### Added\n\n- All.\n`,
    );
    run(
      `git init -q && git add -A && git -c user.name=a -c user.email=a@example.org commit -qm a && git tag v${version}`,
    );
    const env = { GITHUB_REF_NAME: `v${version}`, GITHUB_REPOSITORY: 'acme/arango-services' };
    run(step.release, env);
    expect(() => run(step.release, { ...env, GITHUB_REF_NAME: 'v9.0.0' })).toThrow('the tag is v9.0.0');
    expect(() => run(step.release, { ...env, GITHUB_REPOSITORY: 'acme/fork' })).toThrow('this is acme/fork');
  });
});
