import { describe, expect, test } from 'vitest';
import { createMock } from '../../src/mock/index.ts';
import { readVectors, replay, throughFetch, throughPort } from '../support/replay.ts';

const vectors = readVectors('mock/documented');
const ways = [
  ['mock.fetch', throughFetch],
  ['the port', throughPort],
] as const;

describe.each(ways)('the mock answers as documented where the observed services differ, through %s', (_, open) => {
  test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    await using mock = await createMock({ ...vector.config, now: vector.at });
    expect(vector.config.fidelity).toBe('documented');
    expect(await replay(vector, await open(mock))).toBe(vector.steps.length);
  });
});

/**
 * The rows of the table "Fidelity" in docs/wire.md and the rules of "Who may create tokens", by a phrase in the notes.
 */
const rows = [
  /roles in evaluate, groups of a token/,
  /who is checked by the createToken gate/,
  /lifetime: "1h" in a request/,
  /why validate refuses a token/,
  /identity of a token without a user/,
  /scheme of Authorization at identity/,
  /an effect that is neither Allow nor Deny/,
  /a policy or role that does not validate/,
  /a pattern that cannot be parsed/,
  /removing a binding that does not exist/,
  /central-permissive: a Deny stays a Deny/,
  /who is the superuser/,
  /logout: the session's token is refused/,
  /Gated only when central services are enabled and the active key is asymmetric/,
  /must be granted by the policies themselves, whatever the authorization type/,
  /No explicit user: a privileged default mint/,
];

test.each(rows)('a vector covers %s', (row) => {
  expect(vectors.filter(({ steps }) => steps.some(({ note }) => row.test(note ?? '')))).not.toEqual([]);
});

describe('cases that no vector covers', () => {
  const ask = { method: 'POST', body: JSON.stringify({ user: 'alice', action: 'orders:read', resource: 'orders' }) };
  const url = 'http://mock.test/_integration/authorization/v1/evaluate';

  test('central-permissive: an evaluation that fails is allowed', async () => {
    const mock = await createMock({ authorization: { type: 'central-permissive' } });
    mock.fail({ evaluation: true });
    expect(await (await mock.fetch(url, ask)).json()).toEqual({ message: 'Access granted', effect: 'Allow' });
    expect(await (await mock.fetch(url, ask)).json()).toEqual({ message: 'Permission denied', effect: 'Deny' });
    mock.assertFaultsUsed();
  });

  test('central: an evaluation that fails is an error, not a decision', async () => {
    const mock = await createMock();
    mock.fail({ evaluation: true });
    expect((await mock.fetch(url, ask)).status).toBe(500);
  });
});
