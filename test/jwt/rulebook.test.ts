import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../src/index.ts';
import { createMock, type Mock } from '../../src/mock/index.ts';
import { verifyToken } from '../../src/token/index.ts';
import { call, validate } from '../support/calls.ts';
import { readVectors } from '../support/replay.ts';
import { at, type Outcome, tokenCases } from './tokens.ts';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecdsa = pair();
const secret = 'secret-one';
const pem = ecdsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const strangers = { HS256: 'secret-two', ES256: pair().privateKey };
const signers = { HS256: secret, ES256: ecdsa.privateKey };
const configured = { HS256: secret, ES256: pem };

/** What the mock's validate says, in the form of an outcome. */
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
  const options = algorithm === 'HS256' ? { secret } : { client };

  test('the tokens are many, each with a name of its own', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    expect(new Set(cases.map((one) => one.token)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThan(60);
  });

  test.each(cases)('$name', async ({ token, outcome }) => {
    const { observed, ...documented } = 'reason' in outcome ? outcome : { ...outcome, observed: undefined };
    const verified = await verifyToken(token, { ...options, now: new Date(at) });
    if (verified.valid) {
      const { valid: _, lifetimeMs, ...who } = verified;
      expect({ ...who, seconds: lifetimeMs / 1000 }).toEqual(documented);
    } else {
      expect(verified).toEqual({ valid: false, ...documented });
    }
    expect(outcomeOf(await validate(mock, token))).toEqual(documented);
    const expected = observed === undefined ? documented : { reason: observed };
    expect(outcomeOf(await validate(sidecar, token))).toEqual(expected);
  });

  test('the sidecar tells nothing of what its active key finds', async () => {
    const observed = await createMock({ now: at, fidelity: 'sidecar', authentication: { keys: { active } } });
    for (const { token, outcome } of cases) {
      const expected = 'reason' in outcome ? { reason: 'signature is invalid' } : outcome;
      expect(outcomeOf(await validate(observed, token))).toEqual(expected);
    }
  });
});

describe('what the services said of the recorded tokens', () => {
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

  test('are more than thirty', () => {
    expect(recorded.length).toBeGreaterThan(30);
  });

  test.each(recorded)('$name', async ({ token, said, keys, at }) => {
    const all = await Promise.all(
      keys.map(async (key) => {
        const options = key.includes('BEGIN') ? { keys: await publicKeys(key) } : { secret: key };
        return verifyToken(token, { ...options, now: new Date(at) });
      }),
    );
    const valid = all.find((one) => one.valid);
    expect(valid !== undefined).toBe(said.isValid);
    if (valid?.valid) expect([valid.user, valid.groups]).toEqual([said.details?.user, said.details?.groups]);
  });
});

async function publicKeys(active: string): Promise<string[]> {
  const mock: Mock = await createMock({ authentication: { keys: { active } } });
  const authorization = `bearer ${await mock.tokens.issue({ user: null })}`;
  const { body } = await call(mock, 'GET', '/_management/authentication/keys', undefined, { authorization });
  return body.keys as string[]; // The mock's own answer.
}
