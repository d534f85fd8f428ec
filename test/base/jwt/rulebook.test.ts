import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyToken } from '../../../src/enforce/guard/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { call, validate } from '../../support/calls.ts';
import { readVectors } from '../../support/replay.ts';
import { at, type Outcome, tokenCases } from './tokens.ts';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecdsa = pair();
const secret = 'secret-one';
const pem = ecdsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const strangers = { HS256: 'secret-two', ES256: pair().privateKey };
const signers = { HS256: secret, ES256: ecdsa.privateKey };
const configured = { HS256: secret, ES256: pem };

/** The result of the mock's validate, as an outcome. */
function outcomeOf(answer: Record<string, unknown>): Outcome {
  if (answer.isValid !== true) return { reason: String(answer.message) };
  const { lifetime, ...who } = answer.details as { lifetime: string; groups: string[] };
  return { ...who, seconds: Number.parseFloat(lifetime) };
}

describe.each(['HS256', 'ES256'] as const)('%s: one rulebook for verifyToken and the mock', async (algorithm) => {
  const cases = tokenCases(algorithm, signers[algorithm], strangers);
  const active = configured[algorithm];
  const mock = await createMock({ now: at, authentication: { keys: { active } } });
  const passive = { active: 'another', passive: ['a third', active] };
  const sidecar = await createMock({ now: at, fidelity: 'sidecar', authentication: { keys: passive } });
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  const keys: typeof client.authentication.keys = (options) => client.authentication.keys(options);
  // A deployment of its own for each token, because so many forged ones use up the loads of keys.
  const options = () => (algorithm === 'HS256' ? { secret } : { client: { authentication: { keys } } });

  test('has many tokens, each with its own name', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    expect(new Set(cases.map((one) => one.token)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThan(60);
  });

  test.each(cases)('$name', async ({ token, outcome }) => {
    const { observed, taken, ...documented } =
      'reason' in outcome ? outcome : { ...outcome, observed: undefined, taken: undefined };
    const verified = await verifyToken(token, { ...options(), now: new Date(at) });
    if (verified.valid) {
      const { valid: _, lifetimeMs, ...who } = verified;
      expect({ ...who, seconds: lifetimeMs / 1000 }).toEqual(documented);
    } else {
      expect(verified).toEqual({ valid: false, ...documented });
    }
    expect(outcomeOf(await validate(mock, token))).toEqual(documented);
    const expected = taken ?? (observed === undefined ? documented : { reason: observed });
    expect(outcomeOf(await validate(sidecar, token))).toEqual(expected);
  });

  test('the sidecar does not reveal its active key’s findings', async () => {
    const observed = await createMock({ now: at, fidelity: 'sidecar', authentication: { keys: { active } } });
    for (const { token, outcome } of cases) {
      const expected = 'reason' in outcome ? (outcome.taken ?? { reason: 'signature is invalid' }) : outcome;
      expect(outcomeOf(await validate(observed, token))).toEqual(expected);
    }
  });
});

describe('the services’ verdicts on recorded tokens', () => {
  const recorded = readVectors('vectors').flatMap(({ name, at, config, steps }) => {
    const { active, passive = [] } = config.authentication?.keys ?? {};
    if (config.authentication?.enabled === false || active === undefined) return [];
    return steps.flatMap(({ request, response, note }, index) => {
      const { token } = (request.body ?? {}) as { token?: unknown };
      if (!request.path.endsWith('/authn/v1/validate') || response.status !== 200) return [];
      if (typeof token !== 'string' || token === '' || token.includes('{{')) return [];
      // The cast: these answers were recorded in this form.
      const said = response.body as { isValid: boolean; details?: { user?: string; groups: string[] } };
      return [{ name: `${name} ${index + 1}: ${note ?? ''}`, at, token, said, keys: [active, ...passive] }];
    });
  });

  test('are more than two hundred', () => {
    expect(recorded.length).toBeGreaterThan(200);
  });

  /** Reasons for which verifyToken refuses a token that the services accept. Source: docs/wire.md, "Tokens". */
  const stricter = /crit|token is expired|before issued|not valid yet|could not base64 decode/;

  test('verifyToken accepts none that the services refused, and refuses ten that they accepted', async () => {
    const outcomes = await Promise.all(recorded.map(async (one) => ({ one, verified: await verifyByAny(one) })));
    const refused = outcomes.filter(({ one, verified }) => one.said.isValid && !verified.valid);
    expect(refused.map(({ verified }) => 'reason' in verified && stricter.test(verified.reason))).toEqual(
      Array.from({ length: 10 }, () => true),
    );
    expect(outcomes.filter(({ one, verified }) => !one.said.isValid && verified.valid)).toEqual([]);
  });

  test.each(recorded)('$name', async (one) => {
    const verified = await verifyByAny(one);
    if (!verified.valid) return expect(!one.said.isValid || stricter.test(verified.reason)).toBe(true);
    const { details } = one.said;
    expect([true, verified.user, verified.groups]).toEqual([one.said.isValid, details?.user, details?.groups]);
  });
});

/** The result of verifyToken with the first key that verifies the token, else with the active one. */
async function verifyByAny({ token, keys, at }: { token: string; keys: readonly string[]; at: string }) {
  const all = await Promise.all(
    keys.map(async (key) => {
      const options = key.includes('BEGIN') ? { keys: await publicKeys(key) } : { secret: key };
      return verifyToken(token, { ...options, now: new Date(at) });
    }),
  );
  return all.find((one) => one.valid) ?? all[0] ?? { valid: false as const, reason: 'there was no key' };
}

async function publicKeys(active: string): Promise<string[]> {
  const mock: Mock = await createMock({ authentication: { keys: { active } } });
  const authorization = `bearer ${await mock.tokens.issue({ user: null })}`;
  const { body } = await call(mock, 'GET', '/_management/authentication/keys', undefined, { authorization });
  return body.keys as string[]; // The mock's own answer.
}
