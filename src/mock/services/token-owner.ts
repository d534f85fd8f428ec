import type { Identity } from '../../base/jwt/claims.js';
import { authenticates } from '../config/mock-config.js';
import type { Platform } from '../platform.js';
import { ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { decide, ownerOf } from './decisions.js';
import { checkCall, judgeToken, serviceToken } from './presented-tokens.js';

/** The owner of the request's token, which everything below `/_management` requires. */
export async function callerOf(exchange: Exchange, platform: Platform): Promise<Identity> {
  checkCall(exchange, platform);
  const token = serviceToken(exchange, platform);
  if (token === undefined && authenticates(platform.settings)) throw new ServiceFailure(16, 'Unauthorized');
  const verdict = await judgeToken(platform, token ?? '');
  if (!verdict.valid) throw new ServiceFailure(16, verdict.reason);
  exchange.user = verdict.identity.user;
  exchange.groups = verdict.identity.groups;
  return verdict.identity;
}

/** Refuses a caller without the permission. Comes before the content of the body is checked. */
export async function permit(exchange: Exchange, platform: Platform, action: string, resource: string): Promise<void> {
  const subject = ownerOf(await callerOf(exchange, platform));
  const { effect, message } = decide(exchange, platform, { subject, action, resource, api: 'management' });
  if (effect === 'Deny') throw new ServiceFailure(7, message);
}
