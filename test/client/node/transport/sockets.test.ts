import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fromEnv } from '../../../../src/client/node/index.ts';
import { createClient } from '../../../../src/index.ts';
import { failureOf } from '../../../support/failure.ts';
import { json, serve } from '../../../support/server.ts';
import { clientOver, serveSocket, temporaryFolder } from './support.ts';

/** A server on a socket that echoes the requested path and host. */
async function onSocket(): Promise<string> {
  const path = join(temporaryFolder(), 'service.sock');
  await serveSocket(
    createServer(({ url, headers }, response) => void response.end(`${headers.host} ${url}`)),
    path,
  );
  return path;
}

const text = { responseType: 'text' } as const;

describe('A Unix domain socket', () => {
  test('serves every origin, or the named ones', async () => {
    const socketPath = await onSocket();
    const { body } = await clientOver('http://anything.test', { socketPath }).route('svc').with(text).get();
    expect(body).toBe('anything.test /_db/_system/svc');
    const other = await serve(json('over the network'));
    const client = clientOver(
      other.url,
      { socketPath: { 'http://service.test': socketPath } },
      { integrationUrl: 'http://service.test/x' },
    );
    expect((await client.route().get()).body).toBe('over the network');
    expect(await failureOf(client.authentication.validate('t'))).toMatchObject({
      path: '/x/_integration/authn/v1/validate',
    });
  });

  test('that does not exist is a NetworkError', async () => {
    const client = clientOver('http://service.test', { socketPath: join(temporaryFolder(), 'nothing.sock') });
    expect(await failureOf(client.route().get())).toMatchObject({ code: 'NETWORK', cause: { code: 'ENOENT' } });
  });

  test('of the environment: only the integration services use INTEGRATION_HTTP_UNIX, and only without an address', async () => {
    const deployment = await serve(json('deployment'));
    const env = { ARANGO_DEPLOYMENT_ENDPOINT: deployment.url, INTEGRATION_HTTP_UNIX: await onSocket() };
    const client = createClient({ ...fromEnv(env), retry: 0 });
    expect((await client.route().get()).body).toBe('deployment');
    // The server of this test answers with text: the request arrived, at the path of the service.
    expect(await failureOf(client.authentication.validate('t'))).toMatchObject({ code: 'PARSE', status: 200 });
    await client.close();
    expect(deployment.seen).toHaveLength(1);
    const both = fromEnv({ ...env, INTEGRATION_HTTP_ADDRESS_FULL: 'http://127.0.0.1:9202' });
    expect({ ...both }).toEqual({ url: deployment.url, integrationUrl: 'http://127.0.0.1:9202' });
  });
});
