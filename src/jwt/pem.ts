import type { Bytes } from '../lib/web-types.js';

/** What a PEM text of a key says it is: SPKI or PKCS 8, the two forms that Web Crypto reads. */
export type PemLabel = 'PUBLIC KEY' | 'PRIVATE KEY';

/**
 * The bytes of a PEM text, undefined where it does not begin as one.
 * @throws where they are no base64.
 */
export function decodePem(text: string, label: PemLabel): Bytes | undefined {
  const lines = text.trim();
  if (!lines.startsWith(`-----BEGIN ${label}-----`)) return undefined;
  const body = lines.replace(/-----(?:BEGIN|END) P(?:UBLIC|RIVATE) KEY-----|\s/g, '');
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

/** Bytes as a PEM text. */
export function encodePem(bytes: ArrayBuffer, label: PemLabel): string {
  const lines = btoa(String.fromCharCode(...new Uint8Array(bytes))).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
