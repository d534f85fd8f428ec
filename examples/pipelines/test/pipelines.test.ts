import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createClient, credentials } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

type Variables = Record<string, string>;
interface Step {
  readonly run?: string;
  readonly if?: string;
  readonly env?: Variables;
}

const workflow = parse(await readFile('.github/workflows/permissions.yaml', 'utf8'));
const pipeline = parse(await readFile('.gitlab-ci.yml', 'utf8'));

/** The steps of a job as each platform runs them: all but the install, with what the platform puts into them. */
const steps = {
  GitHub(job: string, event: string, values: Variables) {
    const fill = (env: Variables = {}) =>
      Object.entries(env).map(([name, text]) => [
        name,
        text.replace(/\$\{\{ (.*?) \}\}/g, (_, key) => values[key] ?? ''),
      ]);
    return (workflow.jobs[job].steps as Step[])
      .filter(({ run, if: when }) => run !== undefined && run !== 'npm ci' && (!when || when.endsWith(`'${event}'`)))
      .map(({ run = '', env }) => [run, Object.fromEntries([...fill(workflow.env), ...fill(env)])] as const);
  },
  GitLab(job: string, event: string, values: Variables) {
    const { variables } = pipeline.workflow.rules.find(({ if: when }: Step) => when?.includes(event)) ?? {};
    return (pipeline[job].script as string[]).map((run) => [run, { ...values, ...variables }] as const);
  },
};

/** A repository with the files of this one, and a deployment on which nothing was applied. */
async function setUp(platform: keyof typeof steps) {
  const mock = await createMock();
  const server = await listen(mock);
  const folder = await mkdtemp(join(tmpdir(), 'pipelines-'));
  onTestFinished(() => Promise.all([server.close(), rm(folder, { recursive: true })]).then(() => undefined));
  for (const name of ['permissions.yaml', 'permissions.test.yaml']) await cp(name, join(folder, name));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  // Stands for the command of GitHub: a list of comments is asked for with `--jq`.
  await writeFile(join(folder, 'gh'), '#!/bin/sh\ncase "$*" in *--jq*) cat own;; *) echo "$@" > commented;; esac\n');
  await writeFile(join(folder, 'own'), '');
  await chmod(join(folder, 'gh'), 0o700);
  const token = await mock.tokens.issue({ user: null });
  const checks = new Set<string>(); // without variables: their second run would be the same

  /** Runs a job. Returns the output of its steps; rejects with it if one fails. */
  async function run(job: string, event: string, values: Variables = {}): Promise<string> {
    const known = { ARANGO_URL: server.url, ARANGO_TOKEN: token, ARANGO_APPLIER: 'root', ...values };
    const named = {
      'vars.ARANGO_URL': server.url,
      'secrets.ARANGO_TOKEN': known.ARANGO_TOKEN,
      'vars.ARANGO_APPLIER': 'root',
      "inputs.first-run && '--first-run' || ''": values.FIRST_RUN ?? '',
      'github.event.pull_request.number': '7',
    };
    let output = '';
    for (const [step, env] of steps[platform](job, event, platform === 'GitHub' ? named : known)) {
      if (checks.has(step)) continue;
      if (!step.includes('$')) checks.add(step);
      const set = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter), ...env };
      const events = {
        GITHUB_EVENT_NAME: event,
        CI_PIPELINE_SOURCE: event,
        GITHUB_STEP_SUMMARY: 'summary.md',
        GITHUB_REPOSITORY: 'o/r',
      };
      output += await new Promise<string>((done, fail) => {
        execFile('bash', ['-ec', step], { cwd: folder, env: { ...set, ...events } }, (error, stdout, stderr) => {
          if (error) fail(new Error(`${stdout}${stderr}`));
          else done(stdout + stderr);
        });
      });
    }
    return output;
  }
  const client = createClient({ url: server.url, credentials: credentials.bearer(token) });
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  return { run, client, read, write: (file: string, text: string) => writeFile(join(folder, file), text) };
}

test.each([
  ['GitHub', 'pull_request'],
  ['GitLab', 'merge_request_event'],
] as const)(
  '%s: a proposal is planned, a merge is applied, and the night finds what others changed',
  async (platform, proposal) => {
    const { run, client, read, write } = await setUp(platform);
    const question = { user: 'alice', action: 'orders:read', resource: 'orders:7' };
    const first = { FIRST_RUN: '--first-run' };

    await run('plan', proposal, first);
    expect(await read('plan.md')).toContain('orders-reader');
    if (platform === 'GitHub') {
      expect(await read('commented')).toBe('pr comment 7 --body-file comment.md\n');
      await write('own', '12\n');
      await run('plan', proposal, first);
      expect(await read('commented')).toBe('api --silent -X PATCH repos/o/r/issues/comments/12 -F body=@comment.md\n');
    }
    expect(await client.authorization.isAllowed(question)).toBe(false);

    await expect(run('plan', 'push')).rejects.toThrow('--first-run'); // without a list of users it cannot find leavers
    await run('plan', 'push', first);
    await run('apply', 'push', first);
    expect(await client.authorization.isAllowed(question)).toBe(true);
    expect(JSON.parse(await read('.users/users.json'))).toEqual(['alice']);

    await run('plan', 'schedule');
    await client.authorization.policies.upsert('orders-reader', { statements: [] });
    await expect(run('plan', 'schedule')).rejects.toThrow(); // and a push goes on, as above
    await expect(run('plan', 'push', { ARANGO_TOKEN: 'no-token' })).rejects.toThrow('401');
  },
);
