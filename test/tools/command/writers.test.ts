import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AuthorizationClient } from '../../../src/index.ts';
import { openDeployment, shopFile } from './support/deployment.ts';
import { inFolder } from './support/in-process.ts';
import { command, type Ended, start } from './support/process.ts';

const empty = { statements: [] };
const anything = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
const state = {
  policies: { reader: empty, other: empty },
  roles: { viewer: { policies: ['reader'] }, idle: { policies: [] } },
  bindings: [{ user: 'alice', role: 'idle', scope: anything }],
};

describe('another writer makes a saved plan stale: exit 1, nothing is written', () => {
  test.each<[string, (authorization: AuthorizationClient) => Promise<unknown>]>([
    ['the policy "reader"', ({ policies }) => policies.update('reader', anything)],
    ['the policy "reader"', ({ policies }) => policies.delete('reader')],
    ['the policy "reader"', ({ policies }) => policies.update('reader', empty)],
    ['the policy "other"', ({ policies }) => policies.update('other', anything)],
    ['the policy "other"', ({ policies }) => policies.delete('other')],
    ['the policy "new"', ({ policies }) => policies.create('new', empty)],
    ['the role "idle"', ({ roles }) => roles.update('idle', { policies: ['other'] })],
    ['the role "new"', ({ roles }) => roles.create('new', { policies: [] })],
    [
      'the binding of user "alice" to role "viewer"',
      ({ bindings }) => bindings.assign({ user: 'alice', role: 'viewer', scope: empty }),
    ],
    ['bindings of user "alice"', ({ bindings }) => bindings.remove({ user: 'alice', role: 'idle' })],
  ])('%s: %s', async (item, write) => {
    const { mock, folder, flags, client } = await openDeployment(state, { 'permissions.yaml': shopFile() });
    expect((await inFolder(['plan', ...flags, '--out', 'plan.json'], folder)).code).toBe(2);
    await write(client.authorization);
    const result = await inFolder(['apply', 'plan.json', ...flags, '--settle-ms', '0'], folder);
    const err = `arango-services: the plan is stale: written since it was made: ${item}; nothing was written, make a new plan\n`;
    expect(result).toMatchObject({ code: 1, err });
    const writes = mock.requests.filter(({ method }) => method !== 'GET');
    expect(writes).toHaveLength(1);
  });

  test('users beside those of the plan are not looked at, unless a replica knows them', async () => {
    const { folder, flags, client } = await openDeployment(state, { 'permissions.yaml': shopFile() });
    expect((await inFolder(['plan', ...flags, '--out', 'plan.json'], folder)).code).toBe(2);
    await client.authorization.bindings.assign({ user: 'zoe', role: 'idle', scope: empty });
    expect((await inFolder(['apply', 'plan.json', ...flags, '--settle-ms', '0'], folder)).code).toBe(0);
  });
});

/** Applies in a process that stands still in its first write, while another writer is at work. */
async function interrupted(
  args: readonly string[],
  { mock, folder }: Awaited<ReturnType<typeof openDeployment>>,
  write: () => Promise<unknown>,
): Promise<Ended> {
  const running = start(['apply', '--yes', ...args, '--settle-ms', '0'], folder);
  // Before the answer is sent: the process cannot go on.
  await new Promise<void>((resolve) => {
    const end = mock.onRequest(({ method }) => {
      if (method !== 'POST') return;
      end();
      running.child.kill('SIGSTOP');
      resolve();
    });
  });
  await write();
  running.child.kill('SIGCONT');
  return running.ended();
}

describe('another writer while apply runs', () => {
  test('is named, with the calls that were made, exit 1; a new plan finishes', async () => {
    const opened = await openDeployment({}, { 'permissions.yaml': shopFile(['alice', 'bob']) });
    const { folder, flags, client } = opened;
    const create = () => client.authorization.roles.create('viewer', { policies: [] });
    const { code, err } = await interrupted(flags, opened, create);
    expect(code).toBe(1);
    const conflict = 'role "viewer" was changed by another writer after the plan was made';
    expect(err).toContain(`${conflict}; written: policy "reader"`);
    expect(err).toContain('1 of 4 calls were made; make a new plan, and look at it');
    expect((await command(['apply', '--yes', ...flags, '--settle-ms', '0'], folder)).code).toBe(0);
    expect((await command(['plan', ...flags], folder)).code).toBe(0);
  });

  test('is an event with --json', async () => {
    const opened = await openDeployment({}, { 'permissions.yaml': shopFile() });
    const { flags, client } = opened;
    const create = () => client.authorization.roles.create('viewer', { policies: [] });
    const { code, out } = await interrupted(['--json', ...flags], opened, create);
    expect(code).toBe(1);
    const [event, failure] = out
      .trimEnd()
      .split('\n')
      .slice(-2)
      .map((line) => JSON.parse(line));
    expect(failure).toMatchObject({ error: { code: 'APPLY', message: event.message } });
    expect(event).toMatchObject({
      event: 'failed',
      conflicts: [{ kind: 'role', name: 'viewer' }],
      made: 1,
      calls: 3,
    });
  });
});

describe('two applies at once', () => {
  test('the one whose change was overwritten names it, exit 1', async () => {
    const opened = await openDeployment({}, { 'permissions.yaml': shopFile() });
    const { folder, flags, client } = opened;
    writeFileSync(join(folder, 'other.yaml'), shopFile(['carol'], 'orders:write'));
    const other = ['apply', '--yes', '--file', 'other.yaml', ...flags, '--settle-ms', '0'];
    const codes: (number | null)[] = [];
    const { code, err } = await interrupted(flags, opened, async () => codes.push((await command(other, folder)).code));
    expect(codes).toEqual([0]);
    expect([code, err]).toEqual([1, expect.stringMatching(/policy "reader" was overwritten by another writer/)]);
    const { item } = await client.authorization.policies.get('reader');
    expect(item.statements[0]?.actions).toEqual(['orders:write']);
  });

  test('of two saved plans for the same state one is refused, whatever the order', async () => {
    const { folder, flags, client } = await openDeployment({}, { 'permissions.yaml': shopFile() });
    writeFileSync(join(folder, 'other.yaml'), shopFile(['alice'], 'orders:write'));
    expect((await command(['plan', ...flags, '--out', 'a.json'], folder)).code).toBe(2);
    expect((await command(['plan', ...flags, '--file', 'other.yaml', '--out', 'b.json'], folder)).code).toBe(2);
    const apply = (plan: string) => command(['apply', plan, ...flags, '--settle-ms', '100'], folder);
    const results = await Promise.all([apply('a.json'), apply('b.json')]);
    const { item } = await client.authorization.policies.get('reader');
    // The policy is created once, so the plan with the other content did not get through.
    const [wrote] = item.statements[0]?.actions ?? [];
    const refused = results[wrote === 'orders:read' ? 1 : 0];
    expect([refused?.code, refused?.err]).toEqual([1, expect.stringContaining('policy "reader"')]);
  });
});
