import { describe, expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.ts';

const texts = ['{"a":1}', '12', 'null', 'plain', '\ufeff{"a":1}', '"x"'];
const encode = (text: string) => new TextEncoder().encode(text);
const bodies: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ...texts.flatMap((text) => [[text, text] as const, [`${text} as bytes`, encode(text)] as const]),
  ['bytes that are not UTF-8', Uint8Array.of(80, 75, 3, 4, 255, 254)],
];

/** The type of the body that a handler gets, by the request's content type. */
async function kindOf(type: string | undefined, body: string | Uint8Array<ArrayBuffer>) {
  const mock = await createMock({ authentication: { mode: 'None' } });
  let got: unknown = 'not asked';
  mock.route('POST', '/_db/:db/x', (request) => {
    got = request.body;
    return {};
  });
  // A Blob without a type has no content type of its own, as a string has.
  const sent = type === undefined ? new Blob([body]) : body;
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  await mock.fetch('http://mock.test/_db/shop/x', { method: 'POST', headers, body: sent });
  return got;
}

describe.each(bodies)('the body %s', (_what, body) => {
  test.each([
    'text/plain',
    'TEXT/CSV; charset=utf-8',
    'application/xml',
    'image/svg+xml',
    'application/x-www-form-urlencoded',
  ])('is text as %s', async (type) => {
    // Text that is sent in memory arrives as over a port: without its byte order mark.
    expect(await kindOf(type, body)).toBe(new TextDecoder().decode(typeof body === 'string' ? encode(body) : body));
  });

  test.each([
    'application/zip',
    'application/octet-stream',
    'application/x-arango-dump',
    'multipart/form-data; boundary=b',
    undefined,
  ])('is bytes as %s', async (type) => {
    expect(await kindOf(type, body)).toEqual(typeof body === 'string' ? encode(body) : body);
  });
});

test.each(['application/json', 'text/json', 'application/problem+json; charset=utf-8', 'Application/JSON'])(
  'JSON is parsed as %s, and text if it is invalid',
  async (type) => {
    expect(await kindOf(type, '{"a":1}')).toEqual({ a: 1 });
    expect(await kindOf(type, encode('[1]'))).toEqual([1]);
    expect(await kindOf(type, '\ufeff[1]')).toEqual([1]);
    expect(await kindOf(type, encode('\ufeff[1]'))).toEqual([1]);
    expect(await kindOf(type, '{')).toBe('{');
    expect(await kindOf(type, '')).toBeUndefined();
  },
);

test.each(['application/jsonl', 'application/x-ndjson', 'application/json-seq'])('%s is not JSON', async (type) => {
  expect(await kindOf(type, '{"a":1}')).toEqual(encode('{"a":1}'));
});
