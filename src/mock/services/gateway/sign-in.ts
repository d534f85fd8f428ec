import { sessionTokens, ssoRedirectCookie, ssoSessionCookie, ssoStateCookie } from '../../../jwt/session-cookie.js';
import type { Platform } from '../../platform.js';
import type { Exchange } from '../../wire/exchange.js';
import { headerText, type NeutralResponse } from '../../wire/http.js';
import { loginMs } from '../database.js';

const setCookie = (name: string, value: string, attributes: string): readonly [string, string] => [
  'set-cookie',
  `${name}=${value}; Path=/; ${attributes}; Secure; SameSite=None`,
];

/** Sends a caller without an identity to the provider. Source: docs/wire.md, "Signing in with SSO". */
export function redirectToProvider({ request: { path, query } }: Exchange): NeutralResponse {
  const state = crypto.randomUUID();
  // A path may contain the separators of cookies.
  const back = `${path}${query && '?'}${query}`.replace(/[;,"\\]/g, '');
  return {
    status: 307,
    headers: [
      ['location', `https://provider.test/authorize?response_type=code&state=${state}`],
      ['access-control-allow-origin', ''],
      setCookie(ssoRedirectCookie, back, 'Max-Age=60'),
      setCookie(ssoStateCookie, state, 'Max-Age=300; HttpOnly'),
    ],
  };
}

/** `GET /oauth2/idpresponse?code=…&state=…`: the way back from the provider. The code is the name of a user. */
export function signIn(exchange: Exchange, { store, clock }: Platform): NeutralResponse {
  const { query, headers } = exchange.request;
  const cookies = headers.get('cookie') ?? '';
  const given = new URLSearchParams(query);
  const [user, state] = [given.get('code') ?? '', given.get('state')];
  if (!store.users.has(user) || !state || !sessionTokens(cookies, ssoStateCookie).includes(state))
    return { status: 403, headers: [] };
  const id = crypto.randomUUID();
  const endsAt = clock.now() + loginMs;
  store.sessions.set(id, { user, endsAt });
  const [back = '/'] = sessionTokens(cookies, ssoRedirectCookie);
  return {
    status: 307,
    headers: [
      ['location', headerText(back)],
      setCookie(ssoSessionCookie, id, `Expires=${new Date(endsAt).toUTCString()}`),
    ],
  };
}
