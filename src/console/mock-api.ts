import { authenticates } from '../mock/config/settings.js';
import type { LoggedRequest } from '../mock/kit/logged-request.js';
import type { InternalMock, Mock } from '../mock/mock.js';
import { answering } from './answering.js';
import type { ConsoleApi, Overview } from './api.js';
import { ConsoleError } from './error.js';
import { Edits } from './mock/edits.js';
import { configOf, exportCreateMock, exportSeed } from './mock/exports.js';
import { Management } from './mock/management.js';
import { watchMock } from './mock/mock-watch.js';
import { consoleHeader } from './mock/recorded.js';
import { toDetail, toRow } from './mock/request-views.js';
import { SeenNamesOfLog } from './mock/seen-names.js';
import { changeClock, clockState, FaultList, SnapshotList } from './mock/test-kit.js';
import { forge, judge, mint } from './mock/tokens.js';
import * as read from './read-arguments.js';
import { answerQuestion } from './views/answer.js';
import { compareText } from './views/file-comparison.js';
import { exportPermissionsFile } from './views/permissions-export.js';
import { grantRows, toMatrix, toState } from './views/policy-views.js';

/** A console that holds listeners until it is closed. */
export interface OpenConsole extends ConsoleApi {
  /** Removes its listeners and ends its events. */
  close(): void;
}

const defaultRows = 2_000;

/**
 * Opens the console of a mock in the same process. It runs wherever the mock runs. It is closed with the mock.
 * @param url the base URL for commands to copy. Default: the mock's own, which only its `fetch` knows.
 */
export function createMockConsole(mock: Mock, url: () => string = () => mock.connection.url): OpenConsole {
  // The cast: every mock comes from `createMock`.
  const { platform, faults: scripted } = (mock as InternalMock).streamSource;
  const { settings, clock, store } = platform;
  const faults = new FaultList(scripted);
  const management = new Management(mock as InternalMock, faults);
  const names = new SeenNamesOfLog(store.users);
  const rowOf = (request: LoggedRequest) =>
    toRow(request, watch.recorded.idOf(request), management.isOwn(request.headers[consoleHeader]));
  const watch = watchMock(mock as InternalMock, (request) => names.add(request), rowOf);
  const { news, recorded } = watch;
  const snapshots = new SnapshotList(mock);
  const evaluator = () => store.evaluator();
  const edits = new Edits({
    management,
    evaluator,
    revision: watch.revision,
    now: () => new Date(clock.now()).toISOString(),
    requestOf(mark) {
      const found = mock.requests.find((request) => request.headers[consoleHeader] === mark);
      return found === undefined ? null : recorded.idOf(found);
    },
    changed: () => news.emit({ type: 'edits' }),
  });
  const authorization = settings.authorization.type;
  const overview = (): Overview => ({
    kind: 'mock',
    notice: 'This is a mock, for tests and local use. It protects nothing.',
    url: url(),
    fidelity: settings.fidelity,
    authorization,
    authenticates: authenticates(settings),
    logLimit: settings.limits.log,
    capabilities: {
      requests: settings.limits.log > 0,
      edit: true,
      mint: true,
      clock: true,
      faults: true,
      snapshots: true,
      exports: ['seed', 'createMock', 'permissions'],
      compareText: true,
      compareGiven: false,
    },
    replica: null,
    file: null,
  });
  const told = <T>(type: 'faults' | 'snapshots', value: T): T => {
    news.emit({ type });
    return value;
  };

  const api: ConsoleApi = answering({
    overview: async () => overview(),
    events: (signal) => news.follow(signal),

    async requests(options) {
      const { after = 0, most = defaultRows } = read.readPage(options);
      watch.update();
      const found = recorded.after(after, most + 1);
      const [oldest] = recorded.all();
      return {
        rows: found.slice(0, most).map(rowOf),
        oldest: oldest === undefined ? null : recorded.idOf(oldest),
        more: found.length > most,
      };
    },
    async request(options) {
      watch.update();
      const request = recorded.find(read.readId(options).id);
      if (request === undefined) throw new ConsoleError('not-found', 'the log no longer has this request', 'id');
      const now = evaluator();
      const policies = recorded.around(request) ?? { before: now, after: now };
      const config = configOf(platform, policies.before, false);
      return toDetail(request, rowOf(request), { ...policies, now }, url(), config);
    },
    async clearRequests() {
      mock.requests.clear();
      watch.update();
    },

    state: async () => toState(evaluator(), watch.revision(), names),
    explain: async (question) =>
      answerQuestion(evaluator, read.readQuestion(question), (text) => judge(platform, text), authorization),
    matrix: async (question) => toMatrix(evaluator(), watch.revision(), read.readMatrixQuestion(question)),
    grants: async (options) => grantRows(evaluator(), read.readUser(options).user),

    preview: async (options) => edits.preview(read.readEdit(options).edit),
    async edit(options) {
      const { edit, revision } = read.readEdit(options);
      return edits.make(edit, revision);
    },
    undo: async (options) => edits.undo(read.readId(options).id),
    edits: async () => edits.list(),

    token: async (options) => judge(platform, read.readTokenText(options).text),
    mint: async (order) => mint(mock, platform, read.readMintOrder(order)),
    forge: async (order) => forge(mock, platform, read.readForgeOrder(order)),

    clock: async () => clockState(clock),
    async setClock(change) {
      changeClock(clock, read.readClockChange(change));
      const now = clockState(clock);
      news.emit({ type: 'clock', clock: now });
      return now;
    },
    faults: async () => faults.rows(),
    addFault: async (order) => told('faults', faults.add(read.readFaultOrder(order))),
    removeFault: async (options) => told('faults', faults.remove(read.readId(options).id)),
    snapshots: async () => snapshots.list(),
    snapshot: async (options) => told('snapshots', snapshots.take(read.readSnapshotName(options).name)),
    restore: async (options) => snapshots.restore(read.readId(options).id),
    async exportAs(options) {
      const { kind, secrets } = read.readExport(options);
      if (kind === 'permissions') return exportPermissionsFile(evaluator());
      return (kind === 'seed' ? exportSeed : exportCreateMock)(platform, evaluator(), secrets);
    },
    async compareFile(options) {
      const { text } = read.readFileText(options);
      if (text === undefined) throw new ConsoleError('unsupported', 'no file was named on the command line', 'text');
      return compareText(evaluator(), text);
    },
  });

  const close = (): void => {
    forget();
    watch.close();
  };
  const forget = mock.onDispose(close);
  return { ...api, close };
}
