import { describe, expect, test } from 'vitest';
import { createAuthority } from '../../../support/certificates.ts';
import { failureOf } from '../../../support/failure.ts';
import { json, serve, serveRaw } from '../../../support/server.ts';
import { clientOver, serveProxy, serveTls } from './support.ts';

describe('A proxy', () => {
  test('gets https by CONNECT and http in absolute form, with user and password', async () => {
    const authority = await createAuthority();
    const [plain, secure, proxy] = [
      await serve(json('plain')),
      await serveTls(await authority.issue()),
      await serveProxy(),
    ];
    const through = { proxy: proxy.url.replace('http://', 'http://us%40er:canary@'), tls: { ca: authority.cert } };
    expect((await clientOver(plain.url, through).route().post('a?b=c', { d: 1 })).body).toBe('plain');
    expect((await clientOver(secure.url, through).route().get()).status).toBe(200);
    const [one = '', two = ''] = proxy.asked;
    expect(one).toMatch(`POST ${plain.url}/_db/_system/a?b=c HTTP/1.1\r\nhost: ${plain.url.slice(7)}\r\n`);
    expect(two).toMatch(`CONNECT 127.0.0.1:${secure.port} HTTP/1.1\r\n`);
    const basic = Buffer.from('us@er:canary').toString('base64');
    for (const head of [one, two]) expect(head).toMatch(`roxy-authorization: Basic ${basic}\r\n`);
    expect(plain.seen.map(({ target, body }) => [target, String(body)])).toEqual([['/_db/_system/a?b=c', '{"d":1}']]);
  });

  test('keeps a password without a user', async () => {
    const [server, proxy] = [await serve(), await serveProxy()];
    await clientOver(server.url, { proxy: proxy.url.replace('http://', 'http://:canary@') })
      .route()
      .get();
    expect(proxy.asked[0]).toContain(`proxy-authorization: Basic ${Buffer.from(':canary').toString('base64')}\r\n`);
  });

  test.each(['http://db.test', 'https://db.test'])('that is down is named in the error, instead of %s', async (url) => {
    const down = await serveRaw(() => undefined);
    await down.close();
    const proxy = down.url.replace('http://', 'http://user:canary@');
    const error = await failureOf(clientOver(url, { proxy }).route().get());
    expect(error).toMatchObject({ code: 'NETWORK', cause: { code: 'ECONNREFUSED' } });
    expect(error.message).toContain(`the proxy ${down.url} cannot be reached (ECONNREFUSED)`);
    expect(`${error.message} ${error.stack}`).not.toContain('canary');
  });

  test('that answers 407 to a request in absolute form: a NetworkError as for CONNECT', async () => {
    const proxy = await serveProxy('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 6\r\n\r\ncanary');
    const error = await failureOf(clientOver('http://db.test', { proxy: proxy.url }).route().get());
    expect(error).toMatchObject({ code: 'NETWORK', cause: { code: 'ERR_PROXY_TUNNEL' } });
    expect(error.message).toContain('the proxy answered 407');
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

  test('of the environment applies only on request, and not to hosts in NO_PROXY', async () => {
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
      const local = 'http://[0:0::1]:1';
      for (const entry of ['::1', '[::1]', '[::1]:1', 'a.test,0:0:0:0:0:0:0:1']) {
        process.env.NO_PROXY = entry;
        expect((await failureOf(clientOver(local, { proxy: 'env' }).route().get())).message).not.toContain('proxy');
      }
      for (const entry of ['::2', '1', ':1', '[::1]:2']) {
        process.env.NO_PROXY = entry;
        await failureOf(clientOver(local, { proxy: 'env' }).route().get());
      }
      expect(proxy.asked).toHaveLength(5);
    } finally {
      for (const name of ['HTTP_PROXY', 'NO_PROXY']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  /** Runs with these variables alone. */
  async function withEnv(env: Readonly<Record<string, string>>, run: () => Promise<void>): Promise<void> {
    const before = process.env;
    process.env = { ...env };
    try {
      await run();
    } finally {
      process.env = before;
    }
  }

  test.each([
    ['127.0.0.0/8', true],
    ['10.0.0.0/8,127.0.0.1/32', true],
    ['127.0.0.1/0', true],
    ['10.0.0.0/8', false],
    ['128.0.0.0/8', false],
    ['::/0', false],
  ])('NO_PROXY=%s exempts 127.0.0.1: %j', async (list, isExempt) => {
    const [server, proxy] = [await serve(json('ok')), await serveProxy()];
    await withEnv({ HTTP_PROXY: proxy.url, NO_PROXY: list }, async () => {
      expect((await clientOver(server.url, { proxy: 'env' }).route().get()).body).toBe('ok');
      expect(proxy.asked).toHaveLength(isExempt ? 0 : 1);
    });
  });

  test('blocks of IPv6, and names, which are not resolved', async () => {
    const proxy = await serveProxy();
    const askedFor = async (url: string) => {
      const before = proxy.asked.length;
      await failureOf(clientOver(url, { proxy: 'env', connectTimeoutMs: 500 }).route().get());
      return proxy.asked.length > before;
    };
    await withEnv({ http_proxy: proxy.url, no_proxy: 'fd00::/8, [::]/96, 0.0.0.0/0' }, async () => {
      expect(await askedFor('http://[::1]:1')).toBe(false);
      expect(await askedFor('http://[2001:db8::1]:1')).toBe(true);
      expect(await askedFor('http://127.0.0.1:1')).toBe(false);
      expect(await askedFor('http://localhost:1')).toBe(true);
    });
  });

  test.each(['10.0.0.0/33', '10.0.0/8', 'db.test/8', '::/129', '10.0.0.0/', '/8', '10.0.0.0/8/8'])(
    'NO_PROXY=%s is refused before anything is sent',
    async (list) => {
      const [server, proxy] = [await serve(), await serveProxy()];
      await withEnv({ HTTP_PROXY: proxy.url, NO_PROXY: list }, async () => {
        const failure = await failureOf(clientOver(server.url, { proxy: 'env' }).route().get());
        expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'env.NO_PROXY' });
      });
      expect([server.seen, proxy.asked]).toEqual([[], []]);
    },
  );

  test('an address without a scheme is of http; the error for another scheme names the variable', async () => {
    const [server, proxy] = [await serve(json('ok')), await serveProxy()];
    await withEnv({ HTTP_PROXY: `user:canary@${proxy.url.slice(7)}` }, async () => {
      expect((await clientOver(server.url, { proxy: 'env' }).route().get()).body).toBe('ok');
      expect(proxy.asked[0]).toContain(`proxy-authorization: Basic ${Buffer.from('user:canary').toString('base64')}`);
    });
    for (const address of ['socks5://canary:1080', 'ftp://canary', 'http://', 'a b']) {
      await withEnv({ HTTP_PROXY: address }, async () => {
        const failure = await failureOf(clientOver(server.url, { proxy: 'env' }).route().get());
        expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'env.HTTP_PROXY' });
        expect(failure.message).not.toMatch(/"env" or|canary/);
      });
    }
  });
});
