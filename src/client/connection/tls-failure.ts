import { type CallInfo, NetworkError } from '../../base/errors.js';
import { type Cause, causesOf } from '../../base/lib/causes.js';
import { wordedCode } from './worded-code.js';

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

/** Its code; where the runtime gives none, the one that its words stand for. */
const codeOf = ({ code, message }: Cause): unknown => code ?? wordedCode(message);

/** Describes a TLS failure: the problem, the host, the remedy; undefined for any other failure. */
export function tlsFailure(error: unknown, callInfo: CallInfo): NetworkError | undefined {
  for (const cause of causesOf(error)) {
    const code = codeOf(cause);
    const found = typeof code === 'string' && causes.find(([pattern]) => pattern.test(code));
    if (found) return new NetworkError(callInfo, `the server ${found[1]}; ${found[2]}`, code);
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
