import type { LogSummary } from '../../../policy/decisions/index.js';
import { messageOf } from '../ui/use-loaded.js';
import { createValue, type Value } from '../ui/value.js';
import type { LogSource } from './log-source.js';
import type { FromReader, LogAnswers, LogQuestionName, LogQuestions, ToReader } from './reader-messages.js';

/** A log that was read. */
export interface OpenLog {
  readonly name: string;
  readonly summary: LogSummary;
  /** Asks the reader. An answer that is late never arrives if another log was opened. */
  ask<Name extends LogQuestionName>(name: Name, question: LogQuestions[Name]): Promise<LogAnswers[Name]>;
}

export type LogStatus =
  | { readonly phase: 'none' }
  | {
      readonly phase: 'reading';
      readonly name: string;
      readonly size: number;
      readonly bytes: number;
      readonly lines: number;
      readonly decisions: number;
    }
  | { readonly phase: 'read'; readonly log: OpenLog }
  | { readonly phase: 'failed'; readonly name: string; readonly problem: string };

/** The log of the page: at most one is open. It stays open while other views are shown. */
export interface Logs {
  readonly status: Value<LogStatus>;
  /** Opens a log in place of the open one. */
  open(source: LogSource): void;
  /** Closes the log, or stops reading it. */
  close(): void;
}

/** The side of a worker that the page has. */
export interface LogWorker {
  postMessage(message: ToReader): void;
  onmessage: ((event: MessageEvent<FromReader>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** The number of chunks that are sent before the reader asks for more. */
const ahead = 4;

/** Sends a log chunk by chunk, no faster than the reader takes them. */
function createPump(
  worker: LogWorker,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
) {
  let credit = ahead;
  let wake: (() => void) | undefined;
  signal.addEventListener('abort', () => wake?.());
  return {
    /** The reader has taken a chunk. */
    taken(): void {
      credit += 1;
      wake?.();
    },
    async run(): Promise<void> {
      let sent = 0;
      for await (const bytes of chunks) {
        while (credit === 0 && !signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        // Leaving the loop closes the source.
        if (signal.aborted) return;
        credit -= 1;
        worker.postMessage({ type: 'chunk', bytes });
        sent += bytes.length;
        onBytes(sent);
      }
      worker.postMessage({ type: 'end' });
    },
  };
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Asks questions of a reader, by their numbers. */
function createAsking(worker: LogWorker) {
  const pending = new Map<number, Pending>();
  let last = 0;
  const take = (id: number): Pending | undefined => {
    const entry = pending.get(id);
    pending.delete(id);
    return entry;
  };
  const ask = (name: LogQuestionName, question: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1;
      pending.set(last, { resolve, reject });
      worker.postMessage({ type: 'ask', id: last, name, question });
    });
  // The cast: the answer of the reader is that of the question.
  return { ask: ask as OpenLog['ask'], take };
}

type ReadingStatus = Extract<LogStatus, { phase: 'reading' }>;

/** Creates the log of a page. `start` starts a worker with the reader. */
export function createLogs(start: () => LogWorker): Logs {
  const status = createValue<LogStatus>({ phase: 'none' });
  let stop: () => void = () => {};

  function open({ name, size, read }: LogSource): void {
    stop();
    const gone = new AbortController();
    const worker = start();
    stop = () => {
      gone.abort();
      worker.terminate();
    };
    let reading: ReadingStatus = { phase: 'reading', name, size, bytes: 0, lines: 0, decisions: 0 };
    const show = (change: Partial<ReadingStatus>): void => {
      if (gone.signal.aborted || status.get() !== reading) return;
      reading = { ...reading, ...change };
      status.set(reading);
    };
    const fail = (problem: string): void => {
      if (gone.signal.aborted) return;
      stop();
      status.set({ phase: 'failed', name, problem });
    };
    const asking = createAsking(worker);
    const pump = createPump(worker, read(gone.signal), gone.signal, (bytes) => show({ bytes }));
    worker.onerror = () => fail('The reader of logs stopped. The log may need more memory than this tab has.');
    worker.onmessage = ({ data }) => {
      if (gone.signal.aborted) return;
      if (data.type === 'pull') pump.taken();
      else if (data.type === 'progress') show({ lines: data.lines, decisions: data.decisions });
      else if (data.type === 'read') {
        status.set({ phase: 'read', log: { name, summary: data.summary, ask: asking.ask } });
      } else if (data.type === 'answer') asking.take(data.id)?.resolve(data.value);
      else if (data.id === undefined) fail(data.message);
      else asking.take(data.id)?.reject(new Error(data.message));
    };
    status.set(reading);
    pump.run().catch((error) => fail(messageOf(error)));
  }

  return {
    status,
    open,
    close() {
      stop();
      status.set({ phase: 'none' });
    },
  };
}
