import { connect } from 'node:tls';
import { systemCode } from '../../../base/lib/system-errors.js';
import { type DoctorFinding, failure, ok, warning } from './doctor-finding.js';
import { answerMs } from './probe.js';

const dayMs = 86_400_000;
/** The days before its end in which a certificate is a warning: monthly renewals are done by then. */
const soonDays = 14;

interface ShownCertificate {
  readonly validTo: Date;
  /** The reason why this machine does not trust the certificate. */
  readonly fault?: string;
}

/** The certificate that a server shows. Nothing is sent over the connection. */
function readCertificate(url: URL): Promise<ShownCertificate> {
  return new Promise((resolve, reject) => {
    // Accepts any certificate and reads `authorizationError`: a refused connection would not show when it ends.
    const socket = connect({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || 443),
      servername: /^[\d.]+$|^\[/.test(url.hostname) ? '' : url.hostname,
      rejectUnauthorized: false,
    });
    const timer = setTimeout(() => socket.destroy(new Error('timeout')), answerMs);
    socket.on('close', () => clearTimeout(timer));
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      const validTo = new Date(socket.getPeerCertificate().valid_to);
      // A code, although its type is an error.
      const why: unknown = socket.authorizationError;
      const fault = socket.authorized
        ? undefined
        : (systemCode(why) ?? (typeof why === 'string' ? why : 'not trusted'));
      socket.destroy();
      resolve({ validTo, ...(fault !== undefined && { fault }) });
    });
  });
}

/** Judges a certificate. An expired one is not trusted either, so that is said first. */
export function judgeCertificate({ validTo, fault }: ShownCertificate): DoctorFinding {
  const days = Math.floor((validTo.getTime() - Date.now()) / dayMs);
  const until = `valid until ${validTo.toISOString().slice(0, 10)}`;
  if (days < 0)
    return failure('tls', `the certificate is expired, ${until}`, 'renew the certificate of the deployment');
  if (fault !== undefined) {
    const next = 'name the authority: NODE_EXTRA_CA_CERTS=ca.pem, see docs/guides/certificates.md';
    return failure('tls', `the certificate is not trusted (${fault}), ${until}`, next);
  }
  if (days < soonDays) return warning('tls', `the certificate ends in ${days} days, ${until}`, 'renew it');
  return ok('tls', `the certificate is ${until}`);
}

/** Judges the certificate of an address; undefined for `http:`, and for one that does not answer. */
export const examineCertificate = async (url: URL): Promise<DoctorFinding | undefined> =>
  url.protocol === 'https:' ? readCertificate(url).then(judgeCertificate, () => undefined) : undefined;
