import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { shownPieces } from '../../../support/canary-finder.ts';
import { makeFolder, play, readFiles, record, serve } from './support.ts';

// A value that no test could hold by chance; each spelling is looked for in the files and in all that they encode.
const canary = 'cänary "s3cret" 4711/x+y';
const inUrl = encodeURIComponent(canary);
const base64 = Buffer.from(canary).toString('base64');
const escaped = [...canary].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const fullyPercent = [...Buffer.from(canary)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const hex = Buffer.from(canary).toString('hex');
const jwt = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"sub":"canary-user"}').toString('base64url')}.c2lnbmF0dXJlLWNhbmFyeQ`;

/** So much text that compressors encode its characters. */
const filler = Array.from({ length: 200 }, (_, i) => `line ${(i * 7919) % 1_000} of a text\n`).join('');

/** The parts of the canary that a text shows; a piece of eight characters tells enough. */
function shown(files: Record<string, string>): string[] {
  const secrets = [canary, inUrl, base64, jwt.split('.')[1] ?? '', jwt.split('.')[2] ?? '', 'canary-user'];
  return Object.entries(files).flatMap(([name, text]) => [name, text].flatMap((one) => shownPieces(one, secrets)));
}

interface Spelling {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: BodyInit;
  readonly answer?: string | Buffer | readonly (string | Buffer)[];
  readonly answerHeaders?: Record<string, string | string[]>;
}

const json = { 'content-type': 'application/json' };
const text = { 'content-type': 'text/plain' };
/** Tells the recorder that the canary is a secret; the request comes after the one that is looked at. */
const login: Spelling = { body: JSON.stringify({ user: 'alice', password: canary }), headers: json };

function form(): FormData {
  const data = new FormData();
  data.set('user', 'alice');
  data.set('password', canary);
  data.set('file', new Blob([`api_key=${canary}\n`], { type: 'text/plain' }), 'secret.txt');
  return data;
}

