import { readFault } from '../base/lib/system-errors.js';
import type { Evaluator } from '../policy/index.js';
import type { AuthorizationType } from '../policy/model/authorization-type.js';
import { answering } from './answering.js';
import { answerQuestion } from './answers/answer-question.js';
import { compareFile, compareText, type FileAccess, stateWithFile, stateWithText } from './answers/file-comparison.js';
import { exportPermissionsFile } from './answers/permissions-export.js';
import { grantRows, toHolders, toMatrix, toState } from './answers/policy-views.js';
import { reportToken } from './answers/report-token.js';
import {
  type ConsoleApi,
  type GivenLog,
  mockCalls,
  type Overview,
  type ReplicaState,
  type TokenReport,
} from './api.js';
import { ConsoleError } from './console-error.js';
import { createNews } from './news.js';
import * as read from './read-arguments.js';

interface ReplicaSource {
  evaluator(): Evaluator;
  readonly status: { readonly state: string; readonly since: Date };
  on(event: 'change' | 'status', listener: () => void): () => void;
}

/** Validates a pasted token: the only call that the page makes to the deployment. */
interface TokenValidator {
  readonly authentication: {
    validate(token: string): Promise<{
      readonly valid: boolean;
      readonly user?: string | undefined;
      readonly groups?: readonly string[] | undefined;
      readonly message?: string | undefined;
    }>;
  };
}

/** The deployment that a console shows. */
export interface ShownDeployment {
  /** Without credentials. */
  readonly url: string;
  readonly replica: ReplicaSource;
  readonly client: TokenValidator;
  /** Default: unknown. */
  readonly type?: AuthorizationType | undefined;
  /** The permissions file named on the command line, with readers for it and the files that it includes. */
  readonly file?: { readonly name: string; readonly access: FileAccess } | undefined;
  /** The decision log named on the command line. */
  readonly log?: LogAccess | undefined;
}

/** A decision log that is read again for each page. */
export interface LogAccess extends GivenLog {
  /** Reads the log from its beginning. Leaving the iteration closes the file. */
  read(): AsyncIterable<Uint8Array>;
}

const words: ReadonlyMap<string, string> = new Map([
  ['connecting', 'connecting: there is no complete state yet'],
  ['live', 'follows every change'],
  ['stale', 'disconnected, shows an old state: the deployment has not confirmed it'],
  ['closed', 'disconnected: the copy was closed'],
]);

function replicaState({ status: { state, since } }: ReplicaSource): ReplicaState {
  return { live: state === 'live', words: `${words.get(state) ?? state}, since ${since.toISOString()}` };
}

const nothing = { users: [], groups: [], actions: [], resources: [] };

/** Rejects every call that this backend lacks. */
const unsupported = async (): Promise<never> => {
  throw new ConsoleError('unsupported', 'a deployment is shown for reading only');
};

type Unsupported = keyof typeof mockCalls;
// The cast: each name has the same function, which rejects.
const unsupportedCalls = Object.fromEntries(Object.keys(mockCalls).map((name) => [name, unsupported])) as Record<
  Unsupported,
  typeof unsupported
>;

/** The calls about the files of the command line. */
function fileCalls(
  evaluator: () => Evaluator,
  { file, log }: ShownDeployment,
): Pick<ConsoleApi, 'compareFile' | 'fileState' | 'log'> {
  const noFile = () => new ConsoleError('unsupported', 'no file was named on the command line', 'text');
  return {
    async compareFile(options) {
      const { text } = read.readFileText(options);
      if (text !== undefined) return compareText(evaluator(), text);
      if (file === undefined) throw noFile();
      return compareFile(evaluator(), file.name, file.access, file.name);
    },
    async fileState(options) {
      const { text } = read.readFileText(options);
      if (text !== undefined) return stateWithText(evaluator(), text);
      if (file === undefined) throw noFile();
      return stateWithFile(evaluator(), file.name, file.access, file.name);
    },
    async *log() {
      if (log === undefined) throw new ConsoleError('unsupported', 'no log was named on the command line');
      try {
        yield* log.read();
      } catch (error) {
        throw error instanceof ConsoleError ? error : new ConsoleError('failed', `--log: ${readFault(error)}`);
      }
    },
  };
}

/**
 * Opens the console of a deployment, for reading only: everything is computed from the replica, except that pasted
 * tokens are validated by the deployment. It has no call that writes, and none that takes a path.
 */
export function createDeploymentConsole(deployment: ShownDeployment): ConsoleApi & { close(): void } {
  const { url, replica, client, file, log, type } = deployment;
  const news = createNews();
  let revision = 1;
  const undo = [
    replica.on('change', () => {
      revision += 1;
      news.emit({ type: 'state', revision });
    }),
    replica.on('status', () => news.emit({ type: 'replica', replica: replicaState(replica) })),
  ];
  const evaluator = (): Evaluator => {
    try {
      return replica.evaluator();
    } catch {
      throw new ConsoleError('failed', 'the copy of the deployment cannot be read: it is not ready, too old or closed');
    }
  };

  async function judge(text: string): Promise<TokenReport> {
    const token = text.trim();
    const answer = await client.authentication.validate(token).catch(() => {
      throw new ConsoleError('failed', 'the deployment did not validate the token');
    });
    const { valid, user, groups = [] } = answer;
    return reportToken(token, { valid, why: answer.message || 'the deployment refuses it', user, groups }, Date.now());
  }

  const overview = (): Overview => ({
    kind: 'deployment',
    notice: 'This is a deployment, shown for reading only.',
    url,
    fidelity: evaluator().fidelity,
    authorization: type ?? null,
    authenticates: true,
    logLimit: 0,
    capabilities: {
      requests: false,
      edit: false,
      mint: false,
      clock: false,
      faults: false,
      snapshots: false,
      exports: ['permissions'],
      compareText: true,
      compareGiven: file !== undefined,
    },
    replica: replicaState(replica),
    file: file?.name ?? null,
    log: log === undefined ? null : { name: log.name, size: log.size },
  });

  const api = answering({
    overview: async () => overview(),
    events: (signal) => news.follow(signal),
    state: async () => toState(evaluator(), revision, nothing),
    explain: async (question) => answerQuestion(evaluator, read.readQuestion(question), judge, type ?? null),
    matrix: async (question) => toMatrix(evaluator(), revision, read.readMatrixQuestion(question)),
    who: async (question) => toHolders(evaluator(), read.readWhoQuestion(question)),
    grants: async (subject) => grantRows(evaluator(), read.readGrantee(subject)),
    token: async (options) => judge(read.readTokenText(options).text),
    async exportAs(options) {
      const { kind } = read.readExport(options);
      return kind === 'permissions' ? exportPermissionsFile(evaluator()) : unsupported();
    },
    ...fileCalls(evaluator, deployment),
    ...unsupportedCalls,
  });
  return {
    ...api,
    close() {
      for (const stop of undo) stop();
      news.close();
    },
  };
}
