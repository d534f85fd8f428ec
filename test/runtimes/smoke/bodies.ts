import { isInvalidArgumentError, isNetworkError } from 'arango-services';
import { expect } from 'vitest';
import { clientOf, echoed, type Smoke, streamOf } from './check.ts';

type Row = readonly [name: string, body: () => BodyInit, type: string | undefined, arrives: unknown];

const bytes = new Uint8Array([0, 1, 254, 255]);
const base64 = 'AAH+/w==';
const rows: readonly Row[] = [
  ['text, with its content type', () => 'plain ü', 'text/plain;charset=UTF-8', 'plain ü'],
  ['an empty text', () => '', 'text/plain;charset=UTF-8', null],
  ['a typed array', () => bytes, undefined, base64],
  ['part of a typed array', () => new Uint8Array([9, ...bytes, 9]).subarray(1, 5), undefined, base64],
  ['an ArrayBuffer', () => bytes.slice().buffer, undefined, base64],
  ['a Blob with a type', () => new Blob(['{"a":1}'], { type: 'application/json' }), 'application/json', { a: 1 }],
  ['a Blob without a type', () => new Blob([bytes]), undefined, base64],
  [
    'URLSearchParams',
    () => new URLSearchParams({ a: '1 2', b: 'ü' }),
    'application/x-www-form-urlencoded;charset=UTF-8',
    'a=1+2&b=%C3%BC',
  ],
];

const plain: readonly Smoke[] = rows.map(([name, body, type, arrives]) => ({
  name: `a body: ${name}`,
  async run(platform) {
    const seen = echoed(await clientOf(platform).route('_echo').post('x', body()));
    expect(seen.body).toEqual(arrives);
    const got = seen.headers['content-type']?.toLowerCase();
    // A runtime may set a type for bytes without one.
    if (type !== undefined)
      expect(got?.startsWith(type.toLowerCase())).toBe(true); // Bun adds a charset to JSON, too.
    else expect([undefined, 'application/octet-stream']).toContain(got);
  },
}));

/** The parts of a form as they arrived: the headers, and the value with a character for each byte. */
async function formOf(platform: Parameters<Smoke['run']>[0], form: FormData): Promise<[head: string, value: string][]> {
  const { headers, body } = echoed(await clientOf(platform).route('_echo').post('x', form));
  // The echo returns a binary body in base64. The runtime's own parser is not used, since jsdom's fails on
  // files.
  const text = String(body);
  const latin1 = text.startsWith('--') ? String.fromCharCode(...new TextEncoder().encode(text)) : atob(text);
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = latin1.split(`--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const [head = '', ...value] = part.slice(2, -2).split('\r\n\r\n');
    return [head, value.join('\r\n\r\n')];
  });
}

export const bodyChecks: readonly Smoke[] = [
  ...plain,
  {
    name: 'a body: a form of texts',
    async run(platform) {
      const form = new FormData();
      form.append('a', 'ü');
      form.append('a', 'two');
      const parts = await formOf(platform, form);
      expect(parts.map(([, value]) => value)).toEqual(['\xc3\xbc', 'two']);
      for (const [head] of parts) expect(head).toMatch(/^content-disposition: form-data; name="a"$/im);
    },
  },
  {
    name: 'a body: a form with a file of bytes',
    async run(platform) {
      const form = new FormData();
      form.append('a', 'text');
      form.append('f', new File([bytes], 'name.bin', { type: 'image/x-test' }));
      const [text, file] = await formOf(platform, form);
      expect(text?.[1]).toBe('text');
      expect(file?.[0]).toMatch(/name="f"; filename="name.bin"/);
      expect(file?.[0]).toMatch(/content-type: image\/x-test/i);
      expect(file?.[1]).toBe('\x00\x01\xfe\xff');
    },
  },
  {
    name: 'a stream arrives complete, or is rejected with a reason',
    async run(platform) {
      const call = clientOf(platform).route('svc').post('size', streamOf('abc', 'def'));
      const outcome = await call.then(
        ({ body }) => body,
        (error: unknown) => error,
      );
      if (isInvalidArgumentError(outcome)) {
        expect(outcome.message).toContain('cannot send a stream');
        expect(await platform.requests()).toEqual([]);
      } else if (isNetworkError(outcome)) {
        // Chromium over HTTP/1.1, WebKit.
        expect(outcome.message).toMatch(/needs HTTP\/2|ReadableStream uploading is not supported/);
      } else {
        expect(outcome).toMatchObject({ bytes: 6 });
      }
      if (platform.kind === 'memory') expect(outcome).toMatchObject({ bytes: 6 });
    },
  },
  {
    name: 'a megabyte goes up and comes down',
    async run(platform) {
      const text = 'ü'.repeat(500_000);
      const { body } = await clientOf(platform).route('_echo').post('x', { text });
      expect((body as { body: { text: string } }).body.text === text).toBe(true);
    },
  },
  {
    name: 'values that JSON would lose are rejected before anything is sent',
    async run(platform) {
      const route = clientOf(platform).route('_echo');
      for (const body of [{ a: [new Map()] }, { a: Number.NaN }, { a: () => 1 }]) {
        await expect(route.post('x', body)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      }
      expect(await platform.requests()).toEqual([]);
    },
  },
];
