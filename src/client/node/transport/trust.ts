import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import * as tls from 'node:tls';
import { InvalidArgumentError } from '../../../base/errors.js';
import type { TlsOptions } from './transport-options.js';

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Returns Node's default root certificates. */
async function defaultRoots(): Promise<readonly string[]> {
  // Node 22.15 and later includes those of the command line and the environment. Not a named import, because a missing
  // name would break the import of the whole subpath.
  if (tls.getCACertificates !== undefined) return tls.getCACertificates('default');
  const { NODE_EXTRA_CA_CERTS: extra } = process.env;
  return extra ? [...tls.rootCertificates, await readFile(extra, 'utf8').catch(() => '')] : tls.rootCertificates;
}

const text = (pem: string | Uint8Array) => (typeof pem === 'string' ? pem : Buffer.from(pem).toString());

/** Parses certificates in PEM; throws InvalidArgumentError for invalid ones, which Node would ignore. */
function readCertificates(pem: string, field: string): string[] {
  const blocks = pem.match(certificate) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
  } catch {
    throw new InvalidArgumentError(field, 'holds a certificate that cannot be read');
  }
  if (blocks.length === 0) throw new InvalidArgumentError(field, 'holds no certificate (PEM)');
  return blocks;
}

async function readPemFile(path: string, field: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    throw new InvalidArgumentError(field, `the file cannot be read (${code})`);
  }
}

/** The TLS trust and client certificate; undefined to use Node's defaults. */
async function makeContext(options: TlsOptions): Promise<tls.SecureContext | undefined> {
  const { ca, caFile, certFile, keyFile } = options;
  const ownRoots = ca === undefined ? undefined : [ca].flat().flatMap((pem) => readCertificates(text(pem), 'tls.ca'));
  const added =
    caFile === undefined ? undefined : readCertificates(await readPemFile(caFile, 'tls.caFile'), 'tls.caFile');
  const cert = certFile === undefined ? options.cert : await readPemFile(certFile, 'tls.certFile');
  const key = keyFile === undefined ? options.key : await readPemFile(keyFile, 'tls.keyFile');
  if (ownRoots === undefined && added === undefined && cert === undefined) return undefined;
  const roots = ownRoots ?? (added && (await defaultRoots()));
  try {
    return tls.createSecureContext({
      ...(roots && { ca: [...roots, ...(added ?? [])] }),
      ...(cert !== undefined && { cert: text(cert) }),
      ...(key !== undefined && { key: text(key) }),
    });
  } catch (error) {
    // OpenSSL's code is sufficient (ERR_OSSL_X509_KEY_VALUES_MISMATCH) without its message.
    const { code } = error as { readonly code?: unknown };
    throw new InvalidArgumentError(certFile ? 'tls.certFile' : 'tls.cert', `cannot be used with its key (${code})`);
  }
}

/** The TLS settings of new connections. */
export interface Trust {
  /** Returns the same object until a file changes; while a file cannot be read, its previous content is used. */
  current(): Promise<{ readonly context: tls.SecureContext | undefined }>;
}

/** Reads files lazily with the first connection, and again for new connections when they have changed. */
export function createTrust(options: TlsOptions): Trust {
  const files = [options.caFile, options.certFile, options.keyFile].filter((file) => file !== undefined);
  let loaded:
    | { readonly version: string; readonly settings: { readonly context: tls.SecureContext | undefined } }
    | undefined;

  const versionOf = async (path: string) => {
    const { mtimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${size} ${ino}`;
  };
  const refresh = async () => {
    // Gets the version first, so that a file that changes during the read is read again.
    const version = (await Promise.all(files.map((file) => versionOf(file).catch(() => '')))).join();
    if (version !== loaded?.version) loaded = { version, settings: { context: await makeContext(options) } };
    return loaded.settings;
  };
  let refreshing: ReturnType<typeof refresh> | undefined;

  return {
    async current() {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      try {
        return await refreshing;
      } catch (error) {
        if (loaded === undefined) throw error;
        return loaded.settings;
      }
    },
  };
}
