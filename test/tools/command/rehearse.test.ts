import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { jsonLine } from '../../policy/decisions/platform-lines.ts';
import { folderOf, openDeployment, shopFile } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const asked = (user: string, action: string, resource: string, granted = false) =>
  `${jsonLine({ user, roles: [], action, resource, granted })}\n`;
const evil = 'eve\n\u001b[31m\u202e{"v"}';
const log = [
  ...Array.from({ length: 1_200 }, () => asked('alice', 'orders:read', 'orders:7', true)),
  asked('alice', 'orders:list', 'orders:7'),
  asked('alice', 'orders:list', 'orders:7'),
  asked(evil, 'orders:read', 'orders:8'),
  asked('dave', 'bills:pay', 'bill:1'),
  asked('erin', 'bills:pay', 'bill:1'),
  asked('frank', 'orders:read', ''),
  'a line of another program\n',
].join('');
const files = {
  'permissions.yaml': shopFile(['alice', 'bob']),
  'a.log': log,
  'good.log': asked('alice', 'orders:read', 'orders:7', true),
};

/** Runs `rehearse` over the files of a folder. */
async function over(args: readonly string[], content: Readonly<Record<string, string | Uint8Array>> = files) {
  const folder = folderOf(content as Readonly<Record<string, string>>);
  const place = (arg: string) => (/^[\w-]+\.\w+$/.test(arg) ? join(folder, arg) : arg);
  const file = args.includes('--file') ? [] : ['--file', 'permissions.yaml'];
  return { ...(await permissions(['rehearse', ...file, ...args].map(place))), folder };
}

test('rehearse counts what would be denied, by cause, with the smallest change and what is unused, exit 2', async () => {
  const { code, out, err } = await over(['--log', 'a.log', '--include-unknown']);
  expect(code).toBe(2);
  expect(err).toBe('arango-services: 1 line of the log skipped (foreign), the first is line 1207\n');
  expect(out).toBe(
    [
      'Enforcing would deny 6 of 1 206 requests: 5 users, 3 actions.',
      'The log has 5 users on 1 day, from 2026-11-23T04:06:12Z to 2026-11-23T04:06:12Z.',
      'Decided by the rules of the deployed services (sidecar).',
      '',
      'Denied:',
      '  No statement of the user allows it:',
      '    - user "alice": "orders:list" on "orders:7", 2 requests, last 2026-11-23T04:06:12Z',
      '  The user has no binding:',
      '    - user "eve\\n\\u001b[31m\ufffd{\\"v\\"}": "orders:read" on "orders:8", 1 request, last 2026-11-23T04:06:12Z',
      '    - user "dave": "bills:pay" on "bill:1", 1 request, last 2026-11-23T04:06:12Z',
      '    - user "erin": "bills:pay" on "bill:1", 1 request, last 2026-11-23T04:06:12Z',
      '    - user "frank": "orders:read" on "", 1 request, last 2026-11-23T04:06:12Z',
      '',
      'The smallest change that grants 4 of 5 questions:',
      '  + policy "rehearsed-1":',
      '      + Allow orders:list on orders:7 – 2 requests of 1 user, last 2026-11-23T04:06:12Z',
      '  + policy "rehearsed-2":',
      '      + Allow bills:pay on bill:1 – 2 requests of 2 users, last 2026-11-23T04:06:12Z',
      '  + role "rehearsed-1" of policy "rehearsed-1"',
      '  + role "rehearsed-2" of policy "rehearsed-2"',
      '  + binding of user "eve\\n\\u001b[31m\ufffd{\\"v\\"}" to role "viewer", in its scope:',
      '      + Allow orders:read on orders:8 – 1 request of 1 user, last 2026-11-23T04:06:12Z',
      '  + binding of user "alice" to role "rehearsed-1"',
      '  + binding of user "dave" to role "rehearsed-2"',
      '  + binding of user "erin" to role "rehearsed-2"',
      '',
      'Checked: users gain what they asked for and nothing else, and lose nothing.',
      '',
      'Not granted:',
      '  user "frank": "orders:read" on "", 1 request – no pattern matches this resource alone; see --generalise',
      '',
      'Decided nothing since 2026-11-23T04:06:12Z:',
      '  binding of user "bob" to role "viewer"',
      '',
    ].join('\n'),
  );
});

