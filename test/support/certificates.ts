// Required by tsyringe, a dependency of @peculiar/x509.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

/** A certificate and its key as PEM. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

interface Wanted {
  /** Its names and addresses. Default 127.0.0.1 and localhost. */
  readonly names?: readonly string[];
  /** Its validity, in days from now. */
  readonly fromDays?: number;
  readonly toDays?: number;
}

/** An authority of the tests. */
export interface Authority extends Issued {
  readonly issue: (wanted?: Wanted) => Promise<Issued>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs);
const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

async function pemOf(certificate: x509.X509Certificate, { privateKey }: CryptoKeyPair): Promise<Issued> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
  return { cert: `${certificate.toString('pem')}\n`, key };
}

const alternativeNames = (names: readonly string[]) =>
  new x509.SubjectAlternativeNameExtension(
    names.map((value) => ({ type: /^[\d.]+$/.test(value) ? ('ip' as const) : ('dns' as const), value })),
  );

const serial = () => Buffer.from(crypto.getRandomValues(new Uint8Array(8)).map((byte) => byte & 0x7f)).toString('hex');

/** A new authority with a key of its own. */
export async function createAuthority(name = 'Test CA'): Promise<Authority> {
  const keys = await newKeys();
  const subject = `CN=${name}`;
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: subject,
    notBefore: daysFromNow(-1),
    notAfter: daysFromNow(30),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    ...(await pemOf(root, keys)),
    async issue({ names = ['127.0.0.1', 'localhost'], fromDays = -1, toDays = 1 } = {}) {
      const own = await newKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial(),
        subject: `CN=${names[0]}`,
        issuer: subject,
        notBefore: daysFromNow(fromDays),
        notAfter: daysFromNow(toDays),
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [alternativeNames(names)],
      });
      return pemOf(certificate, own);
    },
  };
}

/** A self-signed certificate. */
export async function createSelfSigned(): Promise<Issued> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: 'CN=localhost',
    notBefore: daysFromNow(-1),
    notAfter: daysFromNow(1),
    signingAlgorithm: algorithm,
    keys,
    extensions: [alternativeNames(['127.0.0.1', 'localhost'])],
  });
  return pemOf(certificate, keys);
}
