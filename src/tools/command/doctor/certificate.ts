import { connect } from 'node:tls';
import { systemCode } from '../../../base/lib/system-errors.js';
import { type DoctorFinding, failure, ok, warning } from './doctor-finding.js';
import { answerMs } from './probe.js';

const dayMs = 86_400_000;
/** Certificates that end before are a warning, in days: monthly renewals are done by then. */
const soonDays = 14;

/** The certificate that a server shows, and why this machine does not trust it. Nothing is sent over the connection. */
function readCertificate(url: URL): Promise<{ readonly validTo: Date; readonly fault?: string }> {
  return new Promise((resolve, reject) => {
    // It is judged by `authorizationError`, so that its expiry is known, too.
    const socket = connect({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || 443),
      servername: /^[\d.]+$|^\[/.test(url.hostname) ? '' : url.hostname,
      rejectUnauthorized: false,
    });
    socket.setTimeout(answerMs, () => socket.destroy(new Error('timeout')));
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      const validTo = new Date(socket.getPeerCertificate().valid_to);
      const fault = systemCode(socket.authorizationError) ?? (socket.authorized ? undefined : 'not trusted');
      socket.destroy();
      resolve({ validTo, ...(fault !== undefined && { fault }) });
    });
  });
}

/** Judges the certificate of an address; undefined for `http:`, and for one that does not answer. */
export async function examineCertificate(url: URL): Promise<DoctorFinding | undefined> {
  if (url.protocol !== 'https:') return undefined;
  const certificate = await readCertificate(url).catch(() => undefined);
  if (certificate === undefined) return undefined;
  const { validTo, fault } = certificate;
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
