import { remember } from '../../../../base/lib/remember.js';
import { Tally } from '../../../../policy/analysis/log/tally.js';
import { containing } from '../../ui/words.js';
import type { LogQuestions, LogView, Who } from '../reader-messages.js';
import { isSame, type LogIndex, type Tallies } from './log-index.js';
import { toBuckets } from './timeline.js';

/** Sums for a row of a list. */
interface Sums {
  readonly denied: Tally;
  readonly allowed: Tally;
}

const newSums = (): Sums => ({ denied: new Tally(), allowed: new Tally() });

function add<S extends Sums>(sums: S, { allowed, denied, refused }: Tallies): S {
  if (denied.count > 0) sums.denied.merge(denied);
  if (refused) sums.denied.merge(refused);
  if (allowed.count > 0) sums.allowed.merge(allowed);
  return sums;
}

const counted = ({ denied, allowed }: Sums) => ({
  denied: denied.count,
  allowed: allowed.count,
  lastSeen: denied.lastSeen ?? allowed.lastSeen ?? '',
});

/** Lists the sums of each key: most denials first, then most Allows. */
function toPart<K, T>(sums: readonly (readonly [K, Sums])[], most: number, show: (of: K) => T) {
  const list = sums.toSorted(([, a], [, b]) => b.denied.count - a.denied.count || b.allowed.count - a.allowed.count);
  return { rows: list.slice(0, most).map(([of, own]) => ({ ...show(of), ...counted(own) })), all: list.length };
}

const deniedOf = ({ denied, refused }: Tallies): number => denied.count + (refused?.count ?? 0);

/** Lists questions, denials first. There may be as many as decisions, so only the first ones are summed up. */
function toQuestions(questions: LogIndex['rows'], most: number): LogView['questions'] {
  const first = questions
    .toSorted((a, b) => deniedOf(b.tallies) - deniedOf(a.tallies) || b.tallies.allowed.count - a.tallies.allowed.count)
    .slice(0, most);
  const rows = first.map(({ tallies, ...row }) => ({ ...row, ...counted(add(newSums(), tallies)) }));
  return { rows, all: questions.length };
}

/** Counts the decisions that pass a filter. */
export function toView(log: LogIndex, { who, action, text = '', most }: LogQuestions['view']): LogView {
  const { rows } = log;
  const passes = new Uint8Array(rows.length);
  const total = newSums();
  const users = new Map<Who, Sums>();
  const actions = new Map<string, Sums>();
  for (const [i, row] of rows.entries()) {
    const isWho = who === undefined || isSame(row.who, who);
    const isAction = action === undefined || row.action === action;
    // Each list has the names that its own filter leaves out, so that another can be chosen.
    if (isAction) add(remember(users, row.who, newSums), row.tallies);
    if (isWho) add(remember(actions, row.action, newSums), row.tallies);
    if (!isWho || !isAction) continue;
    passes[i] = 1;
    add(total, row.tallies);
  }
  const { width, buckets } = toBuckets(log.moments(passes), ...log.span);
  const listedUsers = containing([...users], text, ([who]) => who.name);
  const listedActions = containing([...actions], text, ([name]) => name);
  const passing = rows.filter((_, i) => passes[i] === 1);
  const questions = containing(passing, text, (row) => `${row.who.name} ${row.action} ${row.resource}`);
  return {
    denied: total.denied.count,
    allowed: total.allowed.count,
    unknown: log.unknown,
    deniedInVain: rows.reduce((sum, { tallies }) => sum + tallies.denied.count, 0),
    widthMs: width * 1_000,
    buckets,
    users: toPart(listedUsers, most, (name) => ({ who: name })),
    actions: toPart(listedActions, most, (action) => ({ action })),
    questions: toQuestions(questions, most),
  };
}
