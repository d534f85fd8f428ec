import { describe, expect, expectTypeOf, test } from 'vitest';
import { fromEnv, type Modes } from '../../../src/client/node/index.ts';
import { createClient, isInvalidArgumentError } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';

const env = {
  ARANGO_DEPLOYMENT_ENDPOINT: 'https://deployment.test:8529',
  INTEGRATION_HTTP_ADDRESS_FULL: 'http://127.0.0.1:9202',
};

function refusalOf(values: unknown) {
  try {
    // The cast: deliberately wrong.
    fromEnv(values as typeof env);
  } catch (error) {
    if (isInvalidArgumentError(error)) return error;
  }
  return expect.fail('expected a refusal');
}

describe('fromEnv', () => {
  test('reads the environment that the mock describes', async () => {
    const mock = await createMock();
    const options = fromEnv(mock.env());
    expect(options.modes).toEqual({
      authentication: 'Native',
      authorization: 'RBAC',
      authorizationCoreDb: 'Native',
      authorizationType: 'central',
    });
    const client = createClient({ ...options, fetch: mock.fetch });
    expect((await client.authentication.createToken({ user: 'a' })).user).toBe('a');
    expect(createClient(options).authentication).toBeDefined();
  });

  test('reads every variable', async () => {
    const read = fromEnv({
      ...env,
      ARANGO_TOKEN: '/var/run/token',
      ARANGO_DEPLOYMENT_CA: '/var/run/ca.pem',
      INTEGRATION_AUTHENTICATION_MODE: 'SSO',
      INTEGRATION_AUTHORIZATION_MODE: 'None',
      INTEGRATION_AUTHORIZATION_MODE_COREDB: 'None',
      INTEGRATION_AUTHORIZATION_V1_TYPE: 'central-permissive',
      PATH: '/bin',
    });
    expect({ ...read }).toEqual({
      url: env.ARANGO_DEPLOYMENT_ENDPOINT,
      integrationUrl: env.INTEGRATION_HTTP_ADDRESS_FULL,
      credentials: expect.any(Object),
      transport: expect.any(Object),
    });
    expect(read.caFile).toBe('/var/run/ca.pem');
    expect(read.modes).toEqual({
      authentication: 'SSO',
      authorization: 'None',
      authorizationCoreDb: 'None',
      authorizationType: 'central-permissive',
    });
    expectTypeOf<Modes['authentication']>().toEqualTypeOf<'None' | 'Native' | 'SSO' | (string & {}) | undefined>();
    expectTypeOf<Modes['authorizationCoreDb']>().toEqualTypeOf<
      'None' | 'Native' | 'RBAC' | (string & {}) | undefined
    >();
    expectTypeOf<Modes['authorizationType']>().toEqualTypeOf<
      'central' | 'central-permissive' | 'always' | 'never' | undefined
    >();
  });

  test.each(['RBAC', 'OIDC', 'none', 'an unknown word'])('accepts the mode %j as text', (word) => {
    const { modes } = fromEnv({
      ...env,
      INTEGRATION_AUTHENTICATION_MODE: word,
      INTEGRATION_AUTHORIZATION_MODE: word,
      INTEGRATION_AUTHORIZATION_MODE_COREDB: word,
    });
    expect(modes).toMatchObject({ authentication: word, authorization: word, authorizationCoreDb: word });
  });

  test('treats an empty variable as missing', () => {
    const read = fromEnv({ ...env, ARANGO_TOKEN: '', INTEGRATION_AUTHENTICATION_MODE: '' });
    expect(read.credentials).toBeUndefined();
    expect(read.caFile).toBeUndefined();
    expect({ ...read }).not.toHaveProperty('transport');
    expect(read.modes.authentication).toBeUndefined();
  });

  test.each([
    [{}, 'env.ARANGO_DEPLOYMENT_ENDPOINT'],
    [{ ...env, ARANGO_DEPLOYMENT_ENDPOINT: '' }, 'env.ARANGO_DEPLOYMENT_ENDPOINT'],
    [{ ...env, ARANGO_DEPLOYMENT_ENDPOINT: 'deployment:8529' }, 'env.ARANGO_DEPLOYMENT_ENDPOINT'],
    [{ ...env, INTEGRATION_HTTP_ADDRESS_FULL: undefined }, 'env.INTEGRATION_HTTP_ADDRESS_FULL'],
    [{ ...env, INTEGRATION_HTTP_ADDRESS_FULL: 'http://user:canary@host' }, 'env.INTEGRATION_HTTP_ADDRESS_FULL'],
    [{ ...env, INTEGRATION_AUTHENTICATION_MODE: 5 }, 'env.INTEGRATION_AUTHENTICATION_MODE'],
    [{ ...env, INTEGRATION_AUTHORIZATION_V1_TYPE: 'Central' }, 'env.INTEGRATION_AUTHORIZATION_V1_TYPE'],
    [{ ...env, ARANGO_TOKEN: 5 }, 'env.ARANGO_TOKEN'],
    [undefined, 'env'],
  ])('%j: the error names %s', (values, field) => {
    const error = refusalOf(values);
    expect(error.field).toBe(field);
    expect(error.message).not.toContain('canary');
  });
});
