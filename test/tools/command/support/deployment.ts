import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listen } from '../../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../../src/index.ts';
import { createMock, type MockConfig } from '../../../../src/mock/index.ts';

/** A folder that goes with the test. */
export function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A mock on a port with a superuser's token in a file, both for one test. */
export async function openDeployment(config: MockConfig = {}, files: Readonly<Record<string, string>> = {}) {
  const mock = await createMock(config);
  const server = await listen(mock);
  onTestFinished(async () => {
    await server.close();
    await mock[Symbol.asyncDispose]();
  });
  const token = await mock.tokens.issue({ user: null });
  const folder = folderOf({ token, ...files });
  const client = createClient({ url: server.url, credentials: credentials.bearer(token) });
  return {
    mock,
    server,
    url: server.url,
    token,
    folder,
    client,
    flags: ['--url', server.url, '--token-file', 'token'],
  };
}

/** A file with a policy, a role of it, and bindings of users to the role; it owns everything. */
export const shopFile = (users: readonly string[] = ['alice'], action = 'orders:read'): string => `
policies:
  reader: { statements: [{ effect: Allow, actions: ["${action}"], resources: ["orders:*"] }] }
roles:
  viewer: { policies: [reader] }
bindings:
${users.map((user) => `  - { user: ${user}, role: viewer, scope: all }`).join('\n') || '  []'}
scopes:
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
manage: { policies: ["*"], roles: ["*"], users: ["*"] }
`;
