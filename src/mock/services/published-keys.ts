import type { Platform } from '../platform.js';
import { checksum } from '../state/signing-keys.js';
import { json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { bodyMessage, text } from '../wire/protobuf-json.js';
import { callerOf } from './token-owner.js';

async function publish({ tokens }: Platform, callerSum: string | undefined): Promise<NeutralResponse> {
  const all = tokens.keys.all();
  const sum = await checksum(all);
  if (callerSum === sum) throw new ServiceFailure(6, 'Secret hash did not change');
  return json({ keys: all.flatMap(({ publicPem }) => publicPem ?? []), checksum: sum });
}

/** `GET /_management/authentication/keys`: the public keys for verification; none if the keys are symmetric. */
export async function getKeys(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  await callerOf(exchange, platform);
  return publish(platform, undefined);
}

/** `POST`: the same, with the caller's checksum; 409 if it still holds. */
export async function pollKeys(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const callerSum = text(bodyMessage(exchange, platform).checksum, 'checksum');
  await callerOf(exchange, platform);
  return publish(platform, callerSum);
}
