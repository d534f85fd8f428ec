import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NodeTransportOptions } from '../../../../src/client/node/index.ts';
import { createClient } from '../../../../src/index.ts';
import { type Authority, createAuthority, createSelfSigned } from '../../../support/certificates.ts';
import { failureOf } from '../../../support/failure.ts';
import { clientOver, serveTls, temporaryFolder } from './support.ts';

const authority = await createAuthority();
const other = await createAuthority('Another CA');
const untrusted = process.env.NODE_TLS_REJECT_UNAUTHORIZED;

const get = (url: string, tls?: NonNullable<NodeTransportOptions['tls']>) =>
  clientOver(url, tls && { tls })
    .route()
    .get();

/** The file of an authority, in a folder of its own. */
function caFileOf({ cert }: Authority): string {
  const file = join(temporaryFolder(), 'ca.pem');
  writeFileSync(file, cert);
  return file;
}

describe('A private authority', () => {
  test('is trusted with caFile, with ca as text or bytes, and not without them', async () => {
    const { url } = await serveTls(await authority.issue());
    for (const tls of [
      { caFile: caFileOf(authority) },
      { ca: authority.cert },
      { ca: [other.cert, Buffer.from(authority.cert)] },
      { ca: other.cert, caFile: caFileOf(authority) },
      { rejectUnauthorized: false },
    ]) {
      expect((await get(url, tls)).status).toBe(200);
    }
    for (const tls of [undefined, { caFile: caFileOf(other) }, { ca: other.cert }]) {
      expect(await failureOf(get(url, tls))).toMatchObject({ code: 'NETWORK' });
    }
  });

  test('replaced on disk under a running client: the next connection trusts only the new one', async () => {
    const caFile = caFileOf(authority);
    const server = await serveTls(await authority.issue());
    const route = clientOver(server.url, { tls: { caFile } }).route();
    await route.get();
    server.replace(await other.issue());
    expect(await failureOf(route.get())).toMatchObject({ cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } });
    // Replaced atomically: written beside it, then renamed.
    writeFileSync(`${caFile}.new`, other.cert);
    renameSync(`${caFile}.new`, caFile);
    expect((await route.get()).status).toBe(200);
    server.replace(await authority.issue());
    expect(await failureOf(route.get())).toMatchObject({ code: 'NETWORK' });
  });

  test('an unreadable file: the previous content is used; without it the call names the file option', async () => {
    const caFile = caFileOf(authority);
    const server = await serveTls(await authority.issue());
    const route = clientOver(server.url, { tls: { caFile } }).route();
    await route.get();
    for (const broken of ['', 'half a certificate']) {
      writeFileSync(caFile, broken);
      server.replace(await authority.issue());
      expect((await route.get()).status).toBe(200);
    }
    for (const [content, problem] of [
      ['', /holds no certificate \(PEM\)$/],
      ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n', /holds a certificate that cannot be read$/],
    ] as const) {
      writeFileSync(caFile, content);
      const error = await failureOf(get(server.url, { caFile }));
      expect(error).toMatchObject({
        code: 'INVALID_ARGUMENT',
        field: 'tls.caFile',
        method: 'GET',
        path: '/_db/_system',
      });
      expect(error.message).toMatch(problem);
    }
    expect(await failureOf(get(server.url, { caFile: '/nowhere/ca.pem' }))).toMatchObject({
      field: 'tls.caFile',
      message: expect.stringMatching(/cannot be read \(ENOENT\)$/),
    });
  });
});

describe('A TLS failure says what is wrong, for which host, and what to set; it is not retried', async () => {
  const wrong: readonly (readonly [what: string, server: () => Promise<object>, says: RegExp, code: string])[] = [
    ['self-signed', createSelfSigned, /has a self-signed certificate; .*caFile/, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      'of an unknown issuer',
      () => other.issue(),
      /unknown issuer; .*caFile.*NODE_EXTRA_CA_CERTS/,
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    [
      'of an unknown issuer that is sent along',
      async () => ({ ...(await other.issue()), cert: `${(await other.issue()).cert}` }),
      /unknown issuer/,
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    [
      'expired',
      () => authority.issue({ fromDays: -3, toDays: -1 }),
      /expired certificate; renew it/,
      'CERT_HAS_EXPIRED',
    ],
    [
      'not valid yet',
      () => authority.issue({ fromDays: 1, toDays: 2 }),
      /not valid yet; check the clocks/,
      'CERT_NOT_YET_VALID',
    ],
    [
      'for another host',
      () => authority.issue({ names: ['db.example'] }),
      /certificate for another host; .*servername/,
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
  ];

  test.each(wrong.filter(([what]) => !what.includes('sent along')))('%s', async (_what, issue, says, code) => {
    const issued = await issue();
    const { url, connections } = await serveTls(issued);
    const error = await failureOf(
      clientOver(url, { tls: { caFile: caFileOf(authority) } }, { retry: 5 })
        .route()
        .get(),
    );
    expect(error).toMatchObject({ code: 'NETWORK', method: 'GET', cause: { code } });
    expect(error.message).toMatch(says);
    expect(error.message).toContain(url);
    expect(connections()).toBeLessThanOrEqual(1);
  });

  test('the name is that of the URL, or `servername`', async () => {
    const { url } = await serveTls(await authority.issue({ names: ['db.example'] }));
    expect((await get(url, { ca: authority.cert, servername: 'db.example' })).status).toBe(200);
  });

  test('no TLS at the port', async () => {
    const { serve } = await import('../../../support/server.ts');
    const { url } = await serve();
    const error = await failureOf(get(url.replace('http:', 'https:')));
    expect(error.message).toMatch(/does not speak TLS; check the scheme and the port/);
  });

  test('the default transport names the self-signed certificate and the option, too', async () => {
    const { url } = await serveTls(await createSelfSigned());
    const error = await failureOf(createClient({ url, retry: 5 }).route().get());
    expect(error.message).toMatch(/has a self-signed certificate; .*caFile/);
  });
});

describe('A client certificate', () => {
  test('is sent if the server requires it, from text or files; without one the error names the options', async () => {
    const server = await serveTls({ ...(await authority.issue()), ca: authority.cert, requestCert: true });
    const own = await authority.issue({ names: ['orders'] });
    const folder = temporaryFolder();
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(certFile, own.cert);
    writeFileSync(keyFile, own.key);
    for (const tls of [own, { certFile, keyFile }]) {
      expect((await get(server.url, { ca: authority.cert, ...tls })).body).toEqual({ client: 'orders' });
    }
    const error = await failureOf(get(server.url, { ca: authority.cert }));
    expect(error.message).toMatch(/requires a client certificate; .*certFile, keyFile/);
  });

  test('a key of another certificate is rejected without printing it', async () => {
    const [one, two] = await Promise.all([authority.issue(), authority.issue()]);
    const { url } = await serveTls(await authority.issue());
    const error = await failureOf(get(url, { ca: authority.cert, cert: one.cert, key: two.key }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'tls.cert' });
    expect(error.message).not.toContain('PRIVATE');
  });
});

test('these tests verify certificates', () => {
  expect(untrusted).toBeUndefined();
});
