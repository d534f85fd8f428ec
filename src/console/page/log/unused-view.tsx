import { Searched } from '../ui/searched.js';
import { counted, number, shown } from '../ui/words.js';
import type { Part, Unused } from './reader-messages.js';

/** The parts of the permissions that decided nothing in the log. */
export function UnusedView({ unused }: { unused: Unused }) {
  const { since, users, days, undecided, policies, statements, roles, bindings } = unused;
  const lists = [
    ['Policies', ['policy', 'policies'], policies],
    ['Statements', ['statement', 'statements'], statements],
    ['Roles', ['role', 'roles'], roles],
    ['Bindings', ['binding', 'bindings'], bindings],
  ] as const;
  if (since === null) return <p class="quiet">The log has no decision to tell by.</p>;
  const caveat = undecided > 0 && `${counted(undecided, 'line')} of the log may hide a decision`;
  if (lists.every(([, , { all }]) => all === 0)) {
    if (caveat) return <p>Every part decided something, or may have: {caveat}.</p>;
    return <p class="problem allow">Every part decided something.</p>;
  }
  return (
    <div class="stack tight">
      <p>
        Decided nothing since {since}. The log knows {counted(users, 'user')} on {counted(days, 'day')}: what others
        need, and at other times, is not in it.
        {caveat && ` ${caveat}: nothing is listed that may have made one.`}
      </p>
      <div class="thirds">
        {lists.map(([title, noun, part]) => (
          <UnusedList key={title} title={title} noun={noun} part={part} />
        ))}
      </div>
    </div>
  );
}

interface UnusedListProps {
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  readonly part: Part<string>;
}

function UnusedList({ title, noun, part: { rows, all } }: UnusedListProps) {
  if (all === 0) return null;
  return (
    <section class="stack tight" aria-label={`Unused: ${title}`}>
      <div class="row">
        <h3>{title}</h3>
        <span class="badge">{number(all)}</span>
      </div>
      <Searched noun={noun} items={rows} textOf={(text) => text} most={100}>
        {(text) => (
          <li key={text} class="item">
            {shown(text)}
          </li>
        )}
      </Searched>
      {all > rows.length && <p class="quiet">and {number(all - rows.length)} more</p>}
    </section>
  );
}
