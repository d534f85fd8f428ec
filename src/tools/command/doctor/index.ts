import { isInvalidArgumentError } from '../../../base/error-guards.js';
import type { Client } from '../../../index.js';
import { readConnection } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { runnerOf } from '../shared/run-subcommand.js';
import type { Subcommand } from '../shared/subcommand.js';
import { UsageError } from '../shared/usage-error.js';
import { formatFindings } from './doctor-finding.js';
import { examineDeployment } from './examine-deployment.js';

/** The form of the command, as of a subcommand of `permissions`. */
export const form: Subcommand = {
  whole: 'arango-services doctor',
  summary: 'says what a deployment is, who you are there, and what to mend; it only reads',
  operands: [],
  load: async () => run,
  flags: ['url', 'integration-url', 'token-file', 'jwt-secret-file', 'user', 'password-stdin', 'stream', 'json'],
  exits: 'Exit code: 0 if all is well, 2 with warnings or failures, 64 for wrong flags or files.',
};

/** The variables of proxies; curl and others heed them in both cases. */
const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/** Throws UsageError for a path that no call can have, before anything is sent. */
function checkStream(client: Client, path: string | undefined): void {
  try {
    if (path !== undefined) client.absoluteRoute(path);
  } catch (error) {
    if (!isInvalidArgumentError(error)) throw error;
    throw new UsageError({ where: '--stream', message: error.problem });
  }
}

async function run(context: Context): Promise<ExitCode> {
  const { flags, surroundings } = context;
  const { options, url, createClient, credentials } = await readConnection(context);
  const { signal } = surroundings;
  const { integrationUrl } = options;
  // No grace: a login that hangs is aborted at the end.
  const shared = { ...options, signal, retry: 0, graceMs: 0 };
  await using main = createClient(shared);
  await using gateway = createClient({ ...shared, gateway: true });
  await using integration = createClient({ ...shared, ...(integrationUrl && { url: integrationUrl }) });
  const clients = { main, gateway, integration, bearer: credentials.bearer };
  checkStream(main, flags.stream);
  const findings = await examineDeployment(clients, new URL(url), options.credentials !== undefined, {
    isProxied: proxyNames.some((name) => surroundings.env[name]) && !surroundings.env.NODE_USE_ENV_PROXY,
    stream: flags.stream,
  });
  signal.throwIfAborted();
  print(surroundings, flags.json ? JSON.stringify({ url, findings }, null, 2) : formatFindings(findings));
  return findings.every(({ level }) => level === 'ok') ? exitCodes.done : exitCodes.changes;
}

/** Runs `arango-services doctor`. */
export const runDoctor = runnerOf('doctor', form);