/** Sends exchanges through a recorder, and returns the files. */
async function recorded(spellings: readonly Spelling[], ...flags: string[]) {
  const byPath = new Map(spellings.map((one, index) => [`/${index}`, one]));
  const service = await serve(async (request, response) => {
    const [, index = ''] = /^\/(\d+)/.exec(request.url ?? '') ?? [];
    const { answer = '', answerHeaders = text } = byPath.get(`/${index}`) ?? {};
    response.writeHead(200, answerHeaders);
    for (const piece of [answer].flat()) {
      response.write(piece);
      // Each in a packet of its own.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  });
  const folder = await makeFolder();
  const running = await record(service, folder, ...flags);
  for (const [index, { path = '', headers = {}, body }] of spellings.entries()) {
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await fetch(`${running.url}/${index}${path}`, { method, headers, ...(body && { body }) });
    await answer.arrayBuffer();
  }
  const { code, out, err } = await running.stop();
  expect(code).toBe(0);
  expect(out + err).not.toContain(canary.slice(0, 8));
  return { files: await readFiles(folder), folder };
}

const cases: readonly (readonly [string, Spelling])[] = [
  ['a field of JSON', login],
  ['a field of JSON at any depth', { body: JSON.stringify([{ a: { clientSecret: { b: [canary] } } }]), headers: json }],
  [
    'JSON inside a string of JSON',
    { answer: JSON.stringify({ a: JSON.stringify({ token: canary }) }), answerHeaders: json },
  ],
  ['the answer', { answer: JSON.stringify({ access_token: canary }), answerHeaders: json }],
  ['a form', { body: new URLSearchParams({ user: 'a', password: canary }) }],
  ['a query', { path: `?a=1&token=${inUrl}` }],
  ['a query with JSON', { path: `?filter=${encodeURIComponent(JSON.stringify({ password: canary }))}` }],
  ['parts of multipart', { body: form() }],
  ['Authorization: Bearer', { headers: { AUTHORIZATION: `bEaReR ${base64}` }, answer: `you sent ${base64}` }],
  [
    'Authorization: Basic',
    { headers: { authorization: `BASIC ${Buffer.from(`al:${canary}`).toString('base64')}` }, answer: canary },
  ],
  ['another scheme', { headers: { Authorization: `Custom key="${inUrl}"` }, answer: `[${inUrl}]` }],
  ['a cookie', { headers: { cookie: `theme=dark; sid=${inUrl}` }, answer: `sid is ${inUrl}` }],
  ['set-cookie', { answerHeaders: { 'set-cookie': [`sid=${inUrl}; Path=/; HttpOnly`, `b=${base64}`] } }],
  ['a header of the answer', { answerHeaders: { 'x-api-key': base64, location: `/next?token=${inUrl}` } }],
  ['the user of a URL', { answer: `see https://user:${inUrl}@db.test/path` }],
  ['lines of text', { answer: `name: x\npassword: ${canary}\n` }],
  ['XML', { answer: `<a><password>${canary}</password></a>`, answerHeaders: { 'content-type': 'application/xml' } }],
  [
    'base64 of JSON',
    {
      answer: JSON.stringify({ data: Buffer.from(JSON.stringify({ password: canary })).toString('base64') }),
      answerHeaders: json,
    },
  ],
  ['base64url of lines', { answer: `blob ${Buffer.from(`password=${canary}`).toString('base64url')}` }],
  [
    'events',
    { answer: [`data: {"password":"${inUrl}","n":1}\n\n`], answerHeaders: { 'content-type': 'text/event-stream' } },
  ],
  ['a JWT in a path', { path: `/${jwt}/x` }],
  ['a JWT in text', { answer: `<p>${jwt}</p>` }],
  ['a JWT in a field of any name', { answer: JSON.stringify({ a: [jwt] }), answerHeaders: json }],
  ['a JWT as a name', { answer: JSON.stringify({ [jwt]: 1 }), answerHeaders: json }],
];

test.each(cases)('hides a secret in %s', async (_, spelling) => {
  const { files } = await recorded([spelling]);
  expect(Object.keys(files)).toHaveLength(1);
  expect(shown(files)).toEqual([]);
});

const answers: readonly (readonly [string, Spelling])[] = [
  ['as it is', { answer: `it is ${canary}.` }],
  ['in base64', { answer: `it is ${base64}.` }],
  ['in base64 without padding', { answer: base64.replace(/=+$/, '') }],
  ['in base64url', { answer: Buffer.from(canary).toString('base64url') }],
  ['in base64 of more', { answer: Buffer.from(`xx${canary}yy`).toString('base64') }],
  [
    'in base64 of lines',
    {
      answer: Buffer.from(`x${canary.repeat(3)}`)
        .toString('base64')
        .replace(/.{20}/g, '$&\r\n'),
    },
  ],
  ['percent-encoded', { answer: inUrl }],
  ['wholly percent-encoded', { answer: fullyPercent }],
  ['as a form encodes it', { answer: new URLSearchParams({ a: canary }).toString() }],
  ['in JSON', { answer: JSON.stringify({ hello: canary }), answerHeaders: json }],
  ['in JSON, escaped', { answer: `{"hello":"${escaped}"}`, answerHeaders: json }],
  ['escaped in text', { answer: `it is ${escaped}` }],
  ['as a name of JSON', { answer: JSON.stringify({ [canary]: 1 }), answerHeaders: json }],
  ['in HTML', { answer: `<p>${canary.replaceAll('"', '&quot;').replace('ä', '&#228;')}</p>` }],
  ['split over pieces', { answer: ['it is cä', Buffer.from('n'), `${canary.slice(3, 9)}`, `${canary.slice(9)}!`] }],
  [
    'split over pieces of a stream',
    {
      answer: [`data: ${canary.slice(0, 6)}`, `${canary.slice(6)}\n\n`],
      answerHeaders: { 'content-type': 'text/event-stream' },
    },
  ],
  [
    'split over lines of an event',
    {
      answer: [`data: ${canary.slice(0, 12)}\ndata: ${canary.slice(12)}\n\n`],
      answerHeaders: { 'content-type': 'text/event-stream' },
    },
  ],
  ['in bytes', { answer: Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(canary), Buffer.from([255])]) }],
  ['in UTF-16', { answer: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(canary, 'utf16le')]) }],
  [
    'in Latin-1',
    {
      answer: Buffer.from(`it is ${canary}`, 'latin1'),
      answerHeaders: { 'content-type': 'text/plain; charset=iso-8859-1' },
    },
  ],
  [
    'in a gzip-encoded body',
    { answer: gzipSync(`it is ${canary}`), answerHeaders: { ...text, 'content-encoding': 'gzip' } },
  ],
  ['in hex', { answer: `it is ${hex}.` }],
  ['in upper-case hex', { answer: JSON.stringify({ a: `x${hex.toUpperCase()}` }), answerHeaders: json }],
  ['in hex in a path', { path: `/${hex}/x` }],
  ['in hex of more', { answer: Buffer.from(`xx${canary}yy`).toString('hex') }],
  ['percent-encoded in lower case', { path: `?a=${fullyPercent.toLowerCase()}`, answer: fullyPercent.toLowerCase() }],
  ['as a name of a query', { path: `?${inUrl}=1` }],
  [
    'as a name of a part',
    {
      body: (() => {
        const data = new FormData();
        data.set(inUrl, 'x');
        return data;
      })(),
    },
  ],
  [
    'in a gRPC-web body',
    {
      answer: Buffer.concat([
        Buffer.from([0, 0, 0, 0, 200, 10, canary.length]),
        Buffer.from(canary),
        Buffer.from([0x80]),
      ]),
      answerHeaders: { 'content-type': 'application/grpc-web+proto' },
    },
  ],
  [
    'in a gRPC-web body of text',
    {
      answer: Buffer.concat([Buffer.from([0, 0, 0, 0, 200, 10]), Buffer.from(canary)]).toString('base64'),
      answerHeaders: { 'content-type': 'application/grpc-web-text' },
    },
  ],
  ...(
    [
      ['br', brotliCompressSync],
      ['deflate', deflateSync],
      ['zstd', zstdCompressSync],
    ] as const
  ).flatMap(([encoding, pack]): [string, Spelling][] => [
    [
      `in a ${encoding}-encoded body`,
      { answer: pack(`${filler}it is ${canary}`), answerHeaders: { ...text, 'content-encoding': encoding } },
    ],
    [
      `in a file packed by ${encoding}`,
      { answer: pack(`${filler}it is ${canary}`), answerHeaders: { 'content-type': 'application/octet-stream' } },
    ],
  ]),
  [
    'in a compressed file in a compressed file',
    {
      answer: gzipSync(brotliCompressSync(`${filler}${canary}`)),
      answerHeaders: { 'content-type': 'application/gzip' },
    },
  ],
  ['in a gzip file', { answer: gzipSync(`it is ${canary}`), answerHeaders: { 'content-type': 'application/gzip' } }],
  ['in a header', { answerHeaders: { 'x-hello': `it is ${base64}`, link: `<${inUrl}>; rel=next` } }],
  ['in a path', { path: `/${inUrl}/x` }],
  ['in a query', { path: `?hello=${inUrl}&x=${fullyPercent}` }],
  [
    'in a gzip-encoded request',
    { body: gzipSync(`{"a":"${inUrl}"}`), headers: { ...json, 'content-encoding': 'gzip' } },
  ],
  [
    'in a name of a file',
    {
      body: (() => {
        const data = new FormData();
        data.set('f', new Blob(['x']), `${inUrl}.txt`);
        return data;
      })(),
    },
  ],
];

