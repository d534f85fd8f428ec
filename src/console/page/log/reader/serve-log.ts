import { type BatchedLog, batches, isHidden } from '../../../../policy/decisions/batches.js';
import { type DecisionsOfLog, readDecisions } from '../../../../policy/decisions/read-decisions.js';
import type { FromReader, LogAnswers, LogQuestionName, LogQuestions, ToReader } from '../reader-messages.js';
import { toReplayed, toUnused } from './decided-again.js';
import { LogIndex } from './log-index.js';
import { toView } from './view.js';

/** The worker's end of the channel to the page. */
export interface ReaderPort {
  send(message: FromReader): void;
  /** Calls a function for each message of the page. */
  listen(take: (message: ToReader) => void): void;
}

/** Milliseconds between two messages about progress. */
const progressMs = 100;

const answers: {
  readonly [Name in LogQuestionName]: (log: LogIndex, question: LogQuestions[Name]) => LogAnswers[Name];
} = { view: toView, replay: toReplayed, usage: toUnused };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The chunks that the page sends, each asked for when it is read. */
function pulledChunks(port: ReaderPort) {
  const waiting: (Uint8Array | undefined)[] = [];
  let wake: (() => void) | undefined;
  async function* iterate(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      while (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const chunk = waiting.shift();
      if (chunk === undefined) return;
      port.send({ type: 'pull' });
      yield chunk;
    }
  }
  return {
    /** Adds a chunk; undefined is the end. */
    add(chunk: Uint8Array | undefined): void {
      waiting.push(chunk);
      wake?.();
    },
    chunks: iterate(),
  };
}

/** Reads the log that the page sends, and answers questions about it. */
export function serveLog(port: ReaderPort): void {
  const log = new LogIndex();
  const { add, chunks } = pulledChunks(port);

  async function read(): Promise<void> {
    // The cast: logs of `readDecisions` have batches.
    const decisions = readDecisions(chunks) as DecisionsOfLog & BatchedLog;
    let [lines, count, saidAt] = [0, 0, performance.now()];
    for await (const batch of decisions[batches]()) {
      for (const item of batch) {
        lines = item.line;
        if (isHidden(item)) {
          log.addHidden(item);
          continue;
        }
        log.add(item);
        count += 1;
      }
      if (performance.now() - saidAt < progressMs) continue;
      saidAt = performance.now();
      port.send({ type: 'progress', lines, decisions: count });
    }
    port.send({ type: 'read', summary: decisions.summary });
  }

  port.listen((message) => {
    if (message.type === 'chunk') add(message.bytes);
    else if (message.type === 'end') add(undefined);
    else {
      const { id, name, question } = message;
      try {
        // The cast: the page sends the question of that name.
        const answer = answers[name] as (index: LogIndex, question: unknown) => unknown;
        port.send({ type: 'answer', id, value: answer(log, question) });
      } catch (error) {
        port.send({ type: 'failed', id, message: messageOf(error) });
      }
    }
  });
  read().catch((error) => port.send({ type: 'failed', id: undefined, message: messageOf(error) }));
}