test('users who are in no file are listed apart, whatever they asked for, and get nothing', async () => {
  const { code, out } = await over(['--log', 'a.log']);
  expect(code).toBe(2);
  const [, rest = ''] = out.split('The smallest change that grants 1 of 5 questions:\n');
  expect(rest).toContain('\n  + binding of user "alice" to role "rehearsed-1"\n');
  expect(rest).not.toMatch(/binding of user "(?:eve|dave|erin)/);
  expect(rest).toContain(
    [
      'Users who are not known, so they get nothing without --include-unknown:',
      '  user "eve\\n\\u001b[31m\ufffd{\\"v\\"}": "orders:read" on "orders:8", 1 request, last 2026-11-23T04:06:12Z',
      '  user "dave": "bills:pay" on "bill:1", 1 request, last 2026-11-23T04:06:12Z',
      '  user "erin": "bills:pay" on "bill:1", 1 request, last 2026-11-23T04:06:12Z',
      '  user "frank": "orders:read" on "", 1 request, last 2026-11-23T04:06:12Z',
      '',
    ].join('\n'),
  );
  expect(out).not.toContain('Not granted:');
});

test('rehearse exits with 0 if nothing would be denied', async () => {
  const { code, out } = await over(['--log', 'good.log']);
  expect([code, out]).toEqual([0, expect.stringContaining('Enforcing would deny none of 1 request.\n')]);
  expect(out).not.toContain('change');
});

test('an explicit Deny is not bypassed: its statement is named', async () => {
  const deny = '{ effect: Deny, actions: ["*"], resources: ["orders:secret:*"] }';
  const file = shopFile().replace('["orders:*"] }', `["orders:*"] }, ${deny}`);
  const content = { 'permissions.yaml': file, 'a.log': asked('alice', 'orders:read', 'orders:secret:1') };
  const { code, out } = await over(['--log', 'a.log'], content);
  expect(code).toBe(2);
  expect(out).toContain('An explicit Deny: policy "reader" of role "viewer", statement 2:');
  expect(out).toContain('– a Deny wins; change policy "reader" of role "viewer", statement 2 instead');
  expect(out).not.toContain('The smallest change');
});

test('--out writes a file that diff compares and that rehearses without denials', async () => {
  const content = { ...files, 'a.log': log.replace(asked('frank', 'orders:read', ''), '') };
  const { code, out, folder } = await over(['--log', 'a.log', '--out', 'new.yaml', '--include-unknown'], content);
  const file = (name: string) => join(folder, name);
  expect([code, out]).toEqual([2, expect.stringContaining('new.yaml; plan and diff compare it.')]);
  expect(readFileSync(file('new.yaml'), 'utf8')).toContain('manage:');
  const again = await permissions(['rehearse', '--file', file('new.yaml'), '--log', file('a.log')]);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('deny none of 1 205 requests')]);
  const diff = await permissions(['diff', file('permissions.yaml'), file('new.yaml'), '--fidelity', 'sidecar']);
  expect(diff.out).toContain('4 users gain access');
  expect(diff.out).not.toContain(' lose');
  const twice = await over(['--log', file('a.log'), '--out', file('new.yaml')], content);
  expect([twice.code, twice.err]).toEqual([1, expect.stringContaining('exists already')]);
});

test('--json has the data, without the state, and --markdown a comment', async () => {
  const { code, out } = await over(['--log', 'a.log', '--json', '--include-unknown']);
  expect([code, JSON.parse(out)]).toMatchObject([
    2,
    {
      log: { count: 1_206 },
      denied: { count: 6, users: 5, actions: 3 },
      change: { isExact: true, gained: expect.anything(), lost: [] },
      notGranted: [{ reason: 'resource', subject: { user: 'frank' } }],
      unused: { bindings: [{ user: 'bob', role: 'viewer' }] },
      skipped: [{ reason: 'foreign', count: 1, firstLine: 1_207 }],
      dropped: 0,
    },
  ]);
  expect(JSON.parse(out).change).not.toHaveProperty('state');
  const markdown = await over(['--log', 'a.log', '--markdown']);
  expect(markdown.out).toMatch(/^\*\*Enforcing would deny 6 of 1 206 requests: 5 users, 3 actions\.\*\*\n\n````diff\n/);
  expect(markdown.out).toContain('\n+   policy "rehearsed-1":\n');
});

test('--generalise grants patterns, and says what is gained beyond the log', async () => {
  const { out } = await over(['--log', 'a.log', '--generalise', 'resources']);
  expect(out).toContain('Allow orders:list on orders:* – 2 requests');
  expect(out).toContain('Checked: access that changes, which is more than was asked for:');
  expect(out).not.toContain('Not granted');
});