describe('a secret that a later exchange tells', () => {
  test.each(answers)('is hidden %s', async (_, spelling) => {
    const { files } = await recorded([spelling, login]);
    expect(Object.keys(files)).toHaveLength(2);
    expect(shown(files)).toEqual([]);
  });
});

test('the scan of these tests finds each spelling', () => {
  for (const [name, { answer }] of answers) {
    // In lines the pieces are short, HTML is not decoded, and Latin-1 is no text in UTF-8.
    if (answer === undefined || /lines|HTML/.test(name)) continue;
    const whole = Buffer.concat([answer].flat().map((piece) => Buffer.from(piece)));
    const held = /bytes|gzip|UTF-16|Latin|body|packed|compressed/.test(name)
      ? whole.toString('base64')
      : whole.toString();
    expect([name, shown({ 'a.json': JSON.stringify({ text: held }) }).length > 0]).toEqual([name, true]);
  }
});

test('configured fields are secrets in each kind of body, in headers and in queries', async () => {
  const data = new FormData();
  data.set('Email', canary);
  const { files } = await recorded(
    [
      { body: JSON.stringify({ a: [{ eMail: canary }] }), headers: json },
      { body: new URLSearchParams({ email: canary }) },
      { body: data },
      { path: `?email=${inUrl}`, answerHeaders: { email: base64 } },
      { answer: `email: ${canary}\n<email>${canary}</email>` },
      { answer: `{"email": "${inUrl}"}\n{"email":"x"}\n`, answerHeaders: { 'content-type': 'application/x-ndjson' } },
      { body: JSON.stringify({ customer: [{ name: base64 }], name: 'open' }), headers: json },
    ],
    ...['--redact', 'email,/customer/*/name'],
  );
  expect(Object.keys(files)).toHaveLength(7);
  expect(shown(files)).toEqual([]);
  expect(Object.values(files).at(-1)).toContain('"name": "open"');
});

test('the same secret has the same reference in requests, answers and files', async () => {
  const { files, folder } = await recorded([
    {
      body: JSON.stringify({ password: canary }),
      headers: json,
      answer: JSON.stringify({ token: 'tok-12345678' }),
      answerHeaders: json,
    },
    { path: '?token=tok-12345678', headers: { authorization: 'Bearer tok-12345678' }, answer: 'for tok-12345678: ok' },
  ]);
  const [first = '', second = ''] = Object.values(files);
  expect(JSON.parse(first)).toMatchObject({
    request: { json: { password: '<token:1>' } },
    response: { json: { token: '<token:2>' } },
  });
  expect(JSON.parse(second)).toMatchObject({ query: 'token=<token:2>', response: { text: 'for <token:2>: ok' } });
  const { ask, played } = await play(folder);
  const answer = await ask('/0', { method: 'POST', body: JSON.stringify({ password: 'another one' }), headers: json });
  const { token } = await answer.json();
  expect((await ask('/1?token=wrong')).status).toBe(501);
  expect(await (await ask(`/1?token=${token}`)).text()).toBe(`for ${token}: ok`);
  expect(() => played.check()).toThrow(/differs in query \(token\)$/);
});

test('a token that only a challenge quotes is hidden, and a challenge without a token stays', async () => {
  const service = await serve((request, response) => {
    const challenge = request.url === '/plain' ? 'Bearer realm="shop"' : `Bearer error_description="${jwt} expired"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  for (const path of ['/quoted', '/plain']) await fetch(running.url + path);
  await running.stop();
  const [quoted = '', plain = ''] = Object.values(await readFiles(folder));
  expect(quoted).not.toContain('eyJ');
  expect(plain).toContain('realm=');
});
