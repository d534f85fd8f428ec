import { fidelities } from '../fidelity-rules.js';
import { versionRules } from '../platform-version.js';
import type { Settings } from './mock-config.js';

/** The mode of authorization of the core database that the services report. */
export const coreMode = ({ mode, coreDb }: Settings['authorization']) => coreDb ?? (mode === 'RBAC' ? 'Native' : mode);

/** The variables of a program next to a sidecar (docs/wire.md, "Environment of a sidecar's neighbour"). */
export function neighbourVariables(
  { fidelity, platform, authentication, authorization }: Settings,
  url: string,
): Record<string, string> {
  return {
    INTEGRATION_HTTP_ADDRESS_FULL: url,
    ...((fidelities[fidelity].ignoresVersions || versionRules[platform].reportsModes) && {
      INTEGRATION_AUTHENTICATION_MODE: authentication.enabled ? authentication.mode : 'None',
      INTEGRATION_AUTHORIZATION_MODE: authorization.mode,
      INTEGRATION_AUTHORIZATION_MODE_COREDB: coreMode(authorization),
    }),
    INTEGRATION_AUTHORIZATION_V1_TYPE: authorization.type,
    ARANGO_DEPLOYMENT_ENDPOINT: url,
  };
}
