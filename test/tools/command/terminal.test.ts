import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readState } from '../../../src/permissions/index.ts';
import { casesOf } from '../../support/thorough.ts';
import { openDeployment, shopFile } from './support/deployment.ts';
import { command, start, terminal } from './support/process.ts';

const file = { 'permissions.yaml': shopFile(['alice', 'bob']) };

/** The texts of a terminal without its sequences; each drawing of a line starts at its return. */
const drawings = (out: string): string[] => out.replaceAll('\x1b[K', '').split(/\r\n|\r|\n/);

describe('in a pseudo-terminal', () => {
  test('apply shows the plan in color, asks, and draws a bar with the time left', async () => {
    const { mock, folder, flags } = await openDeployment({}, file);
    mock.fail({ delayMs: 30, times: Number.POSITIVE_INFINITY });
    const { running } = await terminal(['apply', ...flags, '--settle-ms', '200'], folder);
    await running.printed(/Only "yes" applies them: $/);
    expect(running.out).toContain('\x1b[32m  + policy "reader": is missing\x1b[0m');
    running.type('yes\n');
    const { code, out } = await running.ended();
    expect({ code, out }).toMatchObject({ code: 0 });
    const bars = drawings(out).filter((line) => line.startsWith('['));
    expect(bars[0]).toBe('[--------------------]  0/4    0%');
    expect(bars.at(-1)).toMatch(
      /^\[#{20}\] {2}4\/4 {2}100% {2}0 s left {2}binding of user "(?:alice|bob)" to role "viewer"$/,
    );
    expect(bars.some((line) => /\[#+-+\] {2}[123]\/4 {2} \d\d% {2}\d+ s left/.test(line))).toBe(true);
    expect(out).toContain('Applied: 4 calls.');
    expect((await command(['plan', ...flags], folder)).code).toBe(0);
  });

  test.each(casesOf(['no\n', '\n', 'y\n', '\x04']))('the answer %j applies nothing, exit 1', async (answer) => {
    const { folder, flags, client } = await openDeployment({}, file);
    const { running } = await terminal(['apply', ...flags], folder);
    await running.printed(/applies them: $/);
    running.type(answer);
    const { code, out } = await running.ended();
    expect([code, out]).toEqual([1, expect.stringContaining('not applied: nothing was written')]);
    expect(await readState(client, { users: [] })).toMatchObject({ policies: new Map() });
  });

  test('NO_COLOR leaves out the color', async () => {
    const { folder, flags } = await openDeployment({}, file);
    const { running } = await terminal(['plan', ...flags], folder, { NO_COLOR: '1' });
    const { code, out } = await running.ended();
    expect(code).toBe(2);
    expect(out).not.toContain('\x1b');
  });

  test('a plan is refused if something was written while the question was open', async () => {
    const { folder, flags, client } = await openDeployment({}, file);
    const { running } = await terminal(['apply', ...flags], folder);
    await running.printed(/applies them: $/);
    await client.authorization.policies.create('other', { statements: [] });
    running.type('yes\n');
    const { code, out } = await running.ended();
    expect(code).toBe(1);
    expect(out).toMatch(/the plan is stale: .*: the policy "other"; nothing was written, make a new plan/);
    expect((await command(['plan', ...flags], folder)).code).toBe(2);
  });

  test('a plan is refused if a hold of what it gives was made while the question was open', async () => {
    const { folder, flags, client } = await openDeployment({}, file);
    const { running } = await terminal(['apply', ...flags], folder);
    await running.printed(/applies them: $/);
    const hold = 'holds: [{ user: bob, until: "2999-12-31T23:00:00Z", reason: INC-7 }]';
    writeFileSync(join(folder, 'permissions.holds.yaml'), hold);
    running.type('yes\n');
    const { code, out } = await running.ended();
    expect([code, out]).toEqual([1, expect.stringContaining('user "bob" to role "viewer", which is held')]);
    expect(await readState(client, { users: [] })).toMatchObject({ policies: new Map() });
  });

  test.each(casesOf(['SIGINT', 'SIGTERM'] as const))('%s at the question writes nothing', async (signal) => {
    const { folder, flags } = await openDeployment({}, file);
    const { running, pid } = await terminal(['apply', ...flags], folder);
    await running.printed(/applies them: $/);
    process.kill(pid, signal);
    const { code, out } = await running.ended();
    expect([code, out]).toEqual([1, expect.stringContaining(`stopped by ${signal}; nothing was written`)]);
  });

  test.each(casesOf(['SIGINT', 'SIGTERM', 'Ctrl-C'] as const))(
    '%s in the middle says what was done; a second run finishes',
    async (signal) => {
      const { folder, flags } = await openDeployment({}, file);
      const { running, pid } = await terminal(['apply', ...flags, '--settle-ms', '600000'], folder);
      await running.printed(/applies them: $/);
      running.type('yes\n');
      await running.printed(/1\/4/);
      if (signal === 'Ctrl-C') running.type('\x03');
      else process.kill(pid, signal);
      const { code, out } = await running.ended();
      expect(code).toBe(1);
      const name = signal === 'Ctrl-C' ? 'SIGINT' : signal;
      expect(out).toContain(`${name}: stopping after the calls in flight`);
      expect(out).toContain(`apply was stopped: ${name}; written: policy "reader"`);
      expect(out).toContain('1 of 4 calls were made; run it again to finish');
      const second = await terminal(['apply', ...flags, '--settle-ms', '0'], folder);
      await second.running.printed(/applies them: $/);
      second.running.type('yes\n');
      expect(await second.running.ended()).toMatchObject({
        code: 0,
        out: expect.stringContaining('Applied: 3 calls.'),
      });
      expect((await command(['plan', ...flags], folder)).code).toBe(0);
    },
  );

  test('the first signal lets a call in flight end, the second one ends the process', async () => {
    const { mock, folder, flags } = await openDeployment({}, file);
    const undo = mock.fail({ method: 'POST', delayMs: 600_000, times: Number.POSITIVE_INFINITY });
    const { running, pid } = await terminal(['apply', '--yes', ...flags], folder);
    await mock.waitFor({ method: 'GET', path: '/_management/permissions/policy/reader' });
    process.kill(pid, 'SIGTERM');
    await running.printed(/SIGTERM: stopping after the calls in flight; once more to end at once/);
    expect(running.child.exitCode).toBe(null);
    process.kill(pid, 'SIGTERM');
    expect((await running.ended()).code).toBe(128 + 15);
    undo();
  });
});

describe('without a terminal', () => {
  test('apply needs --yes, and prints a line for each call', async () => {
    const { folder, flags } = await openDeployment({}, file);
    const refused = await command(['apply', ...flags], folder);
    expect(refused).toMatchObject({ code: 64, out: '', err: expect.stringContaining('--yes: is needed where') });
    const { code, out, err } = await command(['apply', '--yes', '--settle-ms', '0', ...flags], folder);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err.trimEnd().split('\n')).toEqual([
      '1/4 policy "reader" created',
      '2/4 role "viewer" created',
      expect.stringMatching(/^3\/4 binding of user "(alice|bob)" to role "viewer" created$/),
      expect.stringMatching(/^4\/4 binding of user "(alice|bob)" to role "viewer" created$/),
    ]);
    expect(out).not.toContain('\x1b');
    expect(out).toMatch(/Applied: 4 calls\.\n$/);
  });

  test.each(casesOf(['SIGINT', 'SIGTERM'] as const))(
    '%s in the middle of a saved plan: the same plan finishes',
    async (signal) => {
      const { folder, flags } = await openDeployment({}, file);
      expect((await command(['plan', ...flags, '--out', 'plan.json'], folder)).code).toBe(2);
      const running = start(['apply', 'plan.json', ...flags, '--settle-ms', '600000'], folder);
      await running.printed(/1\/4 policy "reader" created/);
      running.child.kill(signal);
      const { code, err } = await running.ended();
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(`apply was stopped: ${signal}; written: policy "reader"`),
      ]);
      // The file is not read again: the plan is applied as it was approved.
      writeFileSync(join(folder, 'permissions.yaml'), 'policies: {}');
      const again = await command(['apply', 'plan.json', ...flags, '--settle-ms', '0'], folder);
      expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Applied: 3 calls, 1 made before.') });
      expect(readFileSync(join(folder, 'plan.json'), 'utf8')).toContain('"digest": "sha256:');
    },
  );
});
