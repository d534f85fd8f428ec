import type { Platform } from '../platform.js';
import { json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { bodyMessage, text } from '../wire/protobuf-json.js';
import { checkContext } from './authorization.js';
import { decide, ownerOf } from './decisions.js';
import { callerOf } from './token-owner.js';

/** `POST /validate`: the caller's own permission. A denial is an answer, not an error. */
export async function validatePermission(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const fields = bodyMessage(exchange, platform);
  const action = text(fields.action, 'action');
  const resource = text(fields.resource, 'resource');
  checkContext(fields.context, 'context');
  const subject = ownerOf(await callerOf(exchange, platform));
  const denied = (name: string, why: string): NeutralResponse =>
    json({ message: `rpc error: code = ${name} desc = ${why}`, effect: 'Deny' });
  try {
    const { effect, message } = decide(exchange, platform, { subject, action, resource, api: 'management' });
    return effect === 'Allow' ? json({ message: '', effect }) : denied('PermissionDenied', message);
  } catch (error) {
    if (error instanceof ServiceFailure) return denied('Internal', error.message);
    throw error;
  }
}

/** `POST /refresh`: does nothing, because every change applies at once. */
export async function refresh(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  bodyMessage(exchange, platform);
  await callerOf(exchange, platform);
  return json({});
}
