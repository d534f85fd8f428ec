import type { Bytes } from '../lib/web-types.js';

/** The PEM labels of SPKI and PKCS 8, the two formats that Web Crypto can import. */
export type PemLabel = 'PUBLIC KEY' | 'PRIVATE KEY';

/** Decodes PEM; undefined if the text does not begin like PEM. Throws if the content is not valid base64. */
export function decodePem(text: string, label: PemLabel): Bytes | undefined {
  const lines = text.trim();
  if (!lines.startsWith(`-----BEGIN ${label}-----`)) return undefined;
  const body = lines.replace(/-----(?:BEGIN|END) P(?:UBLIC|RIVATE) KEY-----|\s/g, '');
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

/** Encodes bytes as PEM. */
export function encodePem(bytes: ArrayBuffer, label: PemLabel): string {
  const lines = btoa(String.fromCharCode(...new Uint8Array(bytes))).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
