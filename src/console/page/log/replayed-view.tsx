import { Searched } from '../ui/searched.js';
import { counted, number, shown } from '../ui/words.js';
import { causeText, notReplayedWords, whoText } from './log-words.js';
import type { FlipGroup, Flips, Replayed } from './reader-messages.js';

/** The requests that enforcing permissions would deny, as a sentence. */
function DenialsLine({ replayed: { decisions, denied } }: { replayed: Replayed }) {
  const all = counted(decisions, 'request');
  if (decisions === 0) return <p class="quiet">The log has no request that can be decided again.</p>;
  if (denied.count === 0) return <p class="problem allow">Enforcing them would deny none of {all}.</p>;
  return (
    <p>
      <strong>
        Enforcing them would deny {number(denied.count)} of {all}:
      </strong>{' '}
      {counted(denied.users, 'user')}, {counted(denied.actions, 'action')}.
    </p>
  );
}

/** The decisions that differ from the earlier ones, as sentences. */
function FlipsLine({ replayed: { decisions, revoked, gained, notReplayed } }: { replayed: Replayed }) {
  const flips = revoked.count + gained.count;
  const all = counted(decisions, 'logged decision');
  const change = `${number(revoked.count)} would be denied, ${number(gained.count)} allowed`;
  return (
    <>
      {decisions > 0 && <p>{flips === 0 ? `None of ${all} flips.` : `Of ${all} ${number(flips)} flip: ${change}.`}</p>}
      {notReplayed.map(({ reason, count }) => (
        <p key={reason} class="quiet">
          {counted(count, 'decision')} cannot be decided again: they {notReplayedWords[reason]}.
        </p>
      ))}
    </>
  );
}

/** The effect of enforcing permissions on the requests of the log. */
export function EnforcedView({ replayed }: { replayed: Replayed }) {
  return (
    <div class="stack tight" aria-live="polite">
      <DenialsLine replayed={replayed} />
      <FlipList title="Would be denied" look="deny" flips={replayed.denied} />
      <FlipsLine replayed={replayed} />
      <FlipList title="Denied in the log, would be allowed" look="allow" flips={replayed.gained} />
    </div>
  );
}

/** The decisions of the log that a change of the permissions turns around. */
export function ReplayedView({ replayed }: { replayed: Replayed }) {
  return (
    <div class="stack tight" aria-live="polite">
      <FlipsLine replayed={replayed} />
      <FlipList title="Would be denied" look="deny" flips={replayed.revoked} />
      <FlipList title="Would be allowed" look="allow" flips={replayed.gained} />
      <DenialsLine replayed={replayed} />
    </div>
  );
}

interface FlipListProps {
  readonly title: string;
  readonly look: 'allow' | 'deny';
  readonly flips: Flips;
}

const flipText = ({ who, groups, questions }: FlipGroup): string =>
  [who.name, ...groups, ...questions.rows.flatMap(({ action, resource }) => [action, resource])].join(' ');

function FlipList({ title, look, flips: { count, rows, all } }: FlipListProps) {
  if (count === 0) return null;
  return (
    <section class={`problem ${look}`} aria-label={title}>
      <h3>
        {title}: {number(count)}
      </h3>
      <Searched noun={['group', 'groups']} items={rows} textOf={flipText} most={100} look="flips">
        {(group) => <Flip key={JSON.stringify([group.who, group.groups, group.cause])} group={group} />}
      </Searched>
      {all > rows.length && <p>and {number(all - rows.length)} more groups</p>}
    </section>
  );
}

function Flip({ group: { who, groups, cause, count, lastSeen, questions } }: { group: FlipGroup }) {
  const rest = questions.all - questions.rows.length;
  return (
    <li>
      <p>
        <strong>{whoText(who)}</strong> {groups.length > 0 && `with ${shown(groups.join(', '))} `}
        {counted(count, 'time')}, last {lastSeen}: {causeText(cause)}
      </p>
      <ul>
        {questions.rows.map(({ action, resource, count: occurrences }) => (
          <li key={JSON.stringify([action, resource])}>
            <code>{shown(action)}</code> on <code>{shown(resource)}</code>, {counted(occurrences, 'time')}
          </li>
        ))}
        {rest > 0 && <li>and {counted(rest, 'more question')}</li>}
      </ul>
    </li>
  );
}
