import type { EvaluatorSubject, Fidelity } from '../policy/index.js';
import type {
  ConsoleAnswer,
  ConsoleQuestion,
  ConsoleState,
  Edit,
  EditPreview,
  EditRecord,
  FileComparison,
  FileState,
  GrantRow,
  Holders,
  Matrix,
  MatrixQuestion,
  WhoQuestion,
} from './types/permission-types.js';
import type { RequestDetail, RequestPage, RequestPageOptions, RequestRow } from './types/request-types.js';
import type {
  ClockChange,
  ClockState,
  Exported,
  ExportKind,
  FaultOrder,
  FaultRow,
  SnapshotRow,
} from './types/test-kit-types.js';
import type { ForgeOrder, MadeToken, MintOrder, TokenReport } from './types/token-types.js';

export type * from './types/permission-types.js';
export type * from './types/request-types.js';
export type * from './types/test-kit-types.js';
export type * from './types/token-types.js';

/** The parts of the console that a backend supports. Calls of other parts reject with code `unsupported`. */
export interface ConsoleCapabilities {
  /** `requests`, `request`, `clearRequests`. */
  readonly requests: boolean;
  /** `preview`, `edit`, `undo`, `edits`. */
  readonly edit: boolean;
  /** `mint`, `forge`. Every backend has `token`. */
  readonly mint: boolean;
  /** `clock`, `setClock`. */
  readonly clock: boolean;
  /** `faults`, `addFault`, `removeFault`. */
  readonly faults: boolean;
  /** `snapshots`, `snapshot`, `restore`. */
  readonly snapshots: boolean;
  /** The forms that `exportAs` makes. */
  readonly exports: readonly ExportKind[];
  /** `compareFile` and `fileState` with a text that the page sends. */
  readonly compareText: boolean;
  /** `compareFile` and `fileState` without a text: a file was named on the command line. */
  readonly compareGiven: boolean;
}

/** The mock or deployment that the console is attached to. */
export interface Overview {
  readonly kind: 'mock' | 'deployment';
  /** A sentence that the page always shows, like "This is a mock: it protects nothing." */
  readonly notice: string;
  /** The base URL of the platform, without credentials. */
  readonly url: string;
  readonly fidelity: Fidelity;
  /** The authorization type of the platform: `central`, `always`…; `null` if unknown. */
  readonly authorization: string | null;
  /** False if tokens are neither created nor checked. */
  readonly authenticates: boolean;
  /** The maximum number of requests in the log; 0 if the backend has none. */
  readonly logLimit: number;
  readonly capabilities: ConsoleCapabilities;
  /** The freshness of a deployment's copy; `null` for a mock. */
  readonly replica: ReplicaState | null;
  /** The name of the file on the command line; `null` without one. */
  readonly file: string | null;
  /** The decision log that `log` streams; `null` without one. */
  readonly log: GivenLog | null;
}

/** A decision log that was named on the command line, or the decisions for the requests of a mock. */
export interface GivenLog {
  readonly name: string;
  /** The bytes of the log when the console was opened; it may have grown. 0 if unknown. */
  readonly size: number;
  /** True for the decisions of a mock, which the page reads only when asked to. Default: false. */
  readonly own?: boolean | undefined;
}

/** The state of a copy of a deployment. */
export interface ReplicaState {
  /** True while the copy follows every change. */
  readonly live: boolean;
  /** The state as a sentence. */
  readonly words: string;
}

/** Events for the page, in order. After `reset` the page reads everything again. */
export type ConsoleEvent =
  | { readonly type: 'requests'; readonly rows: readonly RequestRow[] }
  /** The log was cleared or replaced by a restored one. */
  | { readonly type: 'reset' }
  | { readonly type: 'state'; readonly revision: number }
  | { readonly type: 'clock'; readonly clock: ClockState }
  | { readonly type: 'faults' }
  | { readonly type: 'edits' }
  | { readonly type: 'snapshots' }
  | { readonly type: 'replica'; readonly replica: ReplicaState };

/**
 * The contract between the console's page and a backend: a mock in the same process, a mock or a deployment behind
 * HTTP. Arguments and answers are plain JSON. Calls reject with a `ConsoleError`.
 */
export interface ConsoleApi {
  overview(): Promise<Overview>;
  /**
   * Yields events from the call on. Ends when the signal aborts or the backend closes, and rejects if the connection
   * breaks.
   */
  events(signal: AbortSignal): AsyncIterable<ConsoleEvent>;

  /**
   * The first rows after an id, or with `before` the last rows before one. Oldest first, at most `most` (default and
   * maximum 2000).
   */
  requests(options: RequestPageOptions): Promise<RequestPage>;
  request(options: { readonly id: number }): Promise<RequestDetail>;
  clearRequests(): Promise<void>;

