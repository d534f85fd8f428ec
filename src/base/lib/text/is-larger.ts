/** True if a body is larger than `bytes`. Encodes it only if its length leaves that open. */
export function isLarger(body: string | Uint8Array | undefined, bytes: number): boolean {
  if (body === undefined) return false;
  if (typeof body !== 'string') return body.byteLength > bytes;
  // A UTF-16 unit is one to three bytes of UTF-8.
  if (body.length > bytes) return true;
  return body.length * 3 > bytes && new TextEncoder().encode(body).byteLength > bytes;
}
