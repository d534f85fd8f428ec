import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { shownPieces } from '../../../support/canary-finder.ts';
import { isThorough } from '../../../support/thorough.ts';
import { makeFolder, readFiles, record, serve } from './support.ts';

/** A request of the application, and how the service answers it. */
interface Exchange {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly answer?: string | Buffer;
  readonly answerHeaders?: Record<string, string | string[]>;
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const text = { 'content-type': 'text/plain' };
const part = Buffer.from('{"sub":"canary-7731"}').toString('base64url');

/** Kinds of secrets: the value, and the exchange that tells that it is one. */
const kinds: Readonly<Record<string, readonly [secret: string, told: (secret: string) => Exchange]>> = {
  'a password of JSON': ['pw-Canary-pw1 4711', (s) => ({ headers: json, body: JSON.stringify({ password: s }) })],
  'a bearer token': ['opaqueCanaryBearer-42', (s) => ({ headers: { authorization: `Bearer ${s}` } })],
  'a JWT': [`eyJhbGciOiJIUzI1NiJ9.${part}.c2lnQ2FuYXJ5LTc3MzE`, (s) => ({ answer: `it is ${s}`, answerHeaders: text })],
  'a password of Basic': [
    'basicCanary:4711!',
    (s) => ({ headers: { authorization: `Basic ${Buffer.from(`al:${s}`).toString('base64')}` } }),
  ],
  'the session cookie': ['sessCanary77310abc', (s) => ({ answerHeaders: { 'set-cookie': `sid=${s}; Path=/` } })],
  'an API key': ['keyCanary-0099-zz', (s) => ({ headers: { x_api_key: s } })],
  'a client.secret of a form': [
    'formCanary/secret+1',
    (s) => ({ headers: form, body: new URLSearchParams({ 'client.secret': s }).toString() }),
  ],
  'a password with @ in a URL': [
    'urlC@nary@pass-1',
    (s) => ({ answer: `see https://al:${s}@db.test/x`, answerHeaders: text }),
  ],
  'a refresh token': [
    'refreshCanary_x8821',
    (s) => ({ headers: json, answer: JSON.stringify({ refreshToken: s }), answerHeaders: json }),
  ],
  'a passphrase of XML': [
    'xml Canary phrase 5',
    (s) => ({
      answer: `<a><key-passphrase>${s}</key-passphrase></a>`,
      answerHeaders: { 'content-type': 'application/xml' },
    }),
  ],
  'a private key': [
    'MIICanaryKeyBody0123456789abcdefghij',
    (s) => ({ answer: `-----BEGIN PRIVATE KEY-----\n${s}\n-----END PRIVATE KEY-----\n`, answerHeaders: text }),
  ],
};

/** Encodings of a secret, as bytes are sent or as a text that stands for them. */
const encodings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (s) => s,
  percent: (s) => [...Buffer.from(s)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  base64: (s) => Buffer.from(s).toString('base64'),
  base64url: (s) => Buffer.from(`x${s}yz`).toString('base64url'),
  hex: (s) => Buffer.from(s).toString('hex'),
  'escapes of JSON': (s) => [...s].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  gzip: (s) => gzipSync(s).toString('base64url'),
  'UTF-16': (s) => Buffer.from(s, 'utf16le').toString('base64'),
};

const url = encodeURIComponent;
const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
const partOf = (s: string, end: string) => `--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${s}${end}`;

/** Places where the application or the service quotes the secret without a name that tells of it. */
const places: Readonly<Record<string, (secret: string) => Exchange>> = {
  'the path': (s) => ({ path: `/${url(s)}/x` }),
  'a value of the query': (s) => ({ path: `?q=${url(s)}` }),
  'a name of the query': (s) => ({ path: `?${url(s)}=1` }),
  'a query in a query': (s) => ({ path: `?next=${url(`/a?q=${url(`/b?note=${url(s)}`)}`)}` }),
  'a header of the request': (s) => ({ headers: { 'x-note': url(s) } }),
  'a cookie of the request': (s) => ({ headers: { cookie: `theme=dark; note=${url(s)}` } }),
  'the value of Set-Cookie': (s) => ({ answerHeaders: { 'set-cookie': ['a=1', `note=${url(s)}`] } }),
  'an attribute of Set-Cookie': (s) => ({ answerHeaders: { 'set-cookie': `a=1; Path=/s/${url(s)}; Note=${url(s)}` } }),
  Location: (s) => ({ answerHeaders: { location: `/a/${url(s)}?x=${url(`/b?n=${url(s)}`)}#${url(s)}` } }),
  'Link and Refresh': (s) => ({
    answerHeaders: { link: `</a?x=${url(s)}>; rel=next`, refresh: `5; url=/a?x=${url(s)}` },
  }),
  'an unknown header of the answer': (s) => ({ answerHeaders: { 'x-debug': url(s), etag: `"${url(s)}"` } }),
  'a string of JSON': (s) => ({ headers: json, body: JSON.stringify({ note: [`is ${s}!`] }) }),
  'a key of JSON': (s) => ({ answer: JSON.stringify({ [s]: 1 }), answerHeaders: json }),
  'a line of JSON': (s) => ({
    answer: `{"a":1}\n{"a":${JSON.stringify(s)}}\n`,
    answerHeaders: { 'content-type': 'application/x-ndjson' },
  }),
  'an event': (s) => ({
    answer: `id: 1\ndata: it is ${s}\n\n`,
    answerHeaders: { 'content-type': 'text/event-stream' },
  }),
  'a form': (s) => ({ headers: form, body: `note=${url(s)}&b=1` }),
  'a part of multipart, with its end and without': (s) => ({
    headers: multipart,
    body: partOf(s, `\r\n${partOf(s, '')}`),
  }),
  'XML and text': (s) => ({
    answer: `<a note="${s}"><b>${s}</b></a>`,
    answerHeaders: { 'content-type': 'application/xml' },
  }),
  'bytes of an unknown form': (s) => ({
    body: Buffer.concat([Buffer.from([0, 255]), Buffer.from(s)]),
    headers: { 'content-type': 'application/octet-stream' },
    answer: Buffer.concat([Buffer.from([255, 0]), Buffer.from(s, 'utf16le')]),
    answerHeaders: { 'content-type': 'image/png' },
  }),
};

test('eleven kinds of secrets, nineteen places and eight encodings are tried', () => {
  expect([kinds, places, encodings].map((one) => Object.keys(one).length)).toEqual([11, 19, 8]);
});

/** Records exchanges, and returns the texts that the command wrote: files and messages. */
async function recorded(all: readonly Exchange[]): Promise<Record<string, string>> {
  const service = await serve((request, response) => {
    const { answer = '', answerHeaders = {} } = all[Number(/^\/(\d+)/.exec(request.url ?? '')?.[1])] ?? {};
    response.writeHead(200, answerHeaders).end(answer);
  });
  const folder = await makeFolder();
  const running = await record(service, folder, '--keep-bytes', 'image/*');
  for (const [index, { path = '', headers = {}, body }] of all.entries()) {
    const init = body === undefined ? {} : { method: 'POST', body: new Uint8Array(Buffer.from(body)) };
    await (await fetch(`${running.url}/${index}${path}`, { headers, ...init })).arrayBuffer();
  }
  const { out, err } = await running.stop();
  expect(err).not.toMatch(/is not kept: /);
  return { ...(await readFiles(folder)), 'the output': out + err };
}

// A part of them in a short run: each kind with others, so that all kinds together see each place in each encoding.
const step = isThorough ? 1 : 11;

const named = Object.entries(kinds).map(([kind, [secret, told]], offset) => ({ kind, secret, told, offset }));

test.each(named)('$kind is nowhere on the disk', { timeout: 120_000 }, async ({ secret, told, offset }) => {
  const all = Object.entries(places).flatMap(([place, write]) =>
    Object.entries(encodings).map(([encoding, encode]) => ({
      name: `${place}, ${encoding}`,
      ...write(encode(secret)),
    })),
  );
  const some = all.filter((_, index) => index % step === offset % step);
  const secrets = secret.startsWith('eyJ') ? secret.split('.').slice(1) : [secret];
  // A cookie is a secret in the encoding in which it is sent, so cookies have a run of their own.
  for (const tried of [true, false].map((isCookie) => some.filter(({ name }) => /cookie/i.test(name) === isCookie))) {
    const files = await recorded([...tried, told(secret)]);
    expect(Object.keys(files)).toHaveLength(tried.length + 2);
    const found = Object.entries(files).flatMap(([file, content], index) => {
      const pieces = shownPieces(content, secrets);
      return pieces.length > 0 ? [`${tried[index]?.name ?? file}: ${pieces[0]}`] : [];
    });
    expect(found).toEqual([]);
  }
});

test('the finder of these tests sees each encoding of each kind', () => {
  for (const [secret] of Object.values(kinds))
    for (const [encoding, encode] of Object.entries(encodings))
      expect([encoding, shownPieces(JSON.stringify({ a: encode(secret) }), [secret]).length > 0]).toEqual([
        encoding,
        true,
      ]);
});
