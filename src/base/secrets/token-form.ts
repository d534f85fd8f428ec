const opaque = /^[\w-]{32,}={0,2}$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** True if a word looks like a key: long, base64url or hex, with digits and letters, and not a UUID. */
export const isOpaqueWord = (word: string): boolean =>
  opaque.test(word) && /\d/.test(word) && /[a-z]/i.test(word) && !uuid.test(word);

/** True if a text holds a key or a token, or the beginning of one. */
export const hasTokenForm = (text: string): boolean =>
  /eyJ[\w-]{4}/.test(text) || text.split(/[^\w-]/).some(isOpaqueWord);
