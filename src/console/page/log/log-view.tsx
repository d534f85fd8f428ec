import { useEffect } from 'preact/hooks';
import { noteOthers, useSession } from '../page-session.js';
import { FileField } from '../ui/file-field.js';
import { Empty, Problem } from '../ui/small.js';
import { useValue } from '../ui/value.js';
import { counted, number, shown } from '../ui/words.js';
import { DecisionsPanel } from './decisions-panel.js';
import { fileSource } from './log-source.js';
import type { LogStatus, OpenLog } from './open-logs.js';
import { FilePanel, StatePanel, UnusedPanel } from './permissions-panels.js';
import { SkippedLines } from './skipped-lines.js';

/** Reads a decision log in the tab: its decisions, and what permissions would make of them. */
export function LogView() {
  const session = useSession();
  const { api, overview, logs } = session;
  const status = useValue(logs.status);
  const { log } = overview;
  const source = log === null ? undefined : { ...log, read: (signal: AbortSignal) => api.log(signal) };
  useEffect(() => {
    if (source !== undefined && !source.own && logs.status.get().phase === 'none') logs.open(source);
  }, []);
  const close = () => {
    logs.close();
    // The button that had the focus is gone.
    document.getElementById('main')?.focus();
  };
  const offer = source !== undefined && (
    <p>
      <button type="button" onClick={() => logs.open(source)}>
        Read {shown(source.name)}
      </button>
    </p>
  );
  return (
    <div class="page">
      <FileField
        label="A decision log, also gzip: choose it, or drop it here"
        accept=".log,.txt,.json,.jsonl,.ndjson,.gz"
        onFile={(file, dropped) => {
          noteOthers(session, file, dropped);
          logs.open(fileSource(file));
        }}
      />
      {status.phase === 'none' && (
        <Empty title="No log yet">
          <p>
            The log of the platform under the type central-permissive, or one of this package. It is read in this tab,
            and sent nowhere.
          </p>
          {offer}
        </Empty>
      )}
      {status.phase === 'failed' && <Problem text={`${shown(status.name)}: ${status.problem}`} />}
      {status.phase === 'failed' && offer}
      {status.phase === 'reading' && <Reading status={status} onCancel={close} />}
      {status.phase === 'read' && (
        <ReadLog
          log={status.log}
          onClose={close}
          onAgain={source?.own && source.name === status.log.name ? () => logs.open(source) : undefined}
        />
      )}
    </div>
  );
}

interface ReadingProps {
  readonly status: Extract<LogStatus, { phase: 'reading' }>;
  onCancel(): void;
}

/** The progress of reading, with a way to stop it. */
function Reading({ status, onCancel }: ReadingProps) {
  const { name, size, bytes, lines, decisions } = status;
  return (
    <section class="card stack tight" aria-label="Reading the log">
      <p>
        <strong>Reading {shown(name)}</strong>
      </p>
      <progress
        aria-label={`Read of ${shown(name)}`}
        max={Math.max(1, size)}
        value={size === 0 ? undefined : Math.min(bytes, size)}
      />
      <p class="row">
        <span class="quiet">
          {counted(lines, 'line')}, {counted(decisions, 'decision')}
        </span>
        <button type="button" class="push" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </section>
  );
}

function extentText({ summary: { lines, decisions, from, to } }: OpenLog): string {
  // There is no time if no decision has a valid one.
  const span = !from ? '' : from === to ? ` at ${from}` : ` from ${from} to ${to}`;
  return `${counted(decisions, 'decision')} in ${counted(lines, 'line')}${span}.`;
}

interface ReadLogProps {
  readonly log: OpenLog;
  onClose(): void;
  /** Reads a log that grows again. */
  readonly onAgain?: (() => void) | undefined;
}

function ReadLog({ log, onClose, onAgain }: ReadLogProps) {
  const session = useSession();
  const state = useValue(session.state);
  const { summary } = log;
  return (
    <>
      <section class="stack tight" aria-label="The log">
        <div class="row">
          <h2 class="wrap">{shown(log.name)}</h2>
          <span class="row push">
            {onAgain && (
              <button type="button" onClick={onAgain}>
                Read it again
              </button>
            )}
            <button type="button" onClick={onClose}>
              Close the log
            </button>
          </span>
        </div>
        <p role="status">{extentText(log)}</p>
        <Problem text={summary.problem} />
        {summary.dropped > 0 && (
          <p class="problem warn">
            {number(summary.dropped)} decisions are missing: they were dropped while the log was written.
          </p>
        )}
        <SkippedLines skipped={summary.skipped} />
      </section>
      {summary.decisions > 0 && (
        <>
          <DecisionsPanel log={log} />
          {state && (
            <>
              <StatePanel log={log} state={state} />
              <FilePanel log={log} state={state} />
              <UnusedPanel log={log} state={state} />
            </>
          )}
        </>
      )}
    </>
  );
}
