import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type SuperuserOptions, superuser } from '../../../src/client/node/index.ts';
import { createClient, isInvalidArgumentError } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';

const secret = 'canary-secret-0123456789-0123456789';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

function fileOf(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'superuser-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'key');
  writeFileSync(file, content);
  return file;
}

/** A deployment with a key, and a client of it; both go by the system clock. */
async function open(active: string, options: SuperuserOptions) {
  const mock = await createMock({ authentication: { keys: { active } } });
  const client = createClient({
    ...mock.connection,
    credentials: superuser(options),
    clock: { now: () => Date.now() },
  });
  return { mock, client };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => void vi.useRealTimers();
});

describe('superuser', () => {
  test.each<[string, string, () => SuperuserOptions]>([
    ['a secret', secret, () => ({ secret })],
    ['a secret in bytes', secret, () => ({ secret: new TextEncoder().encode(secret) })],
    ['a secret in a file', secret, () => ({ secretFile: fileOf(secret) })],
    ['a private key in a file', pem, () => ({ privateKeyFile: fileOf(pem) })],
  ])('may do everything with %s, and renews its tokens', async (_name, active, options) => {
    const { client, mock } = await open(active, options());
    await client.authorization.policies.create('canary', { statements: [] });
    const told: string[] = [];
    client.onToken((token) => told.push(token));
    for (let step = 0; step < 20; step++) {
      vi.advanceTimersByTime(240_000);
      expect((await client.route('_echo').get()).status).toBe(200);
      const validation = await client.authentication.validate(await client.freshToken());
      expect(validation).toMatchObject({ valid: true, superuser: true });
    }
    expect(told.length).toBeGreaterThanOrEqual(10);
    expect(mock.requests.filter(({ status }) => status === 401)).toEqual([]);
  });

  test('signs for five minutes, also for a deployment whose clock is behind', async () => {
    const { client } = await open(secret, { secret });
    const [header, payload] = (await client.freshToken()).split('.');
    const read = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    const now = Math.floor(Date.now() / 1_000);
    expect(read(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    const claims = { iss: 'arangodb', server_id: 'arango-services', iat: now - 10, exp: now + 300 };
    expect(read(payload)).toEqual(claims);
  });

  test('follows a new secret in its file after a 401', async () => {
    const file = fileOf('another-secret-0123456789');
    const { client } = await open(secret, { secretFile: file });
    expect(await failureOf(client.authorization.policies.list().next())).toMatchObject({ status: 401 });
    writeFileSync(file, secret);
    expect((await client.authorization.policies.list().next()).done).toBe(true);
  });

  test.each<[string, unknown, string]>([
    ['nothing', {}, 'credentials'],
    ['two', { secret, secretFile: '/canary' }, 'credentials'],
    ['an unknown option', { secret, canary: secret }, 'credentials.canary'],
    ['an empty secret', { secret: '' }, 'credentials.secret'],
    ['a secret of spaces', { secret: '   ' }, 'credentials.secret'],
    ['a key as a secret', { secret: pem }, 'credentials.secret'],
    ['a number', { secret: 12345 }, 'credentials.secret'],
    ['an empty path', { secretFile: '' }, 'credentials.secretFile'],
  ])('refuses %s at once, without showing it', (_name, options, field) => {
    try {
      // The cast: deliberately wrong.
      superuser(options as SuperuserOptions);
    } catch (error) {
      expect(isInvalidArgumentError(error) && error.field).toBe(field);
      expect(inspect(error)).not.toMatch(/canary-secret|12345|MIG/);
      return;
    }
    expect.fail('expected a refusal');
  });

  test.each<[string, () => SuperuserOptions, string]>([
    ['is missing', () => ({ secretFile: '/nowhere/canary' }), 'the secret file cannot be read (ENOENT)'],
    ['is a folder', () => ({ privateKeyFile: tmpdir() }), 'the private key file cannot be read (EISDIR)'],
    ['holds no secret', () => ({ secretFile: fileOf('  \n') }), 'has only white space and zeros'],
    ['holds no key', () => ({ privateKeyFile: fileOf(secret) }), 'expected a private ES256 key as PEM'],
    [
      'holds a broken key',
      () => ({ privateKeyFile: fileOf(pem.replace(/\nM.{30}/, '\nMcanary-secret')) }),
      'expected a private ES256 key as PEM',
    ],
  ])('rejects a call if its file %s', async (_name, options, message) => {
    const { client } = await open(secret, options());
    const error = await failureOf(client.route('_echo').get());
    expect(error.code).toBe('CREDENTIALS');
    expect(error.message).toContain(message);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary');
  });

  test('shows neither secret nor key in an inspection or an error of the deployment', async () => {
    const own = superuser({ secret });
    expect(inspect(own, { depth: 9, showHidden: true }) + JSON.stringify(own)).not.toContain('canary');
    const { client } = await open('another-secret-0123456789', { secret });
    const error = await failureOf(client.authorization.policies.list().next());
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/canary|eyJ/);
  });
});
