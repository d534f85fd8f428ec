import { expect, test } from 'vitest';
import { secretFilter } from '../../../src/base/secrets/filter.ts';
import { redacted, redactTextBody } from '../../../src/base/secrets/redact.ts';
import { encodeJson } from '../../../src/client/connection/body.ts';
import { createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { jwt } from '../../support/secret-encodings.ts';

// With quadratic time or worse these tests would not end.

test('a search for secrets takes time linear in the text', () => {
  const hostile = ['-ey', '%', '&#', '\\u', 'ey-', 'a.', '\\', 'eyJ'.repeat(8)];
  const show = secretFilter([jwt], true);
  for (const part of hostile) expect(show(part.repeat(8_388_608 / part.length)).length).toBeLessThanOrEqual(500);
});

test('the parts of a multipart body without a blank line are searched in linear time', () => {
  const parts = 'content-disposition: form-data; name=token\n'.repeat(100_000);
  expect(redactTextBody(parts)).toBe(parts + redacted);
});

test('a long chain of escapes in a path is searched in linear time', async () => {
  let sent = 0;
  const fetch = async () => {
    sent += 1;
    return Response.json({});
  };
  const route = createClient({ url: 'http://service.test', fetch }).route();
  const chain = `%${'25'.repeat(500_000)}`;
  expect(await failureOf(route.get(`${chain}2e/x`))).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'path' });
  expect((await route.get(`${chain}2ex`)).status).toBe(200);
  expect(sent).toBe(1);
});

test('a deep JSON body takes time linear in its nodes, not nodes times depth', () => {
  // 200 levels of lists, 500 values in each: searching the ancestors for each value would take 200 times as long.
  let value: unknown[] = [];
  for (let level = 0; level < 200; level++) value = [value, ...Array.from({ length: 500 }, (_, i) => ({ i }))];
  expect(encodeJson(value)).toBe(JSON.stringify(value));
});
