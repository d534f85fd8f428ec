/** The features that convert texts and bytes, without a client too. */
export const coders = 'TextDecoder TextEncoder btoa';

const needed = `AbortController Blob FormData Headers ReadableStream Request ${coders} URL performance`;

/**
 * Checks the features of the engine that this package needs, so that React Native or an old engine gets one clear error
 * instead of a ReferenceError in each call. Reads no value of them: in Node, reading `Request` loads all of `fetch`.
 * @throws Error naming all missing features.
 */
export function requireEngine(names = needed): void {
  const missing = names.split(' ').filter((name) => !(name in globalThis));
  if ('URL' in globalThis && !('canParse' in URL)) missing.push('URL.canParse');
  if (missing.length > 0) throw new Error(`arango-services needs ${missing.join(', ')}: import polyfills before it`);
}
