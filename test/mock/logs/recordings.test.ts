import { describe, expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.js';
import { recordings, resign, secret } from './recorded.ts';

/** The lines of the sidecar about its own connections, which a mock does not have. */
const ofConnections = /Connecting via Socket|Authorization pool client error/;

const withoutTime = (line: string): string =>
  line
    .trimEnd()
    .replace(/"time":"[^"]+"/, '"time":""')
    .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /, '');

describe.each(recordings)('%s', (_, { type, format, level, state, at, steps }) => {
  const start = async (lines: string[]) => {
    const keys = { active: secret };
    const mock = await createMock({
      fidelity: 'sidecar',
      authorization: { type },
      authentication: { keys },
      ...state,
      now: at,
    });
    const options = { format: format === 'JSON' ? 'json' : 'pretty', level } as const;
    await mock.platformLog({ ...options, write: (line) => lines.push(line) });
    return mock;
  };

  test('the lines are the recorded ones', async () => {
    const lines: string[] = [];
    await using mock = await start(lines);
    const superuser = `bearer ${await mock.tokens.issue({ user: null })}`;
    let compared = 0;
    for (const [index, { request, status, response, log }] of steps.entries()) {
      const { token, ...body } = request.body ?? {};
      const sent = typeof token === 'string' ? { ...body, token: resign(token) } : body;
      const answer = await mock.fetch(`${mock.connection.url}${request.path}`, {
        method: request.method,
        ...(request.path.startsWith('/_management/') && { headers: { authorization: superuser } }),
        ...(request.body && { body: JSON.stringify(sent) }),
      });
      expect([index, answer.status]).toEqual([index, status]);
      const { effect, message } = (await answer.json()) as Record<string, unknown>;
      if (effect !== undefined)
        expect({ effect, message }).toMatchObject({ effect: response.effect, message: response.message });
      const recorded = log.filter((line) => !ofConnections.test(line)).map(withoutTime);
      expect(lines.splice(0).map(withoutTime), `step ${index}`).toEqual(recorded);
      compared += recorded.length;
    }
    const least = { central: level === 'debug' ? 60 : 6, 'central-permissive': 50, always: 14, never: 0 }[type];
    expect(compared).toBeGreaterThanOrEqual(least);
  });

  test('times are those of the clock, in whole seconds', async () => {
    const lines: string[] = [];
    await using mock = await start(lines);
    mock.clock.set('2026-11-23T04:06:12.987Z');
    await mock.fetch(`${mock.connection.url}/_integration/authorization/v1/evaluate`, {
      method: 'POST',
      body: JSON.stringify({ user: 'alice', action: 'orders:read', resource: 'order:7' }),
    });
    if (type === 'always' || type === 'never' || (type === 'central' && level === 'info')) expect(lines).toEqual([]);
    else {
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toContain('2026-11-23T04:06:12Z');
    }
  });
});
