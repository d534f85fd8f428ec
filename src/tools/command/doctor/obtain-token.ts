import { setTimeout as sleep } from 'node:timers/promises';
import { isCredentialsError, isHttpError } from '../../../base/error-guards.js';
import { CredentialsError } from '../../../base/errors.js';
import type { Client, Credentials } from '../../../index.js';
import type { UsedToken } from './examine-token.js';
import { answerMs } from './probe.js';

/** The clients that can log in: at the integration service, and at the gateway's own path. */
export interface LoginClients {
  readonly main: Client;
  readonly gateway: Client;
  readonly bearer: (token: string) => Credentials;
}

/** The token, and credentials of it. */
export type Obtained = UsedToken & { readonly credentials?: Credentials };

async function logIn(bearer: LoginClients['bearer'], client: Client, other?: Client): Promise<Obtained> {
  try {
    const token = await client.freshToken();
    return { token, credentials: bearer(token) };
  } catch (error) {
    const cause = isCredentialsError(error) ? error.cause : error;
    // An answer that is not of the service: a 404, or a database's refusal of an unknown path.
    const isElsewhere = isHttpError(cause) && (cause.status === 404 || cause.errorNum !== undefined);
    return other && isElsewhere ? logIn(bearer, other) : { error };
  }
}

/** Returns the token of the credentials. A login that hangs is given up as an answer is, after `answerMs`. */
export async function obtainToken({ main, gateway, bearer }: LoginClients): Promise<Obtained> {
  const error = new CredentialsError('the login timed out');
  return Promise.race([logIn(bearer, main, gateway), sleep(answerMs, { error }, { ref: false })]);
}
