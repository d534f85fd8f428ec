import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { fromEnv } from '../../../src/node/index.ts';
import { createAuthority } from '../../support/certificates.ts';
import { failureOf } from '../../support/failure.ts';
import { json, serve } from '../../support/server.ts';
import { clientOver, serveProxy, serveSocket, serveTls, temporaryFolder } from './support.ts';

/** A server on a socket, which answers with the path and the host that it was asked for. */
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
  test('serves every origin, or those that are named', async () => {
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

  test('that is not there is a NetworkError', async () => {
    const client = clientOver('http://service.test', { socketPath: join(temporaryFolder(), 'nothing.sock') });
    expect(await failureOf(client.route().get())).toMatchObject({ code: 'NETWORK', cause: { code: 'ENOENT' } });
  });

  test('of the environment: the integration services alone go over INTEGRATION_HTTP_UNIX, and only without an address', async () => {
    const deployment = await serve(json('deployment'));
    const env = { ARANGO_DEPLOYMENT_ENDPOINT: deployment.url, INTEGRATION_HTTP_UNIX: await onSocket() };
    const client = createClient({ ...fromEnv(env), retry: 0 });
    expect((await client.route().get()).body).toBe('deployment');
    // The server of this test answers with text: it was met, under the path of the service.
    expect(await failureOf(client.authentication.validate('t'))).toMatchObject({ code: 'PARSE', status: 200 });
    await client.close();
    expect(deployment.seen).toHaveLength(1);
    const both = fromEnv({ ...env, INTEGRATION_HTTP_ADDRESS_FULL: 'http://127.0.0.1:9202' });
    expect({ ...both }).toEqual({ url: deployment.url, integrationUrl: 'http://127.0.0.1:9202' });
  });
});

describe('A proxy', () => {
  test('is asked with CONNECT, for http and https, with its user and password', async () => {
    const authority = await createAuthority();
    const [plain, secure, proxy] = [
      await serve(json('plain')),
      await serveTls(await authority.issue()),
      await serveProxy(),
    ];
    const through = { proxy: proxy.url.replace('http://', 'http://us%40er:canary@'), tls: { ca: authority.cert } };
    expect((await clientOver(plain.url, through).route().get()).body).toBe('plain');
    expect((await clientOver(secure.url, through).route().get()).status).toBe(200);
    const [one = '', two = ''] = proxy.asked;
    expect(one).toMatch(`CONNECT ${plain.url.replace('http://', '')} HTTP/1.1\r\n`);
    expect(two).toMatch(`CONNECT 127.0.0.1:${secure.port} HTTP/1.1\r\n`);
    expect(one).toContain(`roxy-authorization: Basic ${Buffer.from('us@er:canary').toString('base64')}\r\n`);
    expect(plain.seen[0]?.headers.has('proxy-authorization')).toBe(false);
  });

  test.each(['407 Proxy Authentication Required', '403 Forbidden', '502 Bad Gateway'])(
    'that answers %s: a NetworkError says so, without its password',
    async (status) => {
      const proxy = await serveProxy(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
      const error = await failureOf(
        clientOver('https://db.test', { proxy: proxy.url.replace('http://', 'http://user:canary@') })
          .route()
          .get(),
      );
      expect(error).toMatchObject({ code: 'NETWORK', method: 'GET' });
      expect(error.message).toContain(`the proxy answered ${status.slice(0, 3)} to CONNECT`);
      expect(error.message).not.toContain('canary');
    },
  );

  test('of the environment counts only where it is asked for, and not for what NO_PROXY names', async () => {
    const [server, proxy] = [await serve(json('ok')), await serveProxy()];
    const get = async (options: object) => (await clientOver(server.url, options).route().get()).body;
    const before = { ...process.env };
    try {
      process.env.HTTP_PROXY = proxy.url;
      await get({});
      expect(proxy.asked).toEqual([]);
      process.env.NO_PROXY = 'example.test, 127.0.0.1';
      await get({ proxy: 'env' });
      expect(proxy.asked).toEqual([]);
      process.env.NO_PROXY = '.0.0.2,127.0.0.1:1';
      expect(await get({ proxy: 'env' })).toBe('ok');
      expect(proxy.asked).toHaveLength(1);
    } finally {
      for (const name of ['HTTP_PROXY', 'NO_PROXY']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
});
