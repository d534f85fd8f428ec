/** The part of Trusted Types that a worker needs. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string };
}

/**
 * Creates the function that starts the worker of logs. Browsers with Trusted Types take its address from a policy only,
 * which makes this one address.
 */
export function createWorkerStart(): () => Worker {
  const address = () => new URL('log.js', document.baseURI).href;
  // The cast: the types of the DOM lack `trustedTypes`. Its addresses are objects, which `Worker` takes as texts.
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;
  return () => {
    policy ??= trustedTypes?.createPolicy('arango-services-log', { createScriptURL: address });
    return new Worker(policy?.createScriptURL('') ?? address(), { type: 'module' });
  };
}