test('rehearse counts requests of the superuser, masked lines and failures apart', async () => {
  const ours = (fields: object) =>
    `${JSON.stringify({ v: 1, kind: 'decision', time: '2026-11-23T12:00:00Z', subject: {}, action: 'a:b', resource: 'c', effect: 'Allow', enforced: false, ...fields })}\n`;
  const lines = [
    ours({}),
    ours({ subject: { userHash: 'x' } }),
    ours({ reason: 'failed', effect: 'Deny', subject: { user: 'alice' } }),
    ours({ subject: { user: 'eve' }, effect: 'Deny', enforced: true }),
    `${JSON.stringify({ v: 1, kind: 'gap', time: '2026-11-23T12:00:00Z', dropped: 17 })}\n`,
    '{"v":2,"kind":"decision"}\n',
    '{"v":1,"kind":"deci',
  ];
  const { code, out, err } = await over(['--log', 'a.log'], { ...files, 'a.log': lines.join('') });
  // It is not known if the masked line would be denied.
  expect(code).toBe(2);
  expect(out).toContain('Enforcing would deny none of');
  expect(out).toContain('Of the superuser, who is never denied: 1 request.\n');
  expect(out).toContain('Denied already, so not counted: 1 request.\n');
  expect(out).toContain('Not decided: 1 request (1 failed).\n');
  expect(out).toContain(
    '1 line does not tell what was decided (masked), so it is not known if it would be denied: line 2\n',
  );
  expect(err).toContain('17 decisions dropped');
  expect(err).toContain('skipped (other-version), the first is line 6');
  expect(err).toContain('skipped (incomplete), the first is line 7');
});

test('gzip files of several members are read, and damage is counted', async () => {
  const [first, second] = [gzipSync(log), gzipSync(asked('frank', 'a:b', 'c'))];
  const run = async (bytes: Uint8Array) => {
    const stdin = Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]);
    const file = join(folderOf(files), 'permissions.yaml');
    return permissions(['rehearse', '--file', file, '--log', '-'], { stdin });
  };
  const both = await run(Buffer.concat([first, second]));
  expect([both.code, both.out]).toEqual([2, expect.stringContaining('deny 7 of 1 207 requests')]);
  expect(both.err).not.toContain('damaged');
  for (const padding of [512, 10_240, 100_000]) {
    const padded = await run(Buffer.concat([first, Buffer.alloc(padding)]));
    expect(padded.out).toContain('deny 6 of 1 206 requests');
    expect(padded.err).not.toContain('damaged');
  }
  for (const cut of [Buffer.concat([first, second]).subarray(0, -12), Buffer.concat([first, Buffer.from('rest')])]) {
    const { err } = await run(cut);
    expect(err).toContain('1 line of the log skipped (damaged)');
  }
});

test('over a deployment no policy is edited, because users outside the log may have it', async () => {
  const scope = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
  const opened = await openDeployment(
    {
      fidelity: 'sidecar',
      policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
      roles: { viewer: { policies: ['reader'] } },
      bindings: ['alice', 'outside'].flatMap((user) => ['viewer', 'missing'].map((role) => ({ user, role, scope }))),
    },
    { 'a.log': asked('alice', 'orders:write', 'order:7') },
  );
  const path = (name: string) => join(opened.folder, name);
  const flags = ['--url', opened.url, '--token-file', path('token'), '--log', path('a.log')];
  const { code, out } = await permissions(['rehearse', ...flags]);
  expect([code, out]).toEqual([2, expect.stringContaining('+ binding of user "alice" to role "rehearsed-1"')]);
  expect(out).not.toContain('~ policy');
  expect(out).not.toContain('+ role "missing"');
});

test('over a deployment the bindings of the users of the log are read', async () => {
  const everywhere = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
  const opened = await openDeployment(
    {
      fidelity: 'sidecar',
      policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
      roles: { viewer: { policies: ['reader'] } },
      bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
    },
    { 'a.log': log },
  );
  const path = (name: string) => join(opened.folder, name);
  const flags = ['--url', opened.url, '--token-file', path('token'), '--log', path('a.log')];
  const { code, out } = await permissions(['rehearse', ...flags]);
  expect(code).toBe(2);
  expect(out).toContain('deny 6 of 1 206 requests: 5 users, 3 actions');
  const replayed = await permissions(['replay', ...flags]);
  expect(replayed.out).toContain('0 would be denied');
});
