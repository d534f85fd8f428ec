// How drivers of the database log in, and what else they ask first. Loaded on demand: few programs use it.

import type { Platform } from '../platform.js';
import { DatabaseFailure, json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { message, text } from '../wire/protobuf-json.js';
import { getUserDatabases, loginMs } from './database.js';
import { bearerToken, isPassword, judgeToken } from './presented-tokens.js';

/** `GET /_api/database`: as in a database, only in `_system`. */
export function getDatabases({ params: { db = '_system' } }: Exchange): NeutralResponse {
  if (db !== '_system') throw new DatabaseFailure(403, 1230, 'operation only allowed in system database');
  return getUserDatabases();
}

/** `GET /_api/user/:name`: the caller's own; no others are served. */
export function getUser({ params: { name }, user = name }: Exchange): NeutralResponse {
  if (user !== name) throw new DatabaseFailure(403, 403, 'forbidden');
  return json({ user, active: true, extra: {}, error: false, code: 200 });
}

/** The database's error numbers for a body that is not JSON, and for a field of a wrong type. */
const corruptedJson = 600;
const badParameter = 400;

/** User and password of a login; throws DatabaseFailure (400) if the body is not JSON or a field has a wrong type. */
function readLogin(exchange: Exchange): { user: string; password: string } {
  let errorNum = corruptedJson;
  try {
    const body = exchange.json;
    errorNum = badParameter;
    const fields = body === undefined ? {} : message(body, 'body');
    return { user: text(fields.username, 'username'), password: text(fields.password, 'password') };
  } catch (error) {
    throw error instanceof ServiceFailure ? new DatabaseFailure(400, errorNum, error.message) : error;
  }
}

/**
 * `POST /_open/auth` with `{ username, password }` → `{ jwt }`: how drivers of the database log in. The password may be
 * an access token, here any token of a user; then the user may be missing.
 */
export async function openAuth(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { user: named, password } = readLogin(exchange);
  const verdict = isPassword(platform, named, password) ? undefined : await judgeToken(platform, password);
  const holder = !verdict ? named : verdict.valid ? verdict.identity.user : undefined;
  const user = named === '' || holder === named ? holder : undefined;
  exchange.user = user ?? named;
  if (!user) throw new DatabaseFailure(401, 401, 'Wrong credentials');
  return json({ jwt: await platform.tokens.sign({ user, lifetimeMs: loginMs }) });
}

/** `POST /_open/auth/renew` → `{ jwt }`: a new token for the user of a token; as in a database, 404 for all others. */
export async function renewAuth(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const verdict = await judgeToken(platform, bearerToken(exchange.headers.get('authorization') ?? '')?.trim() ?? '');
  const user = verdict.valid && verdict.identity.user;
  if (!user) throw new DatabaseFailure(404, 1703, 'user not found');
  exchange.user = user;
  return json({ jwt: await platform.tokens.sign({ user, lifetimeMs: loginMs }) });
}
