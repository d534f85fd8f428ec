import { InvalidArgumentError } from '../../errors.js';
import type { Client, ConnectionOptions, Credentials } from '../../index.js';
import type { Environment } from '../../node/index.js';
import { type PermissionsClient, type PermissionsState, readState } from '../../permissions/index.js';
import { readFidelity } from '../../permissions/read-fidelity.js';
import type { Fidelity } from '../../policy/index.js';
import { readAddress } from '../../replica/address.js';
import type { Replica } from '../../replica/index.js';
import type { Context } from './context.js';
import { type Libraries, loadLibraries } from './libraries.js';
import { fileProblem } from './read-files.js';
import type { Surroundings } from './surroundings.js';
import { UsageError } from './usage-error.js';

/** A client of a deployment, without a replica. */
export interface Connected {
  /** The URL of the deployment, without credentials, query and final slash. */
  readonly url: string;
  readonly client: Client;
  readonly options: ConnectionOptions;
}

/** A deployment that a subcommand works with. */
export interface Deployment {
  /** The URL of the deployment, without credentials, query and final slash. */
  readonly url: string;
  readonly client: PermissionsClient & Pick<Client, 'authentication'>;
  /** The replica of `--grpc`. */
  readonly replica: Replica | undefined;
  /**
   * Reads all policies and roles with their indexes, and bindings: of all users if there is a replica, else of the
   * users named.
   */
  readState(users: readonly string[]): Promise<PermissionsState>;
  [Symbol.asyncDispose](): Promise<void>;
}

type Env = Surroundings['env'];

/** The longest password or piped token, in bytes: enough for any, and not for a wrong file. */
const longestSecret = 64 * 1_024;
const replicaTimeoutMs = 60_000;
/** The longest wait for a first message of the gRPC services. */
const contactTimeoutMs = 4_000;

const refuse = (where: string, message: string): never => {
  throw new UsageError({ where, message });
};

async function readPassword({ inputs, surroundings }: Context): Promise<string> {
  const where = '--password-stdin';
  if (surroundings.stdin.isTTY) refuse(where, 'expected a pipe, not a terminal, which would show the password');
  const bytes = await inputs.stdin(where, longestSecret + 1);
  if (bytes.length > longestSecret) refuse(where, `expected at most ${longestSecret} bytes`);
  // One line end is not part of it: `echo` and editors add it.
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

/**
 * Reads a token. That of a file is read again when the file changes; that of a pipe cannot be.
 * @throws UsageError for a file that cannot be read, before a call needs it.
 */
async function readToken(
  where: string,
  file: string,
  { inputs }: Context,
  { credentials, tokenFile }: Libraries,
): Promise<Credentials> {
  const isPassing = await inputs.isPassing(file);
  try {
    const bytes = await inputs.read(where, file, isPassing ? longestSecret : 1);
    if (!isPassing) return tokenFile(file);
    return credentials.bearer(bytes.toString('utf8').trim());
  } catch (error) {
    if (error instanceof InvalidArgumentError) return refuse(where, error.problem);
    throw fileProblem(where, error);
  }
}

/**
 * Reads the deployment's secret, once.
 * @throws UsageError for a file that cannot be read or holds no secret; the secret is never quoted.
 */
async function readJwtSecret(file: string, { inputs }: Context, { superuser }: Libraries): Promise<Credentials> {
  const where = '--jwt-secret-file';
  try {
    return superuser({ secret: await inputs.read(where, file, longestSecret) });
  } catch (error) {
    if (error instanceof InvalidArgumentError) return refuse(where, error.problem);
    throw fileProblem(where, error);
  }
}

async function readCredentials(context: Context, libraries: Libraries): Promise<Credentials | undefined> {
  const { 'token-file': file, user, 'password-stdin': isPassword = false } = context.flags;
  const secretFile = context.flags['jwt-secret-file'];
  if (file !== undefined && (user !== undefined || isPassword)) {
    refuse('--token-file', 'cannot be combined with --user and --password-stdin');
  }
  if (secretFile !== undefined && (file ?? user ?? (isPassword || undefined)) !== undefined) {
    refuse('--jwt-secret-file', 'cannot be combined with --token-file, --user and --password-stdin');
  }
  if (secretFile !== undefined) return readJwtSecret(secretFile, context, libraries);
  if (file !== undefined) return readToken('--token-file', file, context, libraries);
  if (user === undefined && !isPassword) return undefined;
  if (user === undefined) return refuse('--password-stdin', 'needs --user');
  if (!isPassword) refuse('--user', 'needs --password-stdin');
  return libraries.credentials.login({ username: user, password: await readPassword(context) });
}

/** The address in the form in which plans keep it. */
function normalizeUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/$/, '');
}

function readUrl(text: string, where = '--url'): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    refuse(where, 'expected an absolute http: or https: URL like "http://localhost:8529"');
  }
  const { username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') {
    refuse(where, 'must not hold a user or a password; see --token-file and --user with --password-stdin');
  }
  if (search !== '' || hash !== '') refuse(where, 'must not hold a query or a fragment');
  return text;
}

