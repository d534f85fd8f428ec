import { InvalidArgumentError } from '../../errors.js';
import type { Client, ConnectionOptions, Credentials } from '../../index.js';
import type { Environment } from '../../node/index.js';
import { type PermissionsClient, type PermissionsState, readState } from '../../permissions/index.js';
import type { Fidelity } from '../../policy/index.js';
import type { Replica } from '../../replica/index.js';
import type { Surroundings } from '../surroundings.js';
import { UsageError } from '../usage-error.js';
import type { Context } from './context.js';
import { type Libraries, loadLibraries } from './libraries.js';
import { fileProblem, readBytes } from './read-files.js';

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

/** The longest password, in bytes: enough for any, and not for a wrong file. */
const longestPassword = 64 * 1_024;
const replicaTimeoutMs = 60_000;

const refuse = (where: string, message: string): never => {
  throw new UsageError({ where, message });
};

async function readPassword(stdin: Surroundings['stdin']): Promise<string> {
  if (stdin.isTTY) refuse('--password-stdin', 'expected a pipe, not a terminal, which would show the password');
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    length += chunks.at(-1)?.length ?? 0;
    if (length > longestPassword) refuse('--password-stdin', `expected at most ${longestPassword} bytes`);
  }
  // One line end is not part of it: `echo` and editors add it.
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Refuses a token file that cannot be read, before a call needs it. */
async function checkReadable(where: string, file: string): Promise<void> {
  await readBytes(file, 1).catch((error) => {
    throw fileProblem(where, error);
  });
}

async function readCredentials(
  { flags, surroundings }: Context,
  { credentials, tokenFile }: Libraries,
): Promise<Credentials | undefined> {
  const { 'token-file': file, user, 'password-stdin': isPassword = false } = flags;
  if (file !== undefined && (user !== undefined || isPassword)) {
    refuse('--token-file', 'cannot be combined with --user and --password-stdin');
  }
  if (file !== undefined) {
    await checkReadable('--token-file', file);
    return tokenFile(file);
  }
  if (user === undefined && !isPassword) return undefined;
  if (user === undefined) return refuse('--password-stdin', 'needs --user');
  if (!isPassword) refuse('--user', 'needs --password-stdin');
  return credentials.login({ username: user, password: await readPassword(surroundings.stdin) });
}

/** The address in the form in which plans keep it. */
function normalizeUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/$/, '');
}

function readUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    refuse('--url', 'expected an absolute http: or https: URL like "http://localhost:8529"');
  }
  const { username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') {
    refuse('--url', 'must not hold a user or a password; see --token-file and --user with --password-stdin');
  }
  if (search !== '' || hash !== '') refuse('--url', 'must not hold a query or a fragment');
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

/** The token of the environment, for the deployment of the environment only. */
function environmentToken(env: Env, url: string, { tokenFile }: Libraries): Credentials | undefined {
  const { ARANGO_TOKEN: file, ARANGO_DEPLOYMENT_ENDPOINT: endpoint } = env;
  if (!file) return undefined;
  if (endpoint && (!URL.canParse(endpoint) || new URL(endpoint).origin !== new URL(url).origin)) {
    refuse('--url', 'is not ARANGO_DEPLOYMENT_ENDPOINT, which the token of ARANGO_TOKEN is for; see --token-file');
  }
  return tokenFile(file);
}

async function readOptions(context: Context, libraries: Libraries): Promise<ConnectionOptions> {
  const { flags, surroundings } = context;
  const given = await readCredentials(context, libraries);
  const { ARANGO_TOKEN: file } = surroundings.env;
  if (!given && file) await checkReadable('ARANGO_TOKEN', file);
  if (flags.url === undefined) {
    const environment = readEnvironment(surroundings.env, libraries);
    return { ...environment, ...(given && { credentials: given }) };
  }
  const url = readUrl(flags.url);
  const own = given ?? environmentToken(surroundings.env, url, libraries);
  return { url, ...(own && { credentials: own }) };
}

/** Opens the replica that `--grpc` asks for, and waits until it has a complete state. */
async function openReplica(
  context: Context,
  { url, integrationUrl, credentials: own }: ConnectionOptions,
  fidelity: Fidelity,
) {
  const { flags, surroundings } = context;
  if (flags.grpc === undefined) return undefined;
  const { createReplica } = await import('../../replica/index.js');
  let replica: ReturnType<typeof createReplica>;
  try {
    replica = createReplica({
      address: flags.grpc,
      url,
      integrationUrl,
      credentials: own,
      fidelity,
    });
  } catch (error) {
    if (error instanceof InvalidArgumentError && error.field === 'address') refuse('--grpc', error.problem);
    throw error;
  }
  try {
    await replica.ready({ timeout: replicaTimeoutMs, signal: surroundings.signal });
  } catch (error) {
    await replica.close();
    throw error;
  }
  return replica;
}

/**
 * Connects to the deployment that the flags or the environment name.
 * @param check called with the URL before anything is sent; may throw.
 * @param fidelity the fidelity of the replica.
 * @throws UsageError naming the flag or the variable, before anything is sent.
 */
export async function connect(
  context: Context,
  check: (url: string) => void = () => {},
  fidelity: Fidelity = 'documented',
): Promise<Deployment> {
  const { flags, surroundings } = context;
  if (flags.url !== undefined) readUrl(flags.url);
  const libraries = await loadLibraries();
  const options = await readOptions(context, libraries);
  const client = libraries.createClient(options);
  const address = normalizeUrl(String(options.url));
  check(address);
  const replica = await openReplica(context, options, fidelity);
  const { signal } = surroundings;
  return {
    url: address,
    client,
    replica,
    async readState(users) {
      const read = { concurrency: flags.concurrency, signal };
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
