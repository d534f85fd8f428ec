// Calls that the gateway answers itself, and the two smallest integration services. Loaded on demand: few programs ask.

import { encodeText, toHex } from '../../base/jwt/bytes.js';
import { requireSubtle } from '../../base/jwt/keys.js';
import { coreMode } from '../config/neighbour.js';
import type { Platform } from '../platform.js';
import { json, type NeutralResponse } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { about } from './database.js';

const sha256 = async (text: string): Promise<string> =>
  toHex(await requireSubtle().digest('SHA-256', encodeText(text)));

/** The inventory without the hash of its configuration. */
function describe({ settings, version: { listsConnectors } }: Platform) {
  const { authentication, authorization, services } = settings;
  const security = (mode: string) => ({
    authentication: `Authentication${authentication.enabled ? authentication.mode : 'None'}`,
    authorization: `Authorization${mode}`,
  });
  const database = { mode: 'Single', edition: 'Community', version: about.version, sharding: 'Sharded' };
  return {
    arangodb: listsConnectors ? { ...database, security: security(coreMode(authorization)) } : database,
    networking: {
      routes: Object.fromEntries(
        Array.from(services.keys(), (name) => [name, { path: { path: `/_service/uds/_global/${name}/` } }]),
      ),
    },
    platform: { services: {} },
    profiles: {},
    ...(listsConnectors && { connectors: {} }),
    security: security(authorization.mode),
  };
}

/** `GET /_inventory`: what the deployment is. Source: docs/wire.md, "Inventory". */
export async function inventory(_: Exchange, platform: Platform): Promise<NeutralResponse> {
  const described = describe(platform);
  return json({ configuration: { hash: await sha256(`configuration ${JSON.stringify(described)}`) }, ...described });
}

/** `GET /_inventory.hash`: the checksum of the inventory without its configuration. */
export async function inventoryHash(_: Exchange, platform: Platform): Promise<NeutralResponse> {
  return json({ hash: await sha256(JSON.stringify(describe(platform))) });
}

/** `GET /_integration/pong/v1/ping`: the time, and the seconds since the process began. */
export function ping(_: Exchange, { clock }: Platform): NeutralResponse {
  return json({ time: new Date(clock.now()).toISOString(), ticks: Math.floor(performance.now() / 1_000) });
}

/** `GET /_integration/shutdown/v1/shutdown`: ends a process of the platform, and nothing here. */
export const shutdown = (): NeutralResponse => json({});
