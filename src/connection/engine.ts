const needed =
  'AbortController Blob FormData Headers ReadableStream Request ' +
  'TextDecoder TextEncoder URL URLSearchParams btoa performance';

/**
 * Checks the features of the engine that this package needs, so that React Native or an old engine gets one clear error
 * instead of a ReferenceError in each call.
 *
 * @throws Error naming all missing features.
 */
export function requireEngine(): void {
  const has = (name: string) => (globalThis as Record<string, unknown>)[name] !== undefined;
  const missing = needed.split(' ').filter((name) => !has(name));
  if (has('URL') && !('canParse' in URL)) missing.push('URL.canParse');
  if (missing.length > 0) throw new Error(`arango-services needs ${missing.join(', ')}: import polyfills before it`);
}
