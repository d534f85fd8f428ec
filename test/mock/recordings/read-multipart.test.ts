import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMultipart } from '../../../src/mock/recordings/read-multipart.ts';

const name = fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replace(/[\r\n"\\%;\0]/g, '_'));

test('reads the parts of each form that fetch sends', async () => {
  const part = fc.record({ name, bytes: fc.uint8Array({ maxLength: 200 }), isFile: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
      const form = new FormData();
      for (const one of parts) {
        if (one.isFile) form.append(one.name, new Blob([one.bytes]), `${one.name}.bin`);
        else form.append(one.name, Buffer.from(one.bytes).toString('hex'));
      }
      const sent = new Response(form);
      const body = Buffer.from(await sent.arrayBuffer());
      const read = readMultipart(body, sent.headers.get('content-type') ?? '');
      expect(read?.map((one) => [one.name, one.filename, one.body.toString('hex')])).toEqual(
        parts.map((one) => {
          const hex = Buffer.from(one.bytes).toString('hex');
          return [
            one.name,
            one.isFile ? `${one.name}.bin` : undefined,
            one.isFile ? hex : Buffer.from(hex).toString('hex'),
          ];
        }),
      );
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['another type', 'text/plain', '--b\r\n\r\nx\r\n--b--'],
  ['no boundary', 'multipart/form-data', '--b\r\n\r\nx\r\n--b--'],
  ['no head', 'multipart/form-data; boundary=b', '--b\r\nx\r\n--b--'],
  ['no parts at all', 'multipart/form-data; boundary=b', 'x'],
])('%s is not multipart', (_, type, body) => {
  expect(readMultipart(Buffer.from(body), type)).toBeUndefined();
});

test('the last part may have no boundary behind it', () => {
  const type = 'multipart/form-data; boundary=b';
  const parts = readMultipart(Buffer.from('--b\r\n\r\nx\r\n--b\r\n\r\ny'), type);
  expect(parts?.map(({ body }) => body.toString())).toEqual(['x', 'y']);
});
