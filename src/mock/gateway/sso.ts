import { sessionTokens, ssoRedirectCookie, ssoSessionCookie, ssoStateCookie } from '../../base/jwt/session-cookie.js';
import type { Platform } from '../platform.js';
import { loginMs } from '../services/database.js';
import { headerText, type NeutralResponse } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';

/** A redirect of the gateway, with its cookies: name, value and attributes. */
const redirect = (location: string, ...cookies: readonly (readonly [string, string, string])[]): NeutralResponse => ({
  status: 307,
  headers: [
    ['location', headerText(location)],
    ['access-control-allow-origin', ''],
    ...cookies.map(
      ([name, value, rest]) => ['set-cookie', `${name}=${value}; Path=/; ${rest}; Secure; SameSite=None`] as const,
    ),
  ],
});

/** Sends a caller without an identity to the provider. Source: docs/wire.md, "Signing in with SSO". */
export function redirectToProvider({ request: { path, query } }: Exchange): NeutralResponse {
  const state = crypto.randomUUID();
  // A path may contain the separators of cookies.
  const back = `${path}${query && '?'}${query}`.replace(/[;,"\\]/g, '');
  return redirect(
    `https://provider.test/?state=${state}`,
    [ssoRedirectCookie, back, 'Max-Age=60'],
    [ssoStateCookie, state, 'Max-Age=300; HttpOnly'],
  );
}

/** `GET /oauth2/idpresponse?code=…&state=…`: the way back from the provider. The code is the name of a user. */
export async function signIn({ request }: Exchange, platform: Platform): Promise<NeutralResponse> {
  const cookies = request.headers.get('cookie') ?? '';
  const query = new URLSearchParams(request.query);
  const [user, state] = [query.get('code') ?? '', query.get('state') ?? ''];
  if (!platform.store.users.has(user) || !sessionTokens(cookies, ssoStateCookie).includes(state))
    return { status: 403, headers: [] };
  const expires = new Date(platform.clock.now() + loginMs).toUTCString();
  const token = await platform.tokens.sign({ user, lifetimeMs: loginMs });
  const id = crypto.randomUUID();
  platform.store.sessions.set(id, token);
  const [back = '/'] = sessionTokens(cookies, ssoRedirectCookie);
  return redirect(back, [ssoSessionCookie, id, `Expires=${expires}`]);
}
