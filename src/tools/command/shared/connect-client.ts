import { InvalidArgumentError } from '../../../base/errors.js';
import type { Environment } from '../../../client/node/index.js';
import type { Replica } from '../../../enforce/replica/index.js';
import type { Client, ConnectionOptions, Credentials } from '../../../index.js';
import {
  type PermissionsClient,
  type PermissionsState,
  type ReadStateOptions,
  readState,
} from '../../../permissions/index.js';
import { readFidelity } from '../../../permissions/read-fidelity.js';
import { type ReadOptions, readBindings, readGroupBindings } from '../../../permissions/read-state.js';
import type { Context } from './context.js';
import { checkGrpc, openReplica } from './open-replica.js';
import { showState } from './progress-bar.js';
import { fileProblem } from './read-files.js';
import type { Surroundings } from './surroundings.js';
import { UsageError } from './usage-error.js';

/**
 * Loads the entries of the package that connect to a deployment. By dynamic import, so that the build leaves each in
 * its own file, instead of one more that the entry would have to load.
 */
async function loadLibraries() {
  const [{ createClient, credentials }, { fromEnv, superuser, tokenFile }] = await Promise.all([
    import('../../../index.js'),
    import('../../../client/node/index.js'),
  ]);
  return { createClient, credentials, fromEnv, superuser, tokenFile };
}

type Libraries = Awaited<ReturnType<typeof loadLibraries>>;

/** The users and groups whose bindings are read. */
export type Owners = { readonly users: readonly string[]; readonly groups: readonly string[] };

/** Bindings, with the users and groups whose bindings they are. */
type BindingsRead = Pick<PermissionsState, 'bindings' | 'groupBindings' | 'users' | 'groups' | 'unread'>;

/** A deployment that a subcommand works with. */
export interface ConnectedDeployment {
  /** The URL of the deployment, without credentials, query and final slash. */
  readonly url: string;
  readonly client: PermissionsClient & Pick<Client, 'authentication'>;
  /** The replica of `--grpc`. */
  readonly replica: Replica | undefined;
  /**
   * Reads all policies and roles with their indexes, and bindings: of all users if there is a replica, else of these
   * users and groups. A bar shows the progress on a terminal.
   */
  readState(owners: Owners): Promise<PermissionsState>;
  /**
   * Reads what questions are answered by: the same without indexes, so of the replica alone if there is one.
   * @param allowUnread true to leave out what the token may not read.
   */
  readAsked(owners: Owners, allowUnread: boolean): Promise<PermissionsState>;
  /** Reads the bindings of users and groups, without those that the token may not read. */
  readBindings(owners: Owners): Promise<BindingsRead>;
  [Symbol.asyncDispose](): Promise<void>;
}

type Env = Surroundings['env'];

/** The longest password or piped token, in bytes: enough for any, and not for a wrong file. */
const longestSecret = 64 * 1_024;
const refuse = (where: string, message: string): never => {
  throw new UsageError({ where, message });
};

async function readPassword({ inputs, surroundings }: Context): Promise<string> {
  const where = '--password-stdin';
  if (surroundings.stdin.isTTY) refuse(where, 'expected a pipe, not a terminal, which would show the password');
  const bytes = await inputs.stdin(where, longestSecret + 1);
  if (bytes.length > longestSecret) refuse(where, `expected at most ${longestSecret} bytes`);
  // A line end behind the password is not a part of it: `echo` and editors add one.
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

/** Reads the deployment's secret, once; throws UsageError, without quoting, for a file that holds none. */
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

/** Reads the deployment of the flags or the environment; throws UsageError naming the flag or the variable. */
export async function readConnection(context: Context) {
  const { flags } = context;
  if (flags.url !== undefined) readUrl(flags.url);
  if (flags.grpc !== undefined) checkGrpc(flags.grpc);
  const libraries = await loadLibraries();
  const options = await readOptions(context, libraries);
  return { url: normalizeUrl(String(options.url)), options, ...libraries };
}

/**
 * Connects to the deployment that the flags or the environment name. `--fidelity` overrides the deployment's rules.
 * @param check called with the URL before anything is sent; may throw.
 * @throws UsageError naming the flag or the variable, before anything is sent.
 */
export async function connect(context: Context, check: (url: string) => void = () => {}): Promise<ConnectedDeployment> {
  const { flags, surroundings } = context;
  const { url: address, options, createClient } = await readConnection(context);
  check(address);
  const client = createClient(options);
  const { signal } = surroundings;
  const fidelity = flags.fidelity ?? (await readFidelity(client, signal));
  const replica = await openReplica(context, options, fidelity);
  const reading = async <T>(read: (options: ReadOptions) => Promise<T>): Promise<T> => {
    const progress = showState(surroundings);
    try {
      return await read({ concurrency: flags.concurrency, signal, onProgress: progress.update });
    } finally {
      progress.end();
    }
  };
  const readItems = (selection: Pick<ReadStateOptions, 'users' | 'groups' | 'allowUnread'>) =>
    reading((options) => readState(client, { ...options, ...selection, fidelity }));
  // Bindings of groups are read only if a group is named, because older deployments have none.
  const named = ({ users, groups }: Owners) => ({ users, ...(groups.length > 0 && { groups }) });
  return {
    url: address,
    client,
    replica,
    async readState(owners) {
      if (replica === undefined) return readItems(named(owners));
      const { policies: _, roles: __, ...bound } = await readState(client, { fidelity, replica });
      // The replica has no indexes of single items.
      return { ...(await readItems({ users: [] })), ...bound };
    },
    async readAsked(owners, allowUnread) {
      return replica ? readState(client, { fidelity, replica }) : readItems({ ...named(owners), allowUnread });
    },
    readBindings: ({ users, groups }) =>
      reading(async (options) => {
        const all = { ...options, fidelity, allowUnread: true };
        const { unread, ...ofUsers } = await readBindings(client, users, all);
        const none = { groups: [], groupBindings: [], unread: [] };
        const { unread: hidden, ...ofGroups } = groups.length > 0 ? await readGroupBindings(client, groups, all) : none;
        return { ...ofUsers, ...ofGroups, unread: { users: unread, groups: hidden } };
      }),
    async [Symbol.asyncDispose]() {
      await replica?.close();
      await client.close();
    },
  };
}
