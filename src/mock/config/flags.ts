import type { MockConfig, Settings } from './settings.js';

/** Where a value stands in the configuration. */
type ConfigPath = readonly string[];

/** A setting of the services that has a name of its own outside the configuration. */
export interface ServiceSetting {
  /** The flag without its dashes. In upper case and with `_` for the dots it is the variable. */
  readonly flag: string;
  readonly variable: string;
  readonly path: ConfigPath;
  /** A flag that may stand without a value, which then is `true`. */
  readonly boolean: boolean;
}

/** A value from a flag or a variable on its way into the configuration; `source` is what the caller wrote. */
export interface ServiceValue {
  readonly source: string;
  readonly path: ConfigPath;
  readonly value: string | boolean;
}

/** A flag that the services no longer have. */
export const goneFlag = 'integration.authentication.v1.token.allowed';
export const goneReason =
  'is gone: who may create tokens is a matter of policies. Grant "authentication:CreateToken" on the user, see "policies" and "bindings" in the seed file';

const token = 'integration.authentication.v1.token';
const variableOf = (flag: string): string => flag.toUpperCase().replaceAll('.', '_');

function setting(flag: string, path: string, boolean = false): ServiceSetting {
  return { flag, variable: variableOf(flag), path: path.split('.'), boolean };
}

/** The settings of the services that the mock knows. Source: WIRE.md, authentication V1 and "Environment of a sidecar's neighbour". */
export const serviceSettings: readonly ServiceSetting[] = [
  setting('integration.authentication.mode', 'authentication.mode'),
  setting('integration.authentication.v1.enabled', 'authentication.enabled', true),
  setting(`${token}.user`, 'authentication.token.user'),
  setting(`${token}.ttl.min`, 'authentication.token.ttl.min'),
  setting(`${token}.ttl.max`, 'authentication.token.ttl.max'),
  setting(`${token}.ttl.default`, 'authentication.token.ttl.default'),
  setting('integration.authorization.mode', 'authorization.mode'),
  setting('integration.authorization.v1.type', 'authorization.type'),
];

/** A text as its setting takes it. What is neither true nor false stays text, and the configuration's own check names it. */
export function readServiceValue({ path, boolean }: ServiceSetting, source: string, text: string): ServiceValue {
  const value = boolean && (text === 'true' || text === 'false') ? text === 'true' : text;
  return { source, path, value };
}

/** The settings that variables give. An empty one counts as not set; `gone` is the name of one that the services no longer have. */
export function readVariables(env: Readonly<Record<string, string | undefined>>): {
  readonly values: readonly ServiceValue[];
  readonly gone: string | undefined;
} {
  const values = serviceSettings.flatMap((one) => {
    const text = env[one.variable];
    return text === undefined || text === '' ? [] : [readServiceValue(one, one.variable, text)];
  });
  const name = variableOf(goneFlag);
  return { values, gone: (env[name] ?? '') === '' ? undefined : name };
}

type Tree = { readonly [name: string]: unknown };

/** Puts a value into a copy of the configuration. What is no object on the way there stays, for the check to name it. */
function put(config: unknown, [name, ...rest]: ConfigPath, value: unknown): unknown {
  if (name === undefined) return value;
  if (config !== undefined && (typeof config !== 'object' || config === null || Array.isArray(config))) return config;
  const tree: Tree = { ...config };
  return { ...tree, [name]: put(tree[name], rest, value) };
}

/** A configuration with these values over it; later ones win. It is not checked. */
export function applyValues(config: unknown, values: readonly ServiceValue[]): unknown {
  return values.reduce((all, { path, value }) => put(all, path, value), config);
}

/**
 * The variables that a neighbour of the services' sidecar sees, with both services at these URLs.
 * The core database has no mode RBAC. Source: WIRE.md, "Environment of a sidecar's neighbour".
 */
export function neighbourVariables(
  { authentication, authorization }: Pick<Settings, 'authentication' | 'authorization'>,
  url: string,
): Record<string, string> {
  const core: NonNullable<MockConfig['authorization']>['mode'] =
    authorization.mode === 'RBAC' ? 'Native' : authorization.mode;
  return {
    INTEGRATION_HTTP_ADDRESS_FULL: url,
    INTEGRATION_AUTHENTICATION_MODE: authentication.enabled ? authentication.mode : 'None',
    INTEGRATION_AUTHORIZATION_MODE: authorization.mode,
    INTEGRATION_AUTHORIZATION_MODE_COREDB: core,
    INTEGRATION_AUTHORIZATION_V1_TYPE: authorization.type,
    ARANGO_DEPLOYMENT_ENDPOINT: url,
  };
}
