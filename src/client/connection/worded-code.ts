/** Node's codes for the words of Deno's `fetch`, whose errors have no codes, and for the codes of Bun and of undici. */
const codes: readonly (readonly [words: RegExp, code: string])[] = [
  [/\bConnection refused\b/, 'ECONNREFUSED'],
  [/\bdns error\b/, 'ENOTFOUND'],
  [
    /\b(?:Connection reset by peer|connection closed before message completed|error reading a body from connection)\b/,
    'ECONNRESET',
  ],
  [/\bBroken pipe\b/, 'EPIPE'],
  [/\binvalid (?:HTTP \w+|content-length) parsed\b|\bdoes not match the HTTP\//, 'HPE_INVALID'],
  [/^(?:Malformed_HTTP_|InvalidHTTP|InvalidContent)/, 'HPE_INVALID'],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  [/\bmessage head is too large\b|^ResponseHeadersTooLarge/, 'UND_ERR_HEADERS_OVERFLOW'],
  [/^string too long$/, 'ERR_STRING_TOO_LONG'],
  [/\bConnection timed out\b/, 'ETIMEDOUT'],
  [/\bNo route to host\b/, 'EHOSTUNREACH'],
  [/\bNetwork is unreachable\b/, 'ENETUNREACH'],
  [/\binvalid peer certificate: UnknownIssuer\b/, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  [/\bcertificate expired\b/, 'CERT_HAS_EXPIRED'],
  [/\bcertificate not valid yet\b/, 'CERT_NOT_YET_VALID'],
  [/\bcertificate not valid for name\b/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/\breceived corrupt message of type InvalidContentType\b/, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [/\breceived fatal alert: CertificateRequired\b/, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  [/\breceived fatal alert: UnknownCA\b/, 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'],
  [/\breceived fatal alert: HandshakeFailure\b/, 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'],
];

/** The code of an error that says in words what Node says by a code; undefined if it says something else. */
export function wordedCode(message: unknown): string | undefined {
  // The URL comes from the caller.
  const words = String(message).replaceAll(/\bhttps?:\S+/g, '');
  return codes.find(([pattern]) => pattern.test(words))?.[1];
}
