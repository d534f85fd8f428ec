import type { Mock } from '../../src/mock/index.js';

/** The response of a call: its status and its JSON. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** Calls a mock with a JSON body. */
export async function call(
  mock: Mock,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const init: RequestInit = { method, headers, redirect: 'manual' };
  const response = await mock.fetch(`http://mock.test${path}`, text === undefined ? init : { ...init, body: text });
  const answer = await response.text();
  return {
    status: response.status,
    body: answer === '' ? {} : (JSON.parse(answer) as Record<string, unknown>),
    headers: response.headers,
  };
}

/** The header that carries a token. */
export const bearer = (token: string) => ({ authorization: `bearer ${token}` });

/** Validates a token by `/validate`. */
export async function validate(mock: Mock, token: string): Promise<Record<string, unknown>> {
  return (await call(mock, 'POST', '/_integration/authn/v1/validate', { token })).body;
}

/** Allows everything. */
export const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** A new ES256 key as PEM. */
export async function es256(): Promise<{ readonly privatePem: string; readonly publicPem: string }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const pem = async (format: 'pkcs8' | 'spki', key: CryptoKey, kind: string): Promise<string> => {
    const bytes = Buffer.from(await crypto.subtle.exportKey(format, key)).toString('base64');
    return `-----BEGIN ${kind} KEY-----\n${bytes.replace(/.{64}/g, '$&\n')}\n-----END ${kind} KEY-----\n`;
  };
  return {
    privatePem: await pem('pkcs8', privateKey, 'PRIVATE'),
    publicPem: await pem('spki', publicKey, 'PUBLIC'),
  };
}
