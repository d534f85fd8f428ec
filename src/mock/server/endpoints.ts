import type { Settings } from '../config/mock-config.js';
import type { GatewayAccess } from '../gateway/pass.js';
import type { Platform } from '../platform.js';
import { versionRules } from '../platform-version.js';
import { createToken, identity, login, logout, validate } from '../services/authentication.js';
import { evaluate, evaluateMany, evaluateToken, evaluateTokenMany, refreshSidecar } from '../services/authorization.js';
import { type BindingCalls, groupBindingCalls, userBindingCalls } from '../services/binding-calls.js';
import { echo, getCollections, getCurrentDatabase, getUserDatabases, getVersion } from '../services/database.js';
import { refresh, validatePermission } from '../services/permission-calls.js';
import { type ManagementCalls, policyCalls, roleCalls } from '../services/policies.js';
import { getKeys, pollKeys } from '../services/published-keys.js';
import type { NeutralResponse } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';

/** Serves a request. */
type Serve = (exchange: Exchange, platform: Platform) => NeutralResponse | Promise<NeutralResponse>;

/** An endpoint of the table. */
export interface Endpoint {
  readonly serve: Serve;
  /** True if the endpoint needs no credentials, or checks them itself. */
  readonly open?: boolean;
  /** True for a path that is not behind the gateway: it sees the request as it was sent. */
  readonly direct?: boolean;
  /** How the gateway authenticates requests to a service of the user's. */
  readonly access?: GatewayAccess;
  /** True for the requests whose body it reads as a stream of any size. */
  readonly streams?: (method: string, path: string) => boolean;
}

type EndpointRow = readonly [method: string, pattern: string, endpoint: Endpoint];

/** A call of a module that is loaded when it is first asked for. */
const lazy =
  <N extends string>(load: () => Promise<Readonly<Record<N, Serve>>>, name: NoInfer<N>): Serve =>
  async (exchange, platform) =>
    (await load())[name](exchange, platform);

/** Calls that only drivers of the database make. */
const drivers = () => import('../services/drivers.js');
/** Calls of the gateway itself, and of services that tell nothing about callers. */
const gatewayCalls = () => import('../services/gateway-calls.js');

const inside: GatewayAccess = { authentication: 'required', passMode: 'remove' };

/** The first requests of drivers, with and without a database in the path. */
const preliminaries: readonly EndpointRow[] = [
  ['GET', '/_api/version', { serve: getVersion }],
  ['GET', '/_api/database/current', { serve: getCurrentDatabase }],
  ['GET', '/_api/database', { serve: lazy(drivers, 'getDatabases') }],
  ['GET', '/_api/database/user', { serve: getUserDatabases }],
  ['GET', '/_api/user/:name', { serve: lazy(drivers, 'getUser') }],
  ['GET', '/_api/collection', { serve: getCollections }],
  ['POST', '/_open/auth', { serve: lazy(drivers, 'openAuth'), open: true }],
  ['POST', '/_open/auth/renew', { serve: lazy(drivers, 'renewAuth'), open: true }],
];

const database: readonly EndpointRow[] = [
  ...preliminaries.flatMap(([method, path, endpoint]): EndpointRow[] => [
    [method, path, endpoint],
    [method, `/_db/:db${path}`, endpoint],
  ]),
  ['*', '/_db/:db/_echo/*', { serve: echo }],
];

const authn = '/_integration/authn/v1';
const authz = '/_integration/authorization/v1';
const permissions = '/_management/permissions';
const keys = '/_management/authentication/keys';

const services: readonly EndpointRow[] = [
  ['POST', `${authn}/validate`, { serve: validate }],
  ['POST', `${authn}/createToken`, { serve: createToken }],
  ['GET', `${authn}/identity`, { serve: identity }],
  ['POST', `${authn}/login`, { serve: login }],
  ['GET', `${authn}/logout`, { serve: logout }],
  // The gateway's aliases.
  ['GET', '/_identity', { serve: identity }],
  ['POST', '/_login', { serve: login }],
  ['GET', '/_logout', { serve: logout }],

  ['POST', `${authz}/evaluate`, { serve: evaluate }],
  ['POST', `${authz}/evaluate-many`, { serve: evaluateMany }],
  ['POST', `${authz}/evaluate-token`, { serve: evaluateToken }],
  ['POST', `${authz}/evaluate-token-many`, { serve: evaluateTokenMany }],

  ['POST', `${permissions}/validate`, { serve: validatePermission }],
  ['POST', `${permissions}/refresh`, { serve: refresh }],
  ...callRows('policy', policyCalls),
  ...callRows('role', roleCalls),
  ...bindingRows('user', userBindingCalls),

  ['GET', '/_inventory', { serve: lazy(gatewayCalls, 'inventory'), access: inside }],
  ['GET', '/_inventory.hash', { serve: lazy(gatewayCalls, 'inventoryHash'), access: inside }],
  ['GET', '/_integration/pong/v1/ping', { serve: lazy(gatewayCalls, 'ping') }],
  ['GET', '/_integration/shutdown/v1/shutdown', { serve: lazy(gatewayCalls, 'shutdown') }],

  ['GET', keys, { serve: getKeys }],
  ['POST', keys, { serve: pollKeys }],
];

function callRows(
  kind: 'policy' | 'role',
  { list, get, create, update, remove }: ManagementCalls,
): readonly EndpointRow[] {
  const named = `${permissions}/${kind}/:name`;
  return [
    ['GET', `${permissions}/${kind}`, { serve: list }],
    ['GET', named, { serve: get }],
    ['POST', named, { serve: create }],
    ['PUT', named, { serve: update }],
    ['DELETE', named, { serve: remove }],
  ];
}

function bindingRows(kind: 'user' | 'group', { list, assign, replaceScope, remove }: BindingCalls): EndpointRow[] {
  const all = `${permissions}/${kind}/:${kind}/role`;
  return [
    ['GET', all, { serve: list }],
    ['POST', `${all}/:role`, { serve: assign }],
    ['PUT', `${all}/:role`, { serve: replaceScope }],
    ['DELETE', `${all}/:role`, { serve: remove }],
  ];
}

/** All built-in endpoints. */
export function endpointRows({ authentication, platform }: Settings): readonly EndpointRow[] {
  const rows = [...services, ...database];
  const { bindsGroups, refreshes } = versionRules[platform];
  if (bindsGroups) rows.push(...bindingRows('group', groupBindingCalls));
  if (refreshes) rows.push(['POST', `${authz}/refresh`, { serve: refreshSidecar }]);
  if (authentication.mode === 'SSO')
    rows.push(['GET', '/oauth2/idpresponse', { serve: lazy(() => import('../gateway/sso.js'), 'signIn') }]);
  return rows;
}
