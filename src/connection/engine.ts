const needed =
  'AbortController Blob FormData Headers ReadableStream Request ' +
  'TextDecoder TextEncoder URL URLSearchParams performance';

/**
 * Checks that the engine has what the package is built on, so that React Native, or an old engine, is told once what it
 * lacks and not by a ReferenceError in each call.
 *
 * @throws Error naming all that is missing.
 */
export function requireEngine(): void {
  const has = (name: string) => (globalThis as Record<string, unknown>)[name] !== undefined;
  const missing = needed.split(' ').filter((name) => !has(name));
  if (has('URL') && !('canParse' in URL)) missing.push('URL.canParse');
  if (missing.length > 0) throw new Error(`arango-services needs ${missing.join(', ')}: import polyfills before it`);
}
