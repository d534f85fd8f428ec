import { Tally } from '../../../../analysis/log/tally.js';
import { remember } from '../../../../analysis/space.js';
import type { LogQuestions, LogView, Part, Who } from '../types.js';
import { isSame, type LogIndex, type Tallies } from './log-index.js';
import { toBuckets } from './timeline.js';

/** Sums for a row of a list. */
interface Sums {
  readonly denied: Tally;
  readonly allowed: Tally;
}

const newSums = (): Sums => ({ denied: new Tally(), allowed: new Tally() });

function add<S extends Sums>(sums: S, { allowed, denied, refused }: Tallies): S {
  sums.denied.merge(denied);
  if (refused) sums.denied.merge(refused);
  sums.allowed.merge(allowed);
  return sums;
}

const counted = ({ denied, allowed }: Sums) => ({
  denied: denied.count,
  allowed: allowed.count,
  lastSeen: denied.lastSeen ?? allowed.lastSeen ?? '',
});

/** Denials first, then the most frequent. */
const byDenials = (a: Sums, b: Sums): number => b.denied.count - a.denied.count || b.allowed.count - a.allowed.count;

function part<S extends Sums, T>(list: S[], most: number, show: (one: S) => T): Part<T> {
  return { rows: list.sort(byDenials).slice(0, most).map(show), all: list.length };
}

/** Counts the decisions that pass a filter. */
export function toView(log: LogIndex, { who, action, most }: LogQuestions['view']): LogView {
  const { rows } = log;
  const passes = new Uint8Array(rows.length);
  const total = newSums();
  const users = new Map<string, Sums & { readonly who: Who }>();
  const actions = new Map<string, Sums & { readonly action: string }>();
  for (const [i, row] of rows.entries()) {
    const isWho = who === undefined || isSame(row.who, who);
    const isAction = action === undefined || row.action === action;
    // Each list has the names that its own filter leaves out, so that another can be chosen.
    if (isAction) {
      add(
        remember(users, `${row.who.kind} ${row.who.name}`, () => ({ ...newSums(), who: row.who })),
        row.tallies,
      );
    }
    if (isWho) {
      add(
        remember(actions, row.action, () => ({ ...newSums(), action: row.action })),
        row.tallies,
      );
    }
    if (!isWho || !isAction) continue;
    passes[i] = 1;
    add(total, row.tallies);
  }
  const { width, buckets } = toBuckets(log.moments(passes), ...log.span);
  const questions = rows.filter((_, i) => passes[i] === 1).map((row) => add({ ...newSums(), row }, row.tallies));
  return {
    denied: total.denied.count,
    allowed: total.allowed.count,
    deniedInVain: rows.reduce((sum, { tallies }) => sum + tallies.denied.count, 0),
    widthMs: width * 1_000,
    buckets,
    users: part([...users.values()], most, (one) => ({ who: one.who, ...counted(one) })),
    actions: part([...actions.values()], most, (one) => ({ action: one.action, ...counted(one) })),
    questions: part(questions, most, ({ row, ...sums }) => ({
      who: row.who,
      groups: row.groups,
      action: row.action,
      resource: row.resource,
      ...counted(sums),
    })),
  };
}
