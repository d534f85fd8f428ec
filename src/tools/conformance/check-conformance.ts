import { accepting, readArgument, readFields } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import { type ConformanceOptions, readConformanceOptions } from './conformance-options.js';
import type { ConformanceReport } from './conformance-report.js';
import { ConformanceRun } from './conformance-run.js';
import type { CheckedClient } from './side.js';

const readClient = accepting<CheckedClient>('a client of createClient', (value) =>
  ['with', 'absoluteRoute', 'freshToken'].every((name) => hasMethod(value, name)),
);

/**
 * Sends the same requests to a deployment and to a mock with its settings and permissions, and reports how the answers
 * differ. Unless `write` is set, the deployment stores nothing; tokens are minted for a name without bindings.
 * @param client a client of `createClient`, whose token is used. Name the integration services with its
 *   `integrationUrl` if they are elsewhere.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option; NetworkError (code `NETWORK`) if the
 *   deployment does not answer; CredentialsError (code `CREDENTIALS`) if its sign-in fails.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createMock } from 'arango-services/mock';
 * import { checkConformance } from 'arango-services/conformance';
 *
 * await using mock = await createMock({ fidelity: 'sidecar' });
 * const report = await checkConformance(createClient(mock.connection), { rate: 1_000 });
 * console.log(report.alike, report.differences.length, report.notTried.length);
 * ```
 */
export async function checkConformance(
  client: CheckedClient,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  readArgument(client, 'client', readClient);
  return new ConformanceRun(client, readFields(options, 'options', readConformanceOptions)).run();
}
