import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setupServer } from 'msw/node';
import { describe, expect, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { handlers } from '../../../src/mock/adapters/msw.ts';
import { createMock } from '../../../src/mock/index.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const version = '/_api/version';
const open = { authentication: { mode: 'None' } } as const;

describe('disposal', () => {
  test('closes every adapter', async () => {
    const mock = await createMock(open);
    const { url } = await listen(mock);
    expect((await fetch(`${url}${version}`)).status).toBe(200);
    await mock[Symbol.asyncDispose]();
    await expect(fetch(`${url}${version}`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await expect(mock.fetch(`http://mock.test${version}`)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    await mock[Symbol.asyncDispose]();
  });

  test('answers delayed requests, and ends pending waits', async () => {
    const mock = await createMock(open);
    mock.fail({ path: version, delayMs: 600_000 });
    const delayed = mock.fetch(`http://mock.test${version}`);
    const waiting = mock.waitFor({ path: '/never' }, { timeout: 600_000 });
    const ended = expect(waiting).rejects.toThrow(
      'waitFor(any method /never) ended because the mock was disposed; nothing arrived',
    );
    await mock[Symbol.asyncDispose]();
    expect((await delayed).status).toBe(200);
    await ended;
  });

  test('works with `await using`', async () => {
    let closed = '';
    {
      await using mock = await createMock(open);
      mock.onDispose(() => {
        closed += 'a';
      });
      mock.onDispose(async () => {
        closed += 'b';
      });
      expect(closed).toBe('');
    }
    expect(closed).toBe('ba');
  });

  test('leaves no handles: a process that used every adapter exits by itself', async () => {
    // Uses the built package like another project: with a port, connections kept alive, interception, delays and waits.
    const code = `
      import { setupServer } from 'msw/node';
      import { createMock } from './dist/mock/index.js';
      import { handlers } from './dist/mock/adapters/msw.js';
      import { listen } from './dist/mock/adapters/node/index.js';
      const mock = await createMock({ authentication: { mode: 'None' } });
      const { url } = await listen(mock);
      await (await fetch(url + '/_api/version')).text();
      const server = setupServer(...handlers(mock));
      server.listen({ onUnhandledFrame: 'bypass' });
      await (await fetch(mock.connection.url + '/_api/version')).text();
      await mock.keys.rotate();
      mock.restore(mock.snapshot());
      mock.fail({ path: '/_api/version', delayMs: 600_000 });
      mock.fail({ path: '/_db/x/_api/version', delayMs: 600_000 });
      const pending = [mock.fetch('http://mock.test/_api/version'), fetch(url + '/_db/x/_api/version')];
      mock.waitFor({ path: '/never' }, { timeout: 600_000 }).catch(() => {});
      const arrived = () => { try { mock.assertFaultsUsed(); return true; } catch { return false; } };
      while (!arrived()) await new Promise((resolve) => setTimeout(resolve, 5));
      await mock[Symbol.asyncDispose]();
      server.close();
      console.log((await Promise.all(pending)).map(({ status }) => status).join());
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: root,
      timeout: 15_000,
    });
    expect(stdout.trim()).toBe('200,200');
  });

  test('does not end the interception of another mock', async () => {
    const [one, two] = [await createMock(open), await createMock(open)];
    const server = setupServer(...handlers(one), ...handlers(two));
    server.listen({ onUnhandledFrame: 'error' });
    try {
      expect((await fetch(`http://mock.test${version}`)).status).toBe(200);
      await one[Symbol.asyncDispose]();
      expect((await fetch(`http://mock.test${version}`)).status).toBe(200);
      expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
    } finally {
      server.close();
    }
  });
});
