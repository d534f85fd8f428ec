import { useState } from 'preact/hooks';
import { narrow, useSession } from '../page-session.js';
import { breakable } from '../ui/breakable.js';
import { TextField } from '../ui/field.js';
import { Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { counted, number, shown } from '../ui/words.js';
import { CountTable } from './count-table.js';
import { whoText } from './log-words.js';
import type { OpenLog } from './open-logs.js';
import type { LogView, Who } from './reader-messages.js';
import { Timeline } from './timeline-chart.js';
import { filtersOf, whoIn } from './who-filter.js';

/** The number of rows of each table at first, and the factor by which "Show more" raises it. */
const firstRows = 10;
const moreRows = 5;

function totalText({ denied, allowed, deniedInVain, unknown }: LogView): string {
  const parts = [
    `${number(denied)} denied, ${number(allowed)} allowed.`,
    deniedInVain > 0 && `${number(deniedInVain)} denials of the log were not enforced: the callers were let through.`,
    unknown > 0 && `Not counted: ${counted(unknown, 'decision')} that failed or lack a part of the question.`,
  ];
  return parts.filter((part) => part !== false).join(' ');
}

/** The decisions of a log over time, by user, action and question. A name narrows all of them. */
export function DecisionsPanel({ log }: { log: OpenLog }) {
  const session = useSession();
  const { filters } = useValue(session.address);
  const { action: actionText = '' } = filters;
  const action = actionText === '' ? undefined : actionText;
  const who = whoIn(filters);
  const [most, setMost] = useState(firstRows);
  const [text, setText] = useState('');
  const { value, problem } = useLoaded(
    () => log.ask('view', { who, action, text, most }),
    [log, who?.kind, who?.name, action, text, most],
    60,
  );
  const change = (filters: Readonly<Record<string, string>>) => narrow(session, 'log', filters);
  const isOnly = (subject: Who) => who !== undefined && subject.kind === who.kind && subject.name === who.name;
  const showMore = () => setMost(most * moreRows);
  if (value === undefined) return <Problem text={problem} />;
  return (
    <section class="stack" aria-label="Decisions">
      <div class="row">
        <h2>Decisions</h2>
        <span role="status">{totalText(value)}</span>
        {who !== undefined && <OnlyButton name={whoText(who)} onWiden={() => change(filtersOf(undefined))} />}
        {action !== undefined && <OnlyButton name={shown(action)} onWiden={() => change({ action: '' })} />}
      </div>
      <Timeline view={value} />
      <TextField
        label="Search users, actions and questions"
        hidesLabel
        type="search"
        placeholder="Search users, actions and questions"
        value={text}
        onValue={setText}
      />
      <div class="stack halves">
        <CountTable
          title="By user"
          noun="user"
          columns={['User']}
          part={value.users}
          keyOf={({ who: subject }) => `${subject.kind} ${subject.name}`}
          cells={({ who: subject }) => [
            <NameButton
              name={subject.kind === 'superuser' ? subject.kind : subject.name}
              text={whoText(subject)}
              isChosen={isOnly(subject)}
              onChoose={() => change(filtersOf(isOnly(subject) ? undefined : subject))}
            />,
          ]}
          onMore={showMore}
        />
        <CountTable
          title="By action"
          noun="action"
          columns={['Action']}
          part={value.actions}
          keyOf={(row) => row.action}
          cells={(row) => [
            <NameButton
              name={row.action}
              text={shown(row.action)}
              isChosen={row.action === action}
              onChoose={() => change({ action: row.action === action ? '' : row.action })}
            />,
          ]}
          onMore={showMore}
        />
      </div>
      <CountTable
        title="Questions"
        noun="question"
        columns={['User', 'Question']}
        part={value.questions}
        keyOf={(row) => JSON.stringify([row.who, row.groups, row.action, row.resource])}
        cells={(row) => [
          <>
            {whoText(row.who)} {row.groups.length > 0 && <small>with {shown(row.groups.join(', '))}</small>}
          </>,
          <>
            <code>{shown(row.action)}</code> on <code>{shown(row.resource)}</code>
          </>,
        ]}
        onMore={showMore}
      />
    </section>
  );
}

/** The name that the view is narrowed to. A click takes it back. */
function OnlyButton({ name, onWiden }: { name: string; onWiden(): void }) {
  const widen = () => {
    onWiden();
    // The button that had the focus is gone.
    document.getElementById('main')?.focus();
  };
  return (
    <button type="button" onClick={widen}>
      Only {name} ×
    </button>
  );
}

interface NameButtonProps {
  readonly name: string;
  readonly text: string;
  readonly isChosen: boolean;
  onChoose(): void;
}

/** A name that narrows the view. The address cannot hold an empty one. */
function NameButton({ name, text, isChosen, onChoose }: NameButtonProps) {
  if (name === '') return <>{text}</>;
  return (
    <button type="button" class="link" aria-pressed={isChosen} onClick={onChoose}>
      {breakable(text)}
    </button>
  );
}
