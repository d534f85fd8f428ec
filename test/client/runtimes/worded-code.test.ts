import { expect, test } from 'vitest';
import { tlsFailure, wordedFailure } from '../../../src/client/runtimes/runtime-failure.ts';

// As Deno 2.9 says them; test/deep/runtime-edges.test.ts asks Deno itself.
const sent = 'error sending request for url (https://127.0.0.1:1/_db/x): client error';
const failed = (message: string) => new TypeError('fetch failed', { cause: new Error(message) });

test.each([
  [`${sent} (Connect): tcp connect error: Connection refused (os error 111)`, 'ECONNREFUSED'],
  [`${sent} (Connect): dns error: failed to lookup address information: Name or service not known`, 'ENOTFOUND'],
  ['Connection reset by peer (os error 104)', 'ECONNRESET'],
  [`${sent} (SendRequest): connection closed before message completed`, 'ECONNRESET'],
  [`${sent} (Connect): tcp connect error: No route to host (os error 113)`, 'EHOSTUNREACH'],
  [`${sent} (SendRequest): invalid HTTP version parsed`, 'HPE_INVALID'],
  [`${sent} (SendRequest): invalid content-length parsed`, 'HPE_INVALID'],
  [`${sent} (SendRequest): message head is too large`, 'UND_ERR_HEADERS_OVERFLOW'],
  ['string too long', 'ERR_STRING_TOO_LONG'],
])('the words of a runtime stand for a code: %s: %s', (message, code) => {
  expect(wordedFailure(failed(message), {})?.cause).toEqual({ code });
  expect(tlsFailure(failed(message), {})).toBe(undefined);
});

test.each([
  ['invalid peer certificate: UnknownIssuer', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['invalid peer certificate: certificate expired: verification time 1795484606 (UNIX)', 'CERT_HAS_EXPIRED'],
  ['invalid peer certificate: certificate not valid yet: verification time 1', 'CERT_NOT_YET_VALID'],
  ['invalid peer certificate: certificate not valid for name "a.test"', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['received corrupt message of type InvalidContentType', 'ERR_SSL_WRONG_VERSION_NUMBER'],
])('the words of a TLS failure stand for a code, with its remedy: %s', (words, code) => {
  expect(tlsFailure(failed(`${sent} (Connect): ${words}`), {})).toMatchObject({
    message: expect.stringMatching(/^failed: the server .*; .*\(\w+\)$/),
    cause: { code },
  });
});

test.each([
  ['Malformed_HTTP_Response', 'HPE_INVALID'],
  ['InvalidHTTPResponse', 'HPE_INVALID'],
  ['InvalidContentLength', 'HPE_INVALID'],
  ['ResponseHeadersTooLarge', 'UND_ERR_HEADERS_OVERFLOW'],
])('the code %s of Bun 1.4', (code, known) => {
  const failure = Object.assign(new TypeError(`${code} fetching "http://127.0.0.1:1/"`), { code });
  expect(wordedFailure(failure, {})?.cause).toEqual({ code: known });
});

test('no code is read from words of a URL, from unknown words, or from a message beside another code', () => {
  const words = 'error sending request for url (https://a.test/UnknownIssuer?dns%20error): client error (Canceled)';
  expect(wordedFailure(failed(words), {})).toBe(undefined);
  expect(tlsFailure(failed(words), {})).toBe(undefined);
  const coded = new TypeError('Connection refused', { cause: Object.assign(new Error(), { code: 'EOTHER' }) });
  expect(wordedFailure(coded, {})).toBe(undefined);
});