function readEnvironment(env: Env, { fromEnv }: Libraries): Environment {
  try {
    return fromEnv(env);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const where = error.field.replace(/^env\./, '');
    return refuse('--url', `is missing, and so is the environment next to a sidecar (${where}: ${error.problem})`);
  }
}

/** Refuses to send the token of the environment to another deployment than that of the environment. */
function checkOwnToken({ ARANGO_DEPLOYMENT_ENDPOINT: endpoint }: Env, url: string): void {
  if (endpoint && (!URL.canParse(endpoint) || new URL(endpoint).origin !== new URL(url).origin)) {
    refuse('--url', 'is not ARANGO_DEPLOYMENT_ENDPOINT, which the token of ARANGO_TOKEN is for; see --token-file');
  }
}

async function readOptions(context: Context, libraries: Libraries): Promise<ConnectionOptions> {
  const { flags, surroundings } = context;
  const { env } = surroundings;
  const url = flags.url === undefined ? undefined : readUrl(flags.url);
  let used = await readCredentials(context, libraries);
  if (!used && env.ARANGO_TOKEN) {
    if (url !== undefined) checkOwnToken(env, url);
    used = await readToken('ARANGO_TOKEN', env.ARANGO_TOKEN, context, libraries);
  }
  const base = url === undefined ? readEnvironment(env, libraries) : { url };
  const integration = flags['integration-url'];
  const integrationUrl = integration === undefined ? undefined : readUrl(integration, '--integration-url');
  return { ...base, ...(integrationUrl && { integrationUrl }), ...(used && { credentials: used }) };
}

/** Refuses an address that is not one, before anything is sent. */
function checkGrpc(address: string): void {
  try {
    readAddress(address, undefined);
  } catch (error) {
    if (error instanceof InvalidArgumentError) refuse('--grpc', error.problem);
    throw error;
  }
}

/** Opens the replica that `--grpc` asks for, and waits until it has a complete state. */
async function openReplica(
  context: Context,
  { url, integrationUrl, credentials }: ConnectionOptions,
  fidelity: Fidelity,
) {
  const { flags, surroundings } = context;
  if (flags.grpc === undefined) return undefined;
  const { createReplica } = await import('../../replica/index.js');
  const replica = createReplica({ address: flags.grpc, url, integrationUrl, credentials, fidelity });
  try {
    await waitForState(replica, `--grpc ${flags.grpc}`, surroundings.signal);
  } catch (error) {
    await replica.close();
    throw error;
  }
  return replica;
}

/** Waits until a replica has a complete state; not for long if nothing answers at its address. */
async function waitForState(replica: Replica, where: string, signal: AbortSignal): Promise<void> {
  try {
    await replica.ready({ timeout: contactTimeoutMs, signal });
  } catch (error) {
    const { lastMessageAt, lastError } = replica.status;
    if (signal.aborted) throw error;
    if (lastMessageAt === undefined) {
      const why = lastError && `${lastError.code} ${lastError.message}`;
      throw new Error(`${where}: ${why ?? `nothing answered within ${contactTimeoutMs} ms`}`);
    }
    await replica.ready({ timeout: replicaTimeoutMs, signal });
  }
}

/**
 * Creates a client of the deployment that the flags or the environment name. Nothing is sent.
 * @throws UsageError naming the flag or the variable.
 */
export async function connectClient(context: Context): Promise<Connected> {
  const { flags } = context;
  if (flags.url !== undefined) readUrl(flags.url);
  if (flags.grpc !== undefined) checkGrpc(flags.grpc);
  const libraries = await loadLibraries();
  const options = await readOptions(context, libraries);
  return { url: normalizeUrl(String(options.url)), client: libraries.createClient(options), options };
}

/**
 * Connects to the deployment that the flags or the environment name. Its rules are those of `--fidelity`, else its own.
 * @param check called with the URL before anything is sent; may throw.
 * @throws UsageError naming the flag or the variable, before anything is sent.
 */
export async function connect(context: Context, check: (url: string) => void = () => {}): Promise<Deployment> {
  const { flags, surroundings } = context;
  const { url: address, client, options } = await connectClient(context);
  check(address);
  const { signal } = surroundings;
  const fidelity = flags.fidelity ?? (await readFidelity(client, signal));
  const replica = await openReplica(context, options, fidelity);
  return {
    url: address,
    client,
    replica,
    async readState(users) {
      const read = { concurrency: flags.concurrency, fidelity, signal };
      if (replica === undefined) return readState(client, { ...read, users });
      const { bindings } = await readState(client, { ...read, replica });
      // The replica has no indexes of single items.
      return { ...(await readState(client, { ...read, users: [] })), bindings, users: 'all' };
    },
    async [Symbol.asyncDispose]() {
      await replica?.close();
      await client.close();
    },
  };
}
