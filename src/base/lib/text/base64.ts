/** Decodes base64 of UTF-8. Throws for invalid base64. */
export const decodeBase64 = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
