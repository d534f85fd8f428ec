// A service of one's own that guards itself: its callers' tokens in, the right status out.
import { type Client, credentials } from 'arango-services';
import { createGuard, toResponse } from 'arango-services/guard';
import { say } from './print.ts';

export async function guarded(client: Client): Promise<void> {
  const guard = createGuard<'orders:read' | 'orders:write'>(client, { realm: 'orders' });

  const serve = async (request: Request): Promise<Response> => {
    const access = await guard.check(request, { action: 'orders:read', resource: 'orders' });
    if (!access.allowed) return access.response;
    // The next service is called on behalf of the caller.
    const asCaller = client.with({ credentials: credentials.bearer(access.token) });
    const { body } = await asCaller.route('orders').get('open', { limit: 1 });
    return Response.json(body);
  };

  const ask = async (who: string, headers: Record<string, string>) => {
    const response = await serve(new Request('http://orders.test/open', { headers })).catch(toResponse);
    const challenge = response.headers.get('www-authenticate');
    say(`${who}: ${response.status} ${await response.text()}${challenge ? ` (${challenge})` : ''}`);
  };
  const bearer = async (user: string) => {
    const { token } = await client.authentication.createToken({ user, lifetime: '5m' });
    return { authorization: `Bearer ${token}` };
  };
  await ask('alice', await bearer('alice'));
  await ask('bob, who has no role', await bearer('bob'));
  await ask('nobody', {});
  await ask('somebody with a token that is none', { authorization: 'Bearer guess' });
}
