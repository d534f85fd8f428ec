import type { Settings } from './mock-config.js';

/**
 * The environment variables of a program next to a sidecar, with both services at this URL.
 * Source: docs/wire.md, "Environment of a sidecar's neighbour".
 */
export function neighbourVariables(
  { authentication, authorization }: Pick<Settings, 'authentication' | 'authorization'>,
  url: string,
): Record<string, string> {
  return {
    INTEGRATION_HTTP_ADDRESS_FULL: url,
    INTEGRATION_AUTHENTICATION_MODE: authentication.enabled ? authentication.mode : 'None',
    INTEGRATION_AUTHORIZATION_MODE: authorization.mode,
    INTEGRATION_AUTHORIZATION_MODE_COREDB:
      authorization.coreDb ?? (authorization.mode === 'RBAC' ? 'Native' : authorization.mode),
    INTEGRATION_AUTHORIZATION_V1_TYPE: authorization.type,
    ARANGO_DEPLOYMENT_ENDPOINT: url,
  };
}
