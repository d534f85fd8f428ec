import { isObject, isTexts } from '../../../base/lib/values.js';
import { basisOf, fidelityOf, noteOf } from '../../../permissions/access/answer-basis.js';
import { formatReport, formatReportChanges, formatReportCsv } from '../../../permissions/access/format-report.js';
import { changesSince, type ReportRow, reportAccess } from '../../../permissions/access/report-access.js';
import { timeFault } from '../../../permissions/holds/hold-schema.js';
import type { Permissions, PermissionsState } from '../../../permissions/index.js';
import { bindingKey, bindingPaths } from '../../../permissions/model/binding-key.js';
import { readUndecided } from '../../../policy/analysis/log/hidden.js';
import { lastUses } from '../../../policy/analysis/log/last-uses.js';
import { readEvaluator } from '../../../policy/analysis/read-evaluator.js';
import type { Context, RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { fileProblem, readFiles } from '../shared/read-files.js';
import { readJson } from '../shared/read-json.js';
import { UsageError } from '../shared/usage-error.js';
import { readAsked } from './ask-command.js';
import { formatExtent, formatUndecided } from './format-log.js';
import { readAskedLog } from './log-state.js';
import { readKnownOwners } from './owners-command.js';
import { rulesOf } from './read-log.js';

const format = 'arango-services report 1';
const mostBytes = 100_000_000;

/** An earlier report, as far as a later one is compared with it. */
interface EarlierReport {
  readonly madeAt: string;
  readonly rows: readonly ReportRow[];
}

const isRow = (value: unknown): value is ReportRow =>
  isObject(value) &&
  [value.user ?? value.group, value.role, value.scope].every((text) => typeof text === 'string') &&
  isTexts(value.access);

/** @throws UsageError for a file that is not a report of `--json`. */
async function readEarlier({ inputs }: Context, file: string): Promise<EarlierReport> {
  const content = await inputs.read('--since', file, mostBytes).catch((error: unknown) => {
    throw fileProblem('--since', error);
  });
  const value = readJson(file, new TextDecoder().decode(content));
  const { madeAt, rows } = isObject(value) && value.format === format ? value : {};
  if (timeFault(String(madeAt)) === undefined && Array.isArray(rows) && rows.every(isRow))
    return { madeAt: String(madeAt), rows };
  throw new UsageError({ where: '--since', message: 'expected a report that "permissions report --json" has printed' });
}

/** The file of the bindings: the one that the report is about, or the one beside a deployment. */
async function readPlaces(context: Context, state: PermissionsState): Promise<Permissions | undefined> {
  const { file } = context.flags;
  // The cast: only the state of files tells places.
  if ('locate' in state) return state as Permissions;
  return file === undefined || file === '-' ? undefined : readFiles(context, file);
}

/** `permissions report`: each binding with its access in words, for a review. */
export const report: RunSubcommand = async (context) => {
  const { flags, surroundings } = context;
  if (flags.json && flags.csv) throw new UsageError({ where: '--csv', message: 'cannot be combined with --json' });
  const earlier = flags.since === undefined ? undefined : await readEarlier(context, flags.since);
  const askedLog = flags.log && (await readAskedLog(context, false));
  const state = askedLog ? askedLog.state : await readAsked(context, () => readKnownOwners(context));
  const fidelity = fidelityOf(state, flags.fidelity);
  const files = await readPlaces(context, state);
  const paths = files && bindingPaths(files);
  const rows = reportAccess(state, {
    fidelity,
    placeOf: (key) => {
      const path = paths?.get(key);
      return path && files?.locate(path);
    },
    lastUses: askedLog
      ? lastUses(askedLog.questions.questions, readEvaluator(state, rulesOf(context, state)), bindingKey)
      : undefined,
  });
  const changes = earlier && changesSince(earlier.rows, rows);
  const log = askedLog?.questions.coverage;
  const undecided = askedLog && readUndecided(askedLog.questions.undecided);
  if (flags.csv) print(surroundings, formatReportCsv(rows, changes));
  else if (flags.json) {
    const head = { format, madeAt: new Date().toISOString(), ...basisOf(state, fidelity) };
    print(
      surroundings,
      JSON.stringify({ ...head, log, undecided, rows, since: earlier && { madeAt: earlier.madeAt, ...changes } }),
    );
  } else {
    const since = changes ? ['', `Changed since ${earlier?.madeAt}:`, formatReportChanges(changes)] : [];
    const unclear = undecided ? formatUndecided(undecided, 'a binding may have been used later') : [];
    const extent = log ? ['', formatExtent(log), ...unclear] : [];
    const lines = [formatReport(rows), ...since, ...extent, ...noteOf(basisOf(state, fidelity), [], true)];
    print(surroundings, lines.join('\n'));
  }
  const differs = changes && changes.added.length + changes.removed.length + changes.changed.length > 0;
  return differs ? exitCodes.changes : exitCodes.done;
};
