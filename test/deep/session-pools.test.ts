import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';

// Files of a suite that run at the same time, each with sessions of mocks of its own. A channel crosses threads.

const folder = mkdtempSync(join(tmpdir(), 'arango-services-pools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
for (const kind of ['mocks', 'origins']) mkdirSync(join(folder, kind));

/** Signs in, and out in another session of the same mock, while another file does the same. */
const suite = `
import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createClient } from '${root}/dist/index.js';
import { createMock } from '${root}/dist/mock/index.js';
import { createSession } from '${root}/dist/session/index.js';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** Returns once the other file is as far. */
async function meet(step) {
  writeFileSync(\`\${process.env.MEETING}/\${import.meta.filename.at(-9)}-\${step}\`, '');
  for (const name of ['a', 'b']) while (!existsSync(\`\${process.env.MEETING}/\${name}-\${step}\`)) await wait(2);
}

test('a sign-out reaches the sessions of its mock, and no other', async () => {
  expect('document' in globalThis).toBe(process.env.ENVIRONMENT !== 'node');
  const entries = new Map();
  const own = { get: (key) => entries.get(key), set: (key, value) => entries.set(key, value), delete: (key) => entries.delete(key) };
  const isEnding = import.meta.filename.endsWith('a.test.js');
  const ended = ['first signed-out', 'later signed-out', 'second signed-out'];
  const found = [];
  for (const [index, store] of [own, ...('document' in globalThis ? ['memory', 'localStorage'] : [])].entries()) {
    const mock = await createMock({ identity: process.env.IDENTITY || undefined, users: [{ name: 'alice', password: 'p' }] });
    const ends = [];
    const sessions = ['first', 'second', 'later'].map((name) => {
      const own = process.env.OWN_URL && { url: process.env.OWN_URL, deploymentId: undefined };
      const session = createSession(createClient({ ...mock.gateway.connection, ...own }), { store });
      session.on('end', ({ reason }) => ends.push(\`\${name} \${reason}\`));
      return session;
    });
    for (const session of sessions) await session.signIn({ username: 'alice', password: 'p' });
    await meet(\`\${index}-signed-in\`);
    if (isEnding) await sessions[0].signOut();
    await meet(\`\${index}-signed-out\`);
    await wait(50);
    found.push({ users: sessions.map(({ user }) => user), ends: ends.toSorted() });
    for (const session of sessions) await session.close();
    await meet(\`\${index}-closed\`);
    await mock[Symbol.asyncDispose]();
  }
  const wanted = { users: Array(3).fill(isEnding ? undefined : 'alice'), ends: isEnding ? ended : [] };
  expect(found).toEqual(found.map(() => wanted));
});
`;
for (const name of ['a', 'b']) {
  writeFileSync(join(folder, 'mocks', `${name}.test.js`), suite);
  // In two parts, as Vitest reads the options of this file in the same way.
  const origin = `// @vitest-${'environment'}-options { "url": "http://${name}.test" }`;
  writeFileSync(join(folder, 'origins', `${name}.test.js`), `${origin}${suite}`);
}

/** Runs both files of a kind, with more variables of the environment. */
function run(kind: 'mocks' | 'origins', pool: string, environment: string, variables: NodeJS.ProcessEnv = {}) {
  const meeting = mkdtempSync(join(folder, 'meeting-'));
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--testTimeout', '30000', kind];
  return spawnSync(process.execPath, [...args, `--pool=${pool}`, `--environment=${environment}`, '--maxWorkers=2'], {
    encoding: 'utf8',
    env: { ...process.env, MEETING: meeting, ENVIRONMENT: environment, NO_COLOR: '1', ...variables },
  });
}

const doNotMeet = ({ status, stdout, stderr }: ReturnType<typeof run>) => {
  expect(`${stdout}${stderr}`).toMatch(/Tests {2}2 passed/);
  expect(status).toBe(0);
};

test.each(['forks', 'threads'].flatMap((pool) => ['node', 'jsdom', 'happy-dom'].map((one) => [pool, one] as const)))(
  'in %s with %s, sessions of two files do not meet',
  (pool, environment) => {
    doNotMeet(run('mocks', pool, environment));
  },
);

const own = { OWN_URL: 'https://db.example.com' };

test.each(['jsdom', 'happy-dom'])('in threads with %s, sessions of two origins do not meet', (environment) => {
  doNotMeet(run('origins', 'threads', environment, own));
});

test.each([
  ['mocks of one identity', { IDENTITY: 'same' }],
  ['pages of one origin with a URL of their own', own],
])('%s do meet, from thread to thread', (_name, variables) => {
  const { status, stdout } = run('mocks', 'threads', 'jsdom', variables);
  expect(status).toBe(1);
  expect(stdout).toMatch(/Tests {2}1 failed \| 1 passed/);
  expect(stdout).toContain('b.test.js (1 test | 1 failed)');
});
