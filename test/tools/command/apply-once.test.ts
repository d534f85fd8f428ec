import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openRecord, readRecord } from '../../../src/tools/command/permissions/record-file.ts';
import { isThorough } from '../../support/thorough.ts';
import { openDeployment, shopFile } from './support/deployment.ts';
import { inFolder, permissions } from './support/in-process.ts';

const quick = ['--settle-ms', '0', '--concurrency', '1'];
const hour = 3_600_000;
afterEach(() => void vi.useRealTimers());

/** A deployment, and a plan for it in `plan.json`. */
async function openPlanned() {
  const opened = await openDeployment({}, { 'permissions.yaml': shopFile(['alice']) });
  expect((await inFolder(['plan', ...opened.flags, '--out', 'plan.json'], opened.folder)).code).toBe(2);
  const apply = (...more: string[]) =>
    inFolder(['apply', 'plan.json', ...quick, ...opened.flags, ...more], opened.folder);
  const writes = () => opened.mock.requests.filter(({ method }) => method !== 'GET').length;
  return { ...opened, apply, writes, record: join(opened.folder, 'plan.json.record') };
}

const binding = { user: 'alice', role: 'viewer' };

describe('a saved plan is applied once', () => {
  test('with its record it is refused, with the time and what differs now', async () => {
    const { apply, client, record, writes } = await openPlanned();
    expect((await apply()).code).toBe(0);
    expect(statSync(record).mode & 0o777).toBe(0o600);
    expect(writes()).toBe(3);
    const time = /at \d{4}-\d\d-\d\dT[\d:.]+Z/.source;
    expect(await apply()).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        new RegExp(`the plan was applied ${time}, and is applied once; nothing of it is diff`),
      ),
    });
    await client.authorization.bindings.remove(binding);
    expect(await apply()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/once; different now: the binding of user "alice" to role "viewer"; make a new plan/),
    });
    expect(writes()).toBe(4);
  });

  test('the record is the JSON lines that the guide describes', async () => {
    const { apply, record, url } = await openPlanned();
    const { out } = await apply();
    const [, digest] = /Plan (\S+)/.exec(out) ?? [];
    const lines = readFileSync(record, 'utf8').trimEnd().split('\n');
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { plan: digest, at, format: 'arango-services record 1', url, calls: 3, users: ['alice'], groups: [] },
      ...[0, 1, 2].flatMap((call) => [
        { plan: digest, at, call, state: 'begun' },
        { plan: digest, at, call, state: 'made', index: 1 },
      ]),
    ]);
  });

  test('a run that was cut is continued by its record, unless its items were changed', async () => {
    for (const change of [false, true]) {
      const { apply, mock, client, writes } = await openPlanned();
      const end = mock.fail({ path: '/_management/permissions/user/alice/role/viewer', status: 503, times: 1_000 });
      expect((await apply()).code).toBe(1);
      end();
      const before = writes();
      if (change) await client.authorization.roles.delete('viewer');
      const again = await apply();
      if (change)
        expect(again).toMatchObject({
          code: 1,
          err: expect.stringContaining('stale: written since it was made: the role "viewer"'),
        });
      else expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Applied: 1 call, 2 made before.') });
      expect(writes()).toBe(before + 1);
    }
  });

  test('without its record it is refused only if an index shows that an item was written later', async () => {
    const { apply, client, record, writes } = await openPlanned();
    expect((await apply()).code).toBe(0);
    rmSync(record);
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining('the plan is stale') });
    // What no index can tell: everything that was written is gone.
    await client.authorization.bindings.remove(binding);
    await client.authorization.roles.delete('viewer');
    await client.authorization.policies.delete('reader');
    expect(writes()).toBe(6);
    expect(await apply()).toMatchObject({ code: 0, out: expect.stringContaining('Applied: 3 calls.') });
  });

  test('it is refused after --valid-for, and before it was made', async () => {
    const { apply, writes } = await openPlanned();
    const now = Date.now();
    const later = (ms: number) => vi.useFakeTimers({ now: now + ms, toFake: ['Date'] });
    later(25 * hour);
    expect(await apply()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/older than 24h \(--valid-for\); make/),
    });
    later(-hour);
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining('is of the future by the clock') });
    later(hour / 2);
    const old = expect.stringContaining('older than 29m');
    expect(await apply('--valid-for', '29m')).toMatchObject({ code: 1, err: old });
    expect(writes()).toBe(0);
    expect((await apply('--valid-for', '31m')).code).toBe(0);
    for (const text of ['0s', '1 day', '24', '-1h']) {
      expect(await apply(`--valid-for=${text}`)).toMatchObject({
        code: 64,
        err: expect.stringContaining('--valid-for: expected'),
      });
    }
  });

  test('a record may be elsewhere, and has to be where the plan comes from stdin', async () => {
    const { folder, flags, apply, record, writes } = await openPlanned();
    const elsewhere = join(folder, 'audit');
    expect((await apply('--record', elsewhere)).code).toBe(0);
    expect(existsSync(record)).toBe(false);
    expect(await apply('--record', elsewhere)).toMatchObject({ code: 1, err: expect.stringContaining('applied once') });
    expect(await apply('--record', '-')).toMatchObject({ code: 64, err: expect.stringContaining('expected a file') });
    const stdin = ['apply', '-', ...quick, ...flags].map((one) => (one === 'token' ? join(folder, one) : one));
    expect(await permissions(stdin)).toMatchObject({
      code: 64,
      err: expect.stringContaining('--record: is needed for a plan from stdin'),
    });
    for (const flag of ['--record=audit', '--valid-for=1h']) {
      const name = flag.split('=')[0];
      const without = await inFolder(['apply', '--yes', flag, ...flags], folder);
      expect(without).toMatchObject({ code: 64, err: `arango-services: ${name}: needs a saved plan\n` });
    }
    expect(writes()).toBe(3);
  });

  test('a record that cannot be written is named before anything is sent', async () => {
    const { folder, apply, writes } = await openPlanned();
    const nowhere = join(folder, 'missing', 'audit');
    expect(await apply('--record', nowhere)).toMatchObject({
      code: 64,
      err: expect.stringMatching(/missing\/audit: .*ENOENT.*see --record/),
    });
    expect(writes()).toBe(0);
  });

  test('one file may hold the records of several plans; another file is refused', async () => {
    const { folder, flags, apply, record, client } = await openPlanned();
    expect((await apply()).code).toBe(0);
    copyFileSync(join(folder, 'plan.json'), join(folder, 'first.json'));
    await client.authorization.bindings.remove(binding);
    expect((await inFolder(['plan', ...flags, '--out', 'plan.json'], folder)).code).toBe(2);
    expect(await apply()).toMatchObject({ code: 0, out: expect.stringContaining('Applied: 1 call.') });
    copyFileSync(join(folder, 'first.json'), join(folder, 'plan.json'));
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining('applied once') });
    writeFileSync(record, 'a list\nof users\n');
    expect(await apply()).toMatchObject({ code: 64, err: expect.stringContaining('is not a record of "apply"') });
  });

  test('a record that was cut anywhere is read, and loses no call that was made', async () => {
    const whole = await openPlanned();
    await whole.apply();
    const size = readFileSync(whole.record).length;
    for (let length = 1; length < size; length += isThorough ? 97 : 389) {
      const { apply, record, writes } = await openPlanned();
      await apply();
      truncateSync(record, length);
      const before = writes();
      await apply();
      expect(writes()).toBe(before);
    }
  });

  test('a record whose first head was cut is continued, also by a third run', async () => {
    for (const length of [1, 30, 120]) {
      const { apply, mock, record, writes } = await openPlanned();
      writeFileSync(
        record,
        `{"plan":"sha256:${'0'.repeat(64)}","at":"2026-01-01T00:00:00.000Z","form`.slice(0, length),
      );
      const end = mock.fail({ path: '/_management/permissions/user/alice/role/viewer', status: 503, times: 1_000 });
      expect((await apply()).code).toBe(1);
      end();
      expect(await apply()).toMatchObject({ code: 0, out: expect.stringContaining('Applied: 1 call, 2 made before.') });
      expect(writes()).toBe(4);
    }
  });

  test('a link to a plan has the record of the plan', async () => {
    const { folder, url, apply, client, record, writes } = await openPlanned();
    mkdirSync(join(folder, 'other'));
    symlinkSync('../plan.json', join(folder, 'other', 'link.json'));
    const flags = ['--url', url, '--token-file', join(folder, 'token')];
    const applyLink = () => permissions(['apply', join(folder, 'other', 'link.json'), ...quick, ...flags]);
    expect((await applyLink()).code).toBe(0);
    expect(existsSync(record)).toBe(true);
    // Without the record, no index tells that the plan was applied.
    await client.authorization.bindings.remove(binding);
    await client.authorization.roles.delete('viewer');
    await client.authorization.policies.delete('reader');
    const refused = { code: 1, err: expect.stringContaining('applied once') };
    expect([await apply(), await applyLink()]).toMatchObject([refused, refused]);
    expect(writes()).toBe(6);
  });

  test('a file that keeps no record, or is none, is refused and stays as it is', async () => {
    const { folder, apply, record, writes } = await openPlanned();
    expect(await apply('--record', '/dev/null')).toMatchObject({
      code: 64,
      err: expect.stringContaining('/dev/null: is not a regular file'),
    });
    const others = [
      'a-token-without-a-line-end',
      readFileSync(join(folder, 'plan.json'), 'utf8'),
      `{"plan":"sha256:0","format":"arango-services record 2"}\n`,
      `{"plan":"sha256:0","format":"arango-services record 1"}\n{"plan":"sha256:0","format":"arango-services record 2"}\n`,
      `\uFEFF{"plan":"sha256:0","format":"arango-services record 1"}\n`,
    ];
    for (const text of others) {
      writeFileSync(record, text);
      expect(await apply()).toMatchObject({ code: 64, err: expect.stringContaining('is not a record of "apply"') });
      expect(readFileSync(record, 'utf8')).toBe(text);
    }
    expect(writes()).toBe(0);
  });

  test.each<[string, string, string]>([
    ['begun', '"state":"made"', '"state":"made","state":"failed"'],
    ['of another plan', '"plan":"sha256:', '"plan":"sha256:0","\\u0070lan":"sha256:'],
  ])('a record with a line whose last of two keys makes a call %s is refused with its place', async (_, one, two) => {
    const { apply, client, record, writes } = await openPlanned();
    await apply();
    await client.authorization.bindings.remove(binding);
    const lines = readFileSync(record, 'utf8').split('\n');
    const edited = lines.with(-2, lines.at(-2)?.replace(one, two) ?? '');
    writeFileSync(record, edited.join('\n'));
    const column = (edited.at(-2)?.indexOf(two) ?? 0) + two.lastIndexOf(',') + 2;
    const key = one.slice(0, one.indexOf(':'));
    expect(await apply()).toMatchObject({
      code: 64,
      err: `arango-services: plan.json.record:7:${column}: the key ${key} is there twice\n`,
    });
    expect(writes()).toBe(4);
  });

  test.each<[string, (text: string) => string]>([
    ['line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
    ['each line twice', (text) => text.replaceAll(/.*\n/g, '$&$&')],
    ['itself added', (text) => text + text],
    ['its first run added', (text) => text + text.split('\n').slice(0, 2).join('\n')],
  ])('a record with %s still refuses its plan', async (_, edit) => {
    const { apply, client, record, writes } = await openPlanned();
    await apply();
    await client.authorization.bindings.remove(binding);
    writeFileSync(record, edit(readFileSync(record, 'utf8')));
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining('applied once') });
    expect(writes()).toBe(4);
  });

  test('of two runs at once one stops, or both, and nothing is written twice', async () => {
    const { apply, folder, record, mock } = await openPlanned();
    const saved = { ...JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')) };
    const other = { ...saved, digest: 'sha256:other' };
    const [first, second] = [await readRecord(record, saved), await readRecord(record, saved)];
    const another = 'another run of this plan writes to';
    await using running = await openRecord(first, saved);
    await running.add({ call: 0, state: 'begun' });
    // It was read before the other one began.
    await expect(openRecord(second, saved)).rejects.toThrow(another);
    // What has been sent is recorded, and no more is sent; other plans may share the file.
    await running.add({ call: 0, state: 'made', index: 1 });
    await expect(running.add({ call: 1, state: 'begun' })).rejects.toThrow(another);
    await using alone = await openRecord(await readRecord(record, saved), saved);
    await using shared = await openRecord(await readRecord(record, other), other);
    await shared.add({ call: 0, state: 'begun' });
    await alone.add({ call: 1, state: 'begun' });
    await shared.add({ call: 0, state: 'made', index: 1 });
    expect((await readRecord(record, saved)).entries).toHaveLength(3);
    writeFileSync(record, '');
    await Promise.all([apply(), apply(), apply()]);
    const sent = mock.requests.filter(({ method, status }) => method !== 'GET' && status < 300);
    expect(new Set(sent.map(({ method, path }) => method + path)).size).toBe(sent.length);
  });
});
