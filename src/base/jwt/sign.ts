import { encode } from 'jose/base64url';
import { CompactSign } from 'jose/jws/compact/sign';
import type { Bytes, WebKey } from '../lib/web-types.js';
import { encodeText } from './bytes.js';

type Payload = Readonly<Record<string, unknown>>;

/** Creates a token with any claims, signed with any algorithm that fits the key. */
export function signToken(payload: Payload, algorithm: string, key: WebKey | Bytes): Promise<string> {
  return new CompactSign(encodeText(JSON.stringify(payload)))
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .sign(key);
}

/** Creates a token without a signature (`alg: none`), which verifiers reject. */
export function unsignedToken(payload: Payload): string {
  const [header, claims] = [{ alg: 'none' }, payload].map((part) => encode(encodeText(JSON.stringify(part))));
  return `${header}.${claims}.`;
}
