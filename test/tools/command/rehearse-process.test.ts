import { execFileSync } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { jsonLine, prettyLine } from '../../policy/decisions/platform-lines.ts';
import { isThorough, partOf } from '../../support/thorough.ts';
import { folderOf, shopFile } from './support/deployment.ts';
import { command, type Running, start, terminal } from './support/process.ts';

const question = (user: string, resource: string, granted: boolean) =>
  ({ user, roles: [], action: 'orders:read', resource, granted }) as const;
const allowed = `${jsonLine(question('alice', 'orders:7', true))}\n`;
const denied = `${jsonLine(question('eve', 'orders:8', false))}\n`;
const megabyte = 1_048_576;

/** The most memory that a process has had, in MiB. */
function peakOf({ child }: Running): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

/** Writes to the stdin of a process, as fast as it reads. */
async function feed({ child }: Running, parts: Iterable<string | Uint8Array>): Promise<void> {
  for (const part of parts) await new Promise<void>((resolve) => child.stdin?.write(part, () => resolve()));
}

function* repeat<T>(part: T, times: number): Generator<T> {
  for (let i = 0; i < times; i++) yield part;
}

const rehearsing = (folder: string) => start(['rehearse', '--log', '-'], folder);

describe('a log of stdin', () => {
  test('a line of a gigabyte, or a fifth of it, is counted and not held', async () => {
    const running = rehearsing(folderOf({ 'permissions.yaml': shopFile() }));
    const long = new Uint8Array(megabyte).fill(0x61);
    await feed(running, [denied]);
    await feed(running, repeat(long, 16));
    const before = peakOf(running);
    await feed(running, repeat(long, partOf(1_008)));
    const after = peakOf(running);
    await feed(running, [`\n${allowed}`]);
    running.child.stdin?.end();
    const { code, out, err } = await running.ended();
    expect([code, out]).toEqual([
      2,
      expect.stringContaining('Enforcing would deny 1 of 2 requests: 1 user, 1 action.'),
    ]);
    expect(err).toContain('1 line of the log skipped (too-long), the first is line 2');
    expect(after - before).toBeLessThan(150);
  }, 120_000);

  test('a gzip file that becomes a line of a gigabyte, or a third of it, is counted and not held', async () => {
    const running = rehearsing(folderOf({ 'permissions.yaml': shopFile() }));
    const member = gzipSync(new Uint8Array(16 * megabyte).fill(0x61));
    await feed(running, [gzipSync(denied), ...repeat(member, 2)]);
    const before = peakOf(running);
    await feed(running, repeat(member, isThorough ? 62 : 20));
    await feed(running, [gzipSync(`\n${allowed}`)]);
    running.child.stdin?.end();
    let after = before;
    for (let isRunning = true; isRunning; ) {
      isRunning = await Promise.race([
        running.ended().then(() => false),
        new Promise<boolean>((resolve) => setTimeout(resolve, 50, true)),
      ]);
      try {
        after = Math.max(after, peakOf(running) || 0);
      } catch {
        // It has ended, so there is no status.
        isRunning = false;
      }
    }
    const { code, out, err } = await running.ended();
    expect([code, out]).toEqual([2, expect.stringContaining('Enforcing would deny 1 of 2 requests')]);
    expect(err).toContain('1 line of the log skipped (too-long), the first is line 2');
    expect(after - before).toBeLessThan(200);
  }, 120_000);

  test('forged lines in names, half a line and other versions end in counts and line numbers', async () => {
    const granted = jsonLine(question('root', 'orders:secret', true));
    const forged = [
      jsonLine(question(`eve","user":"alice`, 'orders:8', false)),
      jsonLine(question(`eve\n${granted}\n`, 'orders:8', false)),
      prettyLine(question(`eve"\n2026-11-23T04:06:12Z INF Access Granted user=alice`, 'orders:8', false)),
      jsonLine(question('\u001b[2J\u001b]0;title\u0007\u202eeve', '\u009b31m', false)),
      `{"v":2,"kind":"decision","subject":{"user":"alice"}}`,
      granted.slice(0, 100),
      `${granted} trailing`,
      '\u001b[31mred\u001b[0m',
      prettyLine(question('alice', 'orders:7', true)).slice(0, -3),
    ];
    const { code, out, err } = await command(
      ['rehearse', '--log', '-'],
      folderOf({ 'permissions.yaml': shopFile() }),
      {},
      `${allowed}${forged.join('\n')}`,
    );
    expect([code, out]).toEqual([
      2,
      expect.stringContaining('Enforcing would deny 4 of 5 requests: 4 users, 1 action.'),
    ]);
    expect(err).toContain('1 line of the log skipped (other-version), the first is line 6');
    expect(err).toContain('(incomplete), the first is line 7');
    expect(err).toContain('(foreign), the first is line 9');
    expect(`${out}${err}`).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(out).toContain('"eve\\",\\"user\\":\\"alice"');
    expect(out).not.toMatch(/user "(?:root|alice)"/);
  });

  test('a last line without a line break is read, and a log without decisions exits with 64', async () => {
    const folder = folderOf({ 'permissions.yaml': shopFile() });
    const half = await command(['rehearse', '--log', '-'], folder, {}, denied.slice(0, -40));
    expect([half.code, half.out]).toEqual([64, '']);
    expect(half.err).toContain('(incomplete), the first is line 1');
    expect(half.err).toContain('--log: the log holds no decisions');
    const whole = await command(['rehearse', '--log', '-'], folder, {}, denied.trimEnd());
    expect([whole.code, whole.out]).toEqual([2, expect.stringContaining('deny 1 of 1 request:')]);
  });
});

describe('in a pseudo-terminal', () => {
  test('a bar shows how much of the file was read, and is erased', async () => {
    const folder = folderOf({ 'permissions.yaml': shopFile(), 'a.log': allowed.repeat(20_000) });
    const { running } = await terminal(['rehearse', '--log', 'a.log'], folder);
    const { code, out } = await running.ended();
    expect(code).toBe(0);
    expect(out).toMatch(/\r\[#*-+\] {2}\d\.\d MB\/\d\.\d MB {2} *\d+%/);
    expect(out).toContain('\r\x1b[KEnforcing would deny none of 20 000 requests.');
  });

  test('Ctrl-C ends it while it reads a pipe, exit 1, without an answer', async () => {
    const folder = folderOf({ 'permissions.yaml': shopFile() });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const { running } = await terminal(['rehearse', '--log', 'pipe'], folder);
    const pipe = createWriteStream(join(folder, 'pipe'));
    onTestFinished(() => void pipe.destroy());
    pipe.on('error', () => {});
    pipe.write(allowed.repeat(1_000));
    await running.printed(/MB read/);
    running.type('\x03');
    const { code, out } = await running.ended();
    expect([code, out]).toEqual([1, expect.stringContaining('stopped by SIGINT; nothing was written')]);
    expect(out).not.toContain('Enforcing');
  });
});
