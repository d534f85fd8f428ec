import type { Platform } from '../platform.js';
import type { Exchange } from '../wire/exchange.js';
import { DatabaseFailure, json, jsonText, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import { bodyMessage, text } from '../wire/protobuf-json.js';
import { isPassword } from './access.js';

const version = jsonText('{"server":"arango","license":"community","version":"3.12.5"}');

/** How long a login is good for. Source: WIRE.md, login (`Max-Age=3600`). */
export const loginMs = 3_600_000;

/** `GET /_api/version`: enough for a client's health check. */
export function getVersion(): NeutralResponse {
  return version;
}

/** The database's own numbers for a body that is no JSON, and for one that does not say what it should. */
const corruptedJson = 600;
const badParameter = 400;

/** User and password of a login. @throws DatabaseFailure (400) for a body that is no JSON, and for fields of other types. */
function readLogin(exchange: Exchange): { user: string; password: string } {
  let errorNum = corruptedJson;
  try {
    const body = exchange.json;
    errorNum = badParameter;
    const fields = bodyMessage(body);
    return { user: text(fields.username, 'username'), password: text(fields.password, 'password') };
  } catch (error) {
    throw error instanceof ServiceFailure ? new DatabaseFailure(400, errorNum, error.message) : error;
  }
}

/** `POST /_open/auth` with `{ username, password }` → `{ jwt }`: how drivers of the database log in. */
export async function openAuth(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { user, password } = readLogin(exchange);
  exchange.user = user;
  if (!isPassword(platform, user, password)) {
    throw new DatabaseFailure(401, 401, 'Wrong credentials');
  }
  return json({ jwt: await platform.tokens.sign({ user, lifetimeMs: loginMs }) });
}

const secret = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** `/_db/:db/_echo/*`: what arrived, without credentials. A JSON body comes back as the value that it was. */
export function echo(exchange: Exchange): NeutralResponse {
  const { method, path, query, headers, body } = exchange.request;
  const shown: [string, string][] = [];
  for (const [name, value] of headers.entries()) if (!secret.has(name)) shown.push([name, value]);
  const start = JSON.stringify({ method, path, query, headers: Object.fromEntries(shown) });
  return jsonText(`${start.slice(0, -1)},"body":${echoBody(exchange, body)}}`);
}

/** JSON stands as it was sent, without writing it anew: a deep or large value costs nothing. Text is text; bytes are base64. */
function echoBody(exchange: Exchange, body: string | Uint8Array | undefined): string {
  if (body === undefined || body.length === 0) return 'null';
  try {
    return exchange.json === undefined ? 'null' : exchange.text;
  } catch {
    try {
      return JSON.stringify(exchange.text);
    } catch {
      let binary = '';
      for (const byte of body as Uint8Array) binary += String.fromCharCode(byte); // Text never comes here: it decodes.
      return JSON.stringify(btoa(binary));
    }
  }
}
