import { accepting, readArgument, readFields } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import { readVerificationOptions, type VerificationOptions } from './options.js';
import type { VerifyReport } from './report.js';
import type { VerifiedClient } from './side.js';
import { Verification } from './verification.js';

const readClient = accepting<VerifiedClient>('a client of createClient', (value) =>
  ['with', 'absoluteRoute', 'freshToken'].every((name) => hasMethod(value, name)),
);

/**
 * Asks a deployment and a mock with the same settings and permissions the same questions, and reports how the answers
 * differ. It reads only, unless `write` is set: it mints tokens for a name without bindings, and stores nothing.
 *
 * @param client a client of `createClient`, whose token is used. Name the integration services with its
 *   `integrationUrl` if they are elsewhere.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option; NetworkError (code `NETWORK`) if the
 *   deployment does not answer; CredentialsError (code `CREDENTIALS`) if its sign-in fails.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createMock } from 'arango-services/mock';
 * import { verify } from 'arango-services/verify';
 *
 * await using mock = await createMock({ fidelity: 'sidecar' });
 * const report = await verify(createClient(mock.connection), { rate: 1_000 });
 * console.log(report.alike, report.differences.length, report.notTried.length);
 * ```
 */
export async function verify(client: VerifiedClient, options: VerificationOptions = {}): Promise<VerifyReport> {
  readArgument(client, 'client', readClient);
  return new Verification(client, readFields(options, 'options', readVerificationOptions)).run();
}
