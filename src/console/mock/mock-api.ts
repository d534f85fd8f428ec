import { authenticates, type Settings } from '../../mock/config/mock-config.js';
import type { LoggedRequest } from '../../mock/kit/logged-request.js';
import type { Mock } from '../../mock/mock.js';
import { answering } from '../answering.js';
import { answerQuestion } from '../answers/answer-question.js';
import { compareText, stateWithText } from '../answers/file-comparison.js';
import { exportPermissionsFile } from '../answers/permissions-export.js';
import { grantRows, toHolders, toMatrix, toState } from '../answers/policy-views.js';
import type { ConsoleApi, Overview, RequestRow } from '../api.js';
import { ConsoleError } from '../console-error.js';
import * as read from '../read-arguments.js';
import { Edits } from './edits.js';
import { exportCreateMock, exportSeed } from './exports.js';
import { forge, judge, mint } from './mint-tokens.js';
import { Management } from './mock-management.js';
import { type MockWatch, watchMock } from './mock-watch.js';
import { consoleHeader } from './numbered-requests.js';
import { decisionLines } from './own-decisions.js';
import { toDetail, toRow } from './request-views.js';
import { SeenNamesOfLog } from './seen-names.js';
import { changeClock, clockState, FaultList, SnapshotList } from './test-kit.js';

/** A console that holds listeners until it is closed. */
export interface OpenConsole extends ConsoleApi {
  /** Removes the console's listeners and ends its events. */
  close(): void;
}

const defaultRows = 2_000;

const toOverview = (settings: Settings, url: string): Overview => ({
  kind: 'mock',
  notice: 'This is a mock, for tests and local use. It protects nothing.',
  url,
  fidelity: settings.fidelity,
  authorization: settings.authorization.type,
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
  log: settings.limits.log > 0 ? { name: 'the requests of this mock', size: 0, own: true } : null,
});

/** The pieces that turn a logged request into the page's rows and details. */
interface RequestTools {
  readonly rowOf: (request: LoggedRequest) => RequestRow;
}

/** The calls about the log of requests. */
function requestCalls(
  mock: Mock,
  watch: MockWatch,
  tools: RequestTools,
): Pick<ConsoleApi, 'requests' | 'request' | 'clearRequests'> {
  const { platform } = mock.parts;
  const { numbered } = watch;
  return {
    async requests(options) {
      const { after = 0, before, most = defaultRows } = read.readPage(options);
      watch.update();
      const all = numbered.all();
      const end = before === undefined ? all.length : numbered.countUpTo(before - 1);
      const older = before === undefined ? numbered.countUpTo(after) : Math.max(0, end - most);
      const [oldest] = all;
      return {
        rows: all.slice(older, Math.min(end, older + most)).map(tools.rowOf),
        older,
        oldest: oldest === undefined ? null : numbered.idOf(oldest),
        more: older + most < end,
      };
    },
    async request(options) {
      watch.update();
      const request = numbered.find(read.readId(options).id);
      if (request === undefined) throw new ConsoleError('not-found', 'the log no longer has this request', 'id');
      const now = platform.store.evaluator();
      const policies = numbered.around(request) ?? { before: now, after: now };
      return toDetail(request, tools.rowOf(request), { ...policies, now });
    },
    async clearRequests() {
      mock.requests.clear();
      watch.update();
    },
  };
}

/** The text of a permissions file, as the page sends it. */
function textOf(options: unknown): string {
  const { text } = read.readFileText(options);
  if (text === undefined) throw new ConsoleError('unsupported', 'no file was named on the command line', 'text');
  return text;
}

/**
 * Opens the console of a mock in the same process. It runs wherever the mock runs. It is closed with the mock.
 * @param url the base URL that the page shows. Default: the mock's own, which only its `fetch` knows.
 */
export function createMockConsole(mock: Mock, url: () => string = () => mock.connection.url): OpenConsole {
  const { platform, faults: scripted } = mock.parts;
  const { settings, clock, store } = platform;
  const faults = new FaultList(scripted);
  const management = new Management(mock, faults);
  const names = new SeenNamesOfLog(store.users);
  const rowOf = (request: LoggedRequest) =>
    toRow(request, watch.numbered.idOf(request), management.isOwn(request.headers[consoleHeader]));
  const watch = watchMock(mock, (request) => names.add(request), rowOf);
  const { news, numbered } = watch;
  const snapshots = new SnapshotList(mock);
  const evaluator = () => store.evaluator();
  const edits = new Edits({
    management,
    evaluator,
    revision: watch.revision,
    now: () => new Date(clock.now()).toISOString(),
    requestOf(mark) {
      const request = mock.requests.find((request) => request.headers[consoleHeader] === mark);
      return request === undefined ? null : numbered.idOf(request);
    },
    changed: () => news.emit({ type: 'edits' }),
  });
  const announced = <T>(type: 'faults' | 'snapshots', value: T): T => {
    news.emit({ type });
    return value;
  };

  const api: ConsoleApi = answering({
    overview: async () => toOverview(settings, url()),
    events: (signal) => news.follow(signal),
    ...requestCalls(mock, watch, { rowOf }),

    state: async () => toState(evaluator(), watch.revision(), names),
    explain: async (question) =>
      answerQuestion(
        evaluator,
        read.readQuestion(question),
        (text) => judge(platform, text),
        settings.authorization.type,
      ),
    matrix: async (question) => toMatrix(evaluator(), watch.revision(), read.readMatrixQuestion(question)),
    who: async (question) => toHolders(evaluator(), read.readWhoQuestion(question)),
    grants: async (subject) => grantRows(evaluator(), read.readGrantee(subject)),

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
    addFault: async (order) => announced('faults', faults.add(read.readFaultOrder(order))),
    removeFault: async (options) => announced('faults', faults.remove(read.readId(options).id)),
    snapshots: async () => snapshots.list(),
    snapshot: async (options) => announced('snapshots', snapshots.take(read.readSnapshotName(options).name)),
    restore: async (options) => snapshots.restore(read.readId(options).id),
    async exportAs(options) {
      const { kind, secrets } = read.readExport(options);
      if (kind === 'permissions') return exportPermissionsFile(evaluator());
      return (kind === 'seed' ? exportSeed : exportCreateMock)(platform, evaluator(), secrets);
    },
    compareFile: async (options) => compareText(evaluator(), textOf(options)),
    fileState: async (options) => stateWithText(evaluator(), textOf(options)),
    log: () => decisionLines(mock.requests),
  });

  const close = (): void => {
    forget();
    watch.close();
  };
  const forget = mock.onDispose(close);
  return { ...api, close };
}
