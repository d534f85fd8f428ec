import { isCredentialHeader } from '../../base/secrets/names.js';
import type { Platform } from '../platform.js';
import { json, jsonText, type NeutralResponse } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';

export const about = { server: 'arango', license: 'community', version: '3.12.5' };
const version = jsonText(JSON.stringify(about));
const details = { architecture: '64bit', mode: 'server', 'server-version': about.version };

/** The lifetime of a login. Source: docs/wire.md, "Authentication V1" (`Max-Age=3600`). */
export const loginMs = 3_600_000;

// Booleans in a query as the database reads them; drivers send `true` or `1`.
const isSet = (value: string | null): boolean => /^(?:true|yes|on|y|1)$/i.test(value ?? '');

/** `GET /_api/version`: enough for health checks; with `details=true` the fidelity of the mock, too. */
export function getVersion({ request: { query } }: Exchange, { settings }: Platform): NeutralResponse {
  if (query === '' || !isSet(new URLSearchParams(query).get('details'))) return version;
  return json({ ...about, details: { ...details, 'arango-services-mock': settings.fidelity } });
}

const success = (result: unknown): NeutralResponse => json({ error: false, code: 200, result });

/** `GET /_db/:db/_api/database/current`: any database exists, as everywhere below `/_db`. */
export function getCurrentDatabase({ params: { db = '_system' } }: Exchange): NeutralResponse {
  return success({ name: db, id: '1', path: '', isSystem: db === '_system' });
}

/** `GET /_api/database/user`: the databases that the caller may use. The mock only knows `_system`. */
export const getUserDatabases = (): NeutralResponse => success(['_system']);

/** `GET /_api/collection`: always empty. */
export const getCollections = (): NeutralResponse => success([]);

/** `/_db/:db/_echo/*`: returns the request without its credentials. A JSON body stays JSON. */
export function echo(exchange: Exchange): NeutralResponse {
  const { method, path, query, headers, body } = exchange.request;
  const fields: [string, string][] = [];
  for (const [name, value] of headers.entries()) if (!isCredentialHeader(name)) fields.push([name, value]);
  const start = JSON.stringify({ method, path, query, headers: Object.fromEntries(fields) });
  return jsonText(`${start.slice(0, -1)},"body":${echoBody(exchange, body)}}`);
}

/** Inserts JSON as it was sent, so that deep or large values cost nothing. Text becomes a string, bytes base64. */
function echoBody(exchange: Exchange, body: string | Uint8Array | undefined): string {
  if (body === undefined || body.length === 0) return 'null';
  try {
    return exchange.json === undefined ? 'null' : exchange.text;
  } catch {
    try {
      return JSON.stringify(exchange.text);
    } catch {
      let binary = '';
      for (const byte of body as Uint8Array) binary += String.fromCharCode(byte); // Strings never get here.
      return JSON.stringify(btoa(binary));
    }
  }
}