  state(): Promise<ConsoleState>;
  explain(question: ConsoleQuestion): Promise<ConsoleAnswer>;
  matrix(question: MatrixQuestion): Promise<Matrix>;
  who(question: WhoQuestion): Promise<Holders>;
  grants(subject: EvaluatorSubject): Promise<readonly GrantRow[]>;

  /**
   * Returns the users who gain and lose access by an edit. Rejects with `invalid` for an edit that the management API
   * would refuse.
   */
  preview(options: { readonly edit: Edit }): Promise<EditPreview>;
  /** Makes an edit. With `revision`, rejects with `conflict` if the state has changed since its preview. */
  edit(options: { readonly edit: Edit; readonly revision?: number | undefined }): Promise<EditRecord>;
  /** Undoes an edit by the opposite call. Rejects with `conflict` if another call has changed the item since. */
  undo(options: { readonly id: number }): Promise<EditRecord>;
  /** Newest first. */
  edits(): Promise<readonly EditRecord[]>;

  /** Reads and verifies a token, which is kept nowhere. */
  token(options: { readonly text: string }): Promise<TokenReport>;
  mint(order: MintOrder): Promise<MadeToken>;
  forge(order: ForgeOrder): Promise<MadeToken>;

  clock(): Promise<ClockState>;
  setClock(change: ClockChange): Promise<ClockState>;
  faults(): Promise<readonly FaultRow[]>;
  addFault(order: FaultOrder): Promise<FaultRow>;
  removeFault(options: { readonly id: number }): Promise<void>;
  snapshots(): Promise<readonly SnapshotRow[]>;
  snapshot(options: { readonly name?: string | undefined }): Promise<SnapshotRow>;
  /** Restores a snapshot, which cuts off requests in flight. */
  restore(options: { readonly id: number }): Promise<void>;
  /** Exports the state. Passwords and keys are left out unless `secrets` is true. */
  exportAs(options: { readonly kind: ExportKind; readonly secrets?: boolean | undefined }): Promise<Exported>;
  /** Compares the state with a permissions file: the given text, else the file of the command line. */
  compareFile(options: { readonly text?: string | undefined }): Promise<FileComparison>;
  /** Returns the permissions that the state would have if a file were applied. Reads the file as `compareFile`. */
  fileState(options: { readonly text?: string | undefined }): Promise<FileState>;
  /** Yields the bytes of the decision log of the overview, once for each call. */
  log(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** A call of the API that answers with a stream. */
export type ConsoleStream = 'events' | 'log';

/** A call of the API that takes at most one argument and answers once. */
export type ConsoleCall = Exclude<keyof ConsoleApi, ConsoleStream>;

/** The calls that only a mock answers. */
export const mockCalls = {
  requests: true,
  request: true,
  clearRequests: true,
  preview: true,
  edit: true,
  undo: true,
  edits: true,
  mint: true,
  forge: true,
  clock: true,
  setClock: true,
  faults: true,
  addFault: true,
  removeFault: true,
  snapshots: true,
  snapshot: true,
  restore: true,
} as const satisfies Readonly<Partial<Record<ConsoleCall, true>>>;

/** The names of the calls: no other one reaches a backend. A record, so that the compiler asks for every call. */
export const consoleCalls: Readonly<Record<ConsoleCall, true>> = {
  ...mockCalls,
  overview: true,
  state: true,
  explain: true,
  matrix: true,
  who: true,
  grants: true,
  token: true,
  exportAs: true,
  compareFile: true,
  fileState: true,
};

/** The maximum length of a permissions file, in characters. */
export const longestFile = 10_000_000;

/**
 * The API over HTTP. Each call is a POST of `/_console/api/<name>` with `content-type: application/json`, the page's
 * token in the header `x-console-token`, and the argument as JSON (`{}` without one). The answer is `{ "value": … }`
 * (without `value` if there is none) with status 200, or `{ "error": { code, message, field } }`. `events` is answered
 * with one JSON value per line as they come; empty lines keep the connection alive. `log` is answered with bytes.
 *
 * The page gets its token from a POST of `/_console/session` with `{}`: `{ "value": { "token": … } }`. If that is
 * refused with 401 and the code `key`, the page asks for the key printed at start, or takes it from its address's
 * fragment (`#key=…`, removed at once), and sends `{ "key": … }`, which also sets a cookie that outlives a reload. A
 * call that is refused with 401 and `token` or `key` needs a new session.
 */
export const consoleWire = {
  page: '/_console/',
  session: '/_console/session',
  call: '/_console/api/',
  tokenHeader: 'x-console-token',
} as const;
