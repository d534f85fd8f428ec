import type { CallInfo } from '../../base/arango-services-error.js';
import { NetworkError, UploadError } from '../../base/errors.js';
import { type Cause, causesOf } from '../../base/lib/causes.js';

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
function wordedCode(message: unknown): string | undefined {
  // The URL comes from the caller.
  const words = String(message).replaceAll(/\bhttps?:\S+/g, '');
  return codes.find(([pattern]) => pattern.test(words))?.[1];
}

const trustIt =
  'trust its authority with nodeTransport({ tls: { caFile } }), or with NODE_EXTRA_CA_CERTS before the program starts';
const ownCertificate = 'set nodeTransport({ tls: { certFile, keyFile } })';

/** Problems of certificates and handshakes, by the code of OpenSSL or Node, with their remedies. */
const causes: readonly (readonly [code: RegExp, what: string, remedy: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'has a self-signed certificate', trustIt],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED)$/,
    'has a certificate from an unknown issuer',
    trustIt,
  ],
  [/^CERT_HAS_EXPIRED$/, 'has an expired certificate', 'renew it, or check the clock of this machine'],
  [/^CERT_NOT_YET_VALID$/, 'has a certificate that is not valid yet', 'check the clocks of both machines'],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'has a certificate for another host',
    'use one of its names in the URL, or set nodeTransport({ tls: { servername } })',
  ],
  [/^ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED$/, 'requires a client certificate', ownCertificate],
  [
    /^ERR_SSL_(TLSV1|SSLV3)_ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_\w+|HANDSHAKE_FAILURE)$/,
    'refuses the handshake or the client certificate',
    ownCertificate,
  ],
  [
    /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|EPROTO)$/,
    'does not speak TLS',
    'check the scheme and the port of the URL',
  ],
  [/^(CERT_|ERR_TLS_CERT)/, 'has a certificate that cannot be verified', trustIt],
];

/** The code of a failure; if the runtime gives none, the one that its message stands for. */
const codeOf = ({ code, message }: Cause): unknown => code ?? wordedCode(message);

/** Describes a TLS failure: the problem, the host, the remedy; undefined for any other failure. */
export function tlsFailure(error: unknown, callInfo: CallInfo): NetworkError | undefined {
  for (const cause of causesOf(error)) {
    const code = codeOf(cause);
    const entry = typeof code === 'string' && causes.find(([pattern]) => pattern.test(code));
    if (entry) return new NetworkError(callInfo, `the server ${entry[1]}; ${entry[2]}`, code);
  }
  return undefined;
}

/** A failure whose code the runtime gives in words; undefined for any other. */
export function wordedFailure(error: unknown, callInfo: CallInfo): NetworkError | undefined {
  const list = causesOf(error);
  const code = list.some((cause) => cause.code && !wordedCode(cause.code))
    ? undefined
    : list.map((cause) => wordedCode(cause.code ?? cause.message)).find(Boolean);
  return code === undefined ? undefined : new NetworkError(callInfo, '', code);
}

const limit = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/;

/** The failure of a service that took longer than Node's `fetch` waits, which no option of a request changes. */
export function tooSlow(error: unknown, callInfo: CallInfo): NetworkError | undefined {
  const code = causesOf(error)
    .map((cause) => String(cause.code))
    .find((value) => limit.test(value));
  const text = 'fetch of Node waits at most 300 s for a response or its next byte; nodeTransport has no such limit';
  return code === undefined ? undefined : new NetworkError(callInfo, text, code);
}

/** The failure of a Blob that cannot be read, as of a file that has changed since `fs.openAsBlob`. */
export function unreadable(error: unknown, callInfo: CallInfo): UploadError | undefined {
  const cause = causesOf(error).find(({ name }) => name === 'NotReadableError');
  return cause && new UploadError(callInfo, cause);
}
