import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { fileSource } from '../../../src/console/page/log/log-source.js';
import { createLogs, type LogStatus, type Logs, type LogWorker } from '../../../src/console/page/log/open-logs.js';
import { serveLog } from '../../../src/console/page/log/reader/serve-log.js';
import type { FromReader, ToReader } from '../../../src/console/page/log/reader-messages.js';
import { turns } from '../../support/turns.ts';
import { bytesOf, decisionOf, shopState } from './logs-of-tests.js';

/** A worker in this process: messages are copied, and arrive later, as those of a real one. */
function startWorker(): LogWorker & { readonly isTerminated: () => boolean } {
  const { port1, port2 } = new MessageChannel();
  let terminated = false;
  const worker: LogWorker & { readonly isTerminated: () => boolean } = {
    onmessage: null,
    onerror: null,
    postMessage: (message) => port1.postMessage(message),
    terminate() {
      terminated = true;
      port1.close();
    },
    isTerminated: () => terminated,
  };
  port1.onmessage = (event) => worker.onmessage?.(event as MessageEvent<FromReader>);
  serveLog({
    send: (message) => port2.postMessage(message),
    listen(take) {
      port2.onmessage = ({ data }) => take(data as ToReader);
    },
  });
  onTestFinished(() => port1.close());
  return worker;
}

function openLogs() {
  const workers: ReturnType<typeof startWorker>[] = [];
  const logs = createLogs(() => {
    const worker = startWorker();
    workers.push(worker);
    return worker;
  });
  return { logs, workers };
}

const phaseOf = (logs: Logs, phase: LogStatus['phase']) => expect.poll(() => logs.status.get().phase).toBe(phase);

function readLog(logs: Logs) {
  const status = logs.status.get();
  if (status.phase !== 'read') throw new Error(`the log is ${status.phase}`);
  return status.log;
}

const lines = ['starting', decisionOf(), decisionOf({ effect: 'Deny' })];

test.each([
  ['plain', bytesOf(lines)],
  ['compressed', new Uint8Array(gzipSync(bytesOf(lines)))],
])('a %s file is read in the tab, and its questions are answered', async (_, bytes) => {
  const { logs } = openLogs();
  logs.open(fileSource(new File([bytes as BlobPart], 'sidecar.log')));
  expect(logs.status.get()).toMatchObject({ phase: 'reading', name: 'sidecar.log', size: bytes.length });
  await phaseOf(logs, 'read');
  const { summary, ask } = readLog(logs);
  expect(summary).toMatchObject({
    decisions: 2,
    skipped: [{ reason: 'foreign', count: 1, firstLine: 1 }],
  });
  expect(await ask('view', { most: 5 })).toMatchObject({ denied: 1, allowed: 1 });
  expect(await ask('replay', { state: shopState, baseline: undefined, most: 5 })).toMatchObject({
    gained: { count: 1 },
    revoked: { count: 0 },
  });
  expect((await ask('usage', { state: shopState, most: 5 })).policies.rows).toEqual(['idle']);
  expect(await ask('usage', { state: shopState, most: 5 })).toMatchObject({ undecided: 0 });
});

test('a line that breaks off may have been decided by anything', async () => {
  const { logs } = openLogs();
  logs.open(fileSource(new File([bytesOf([...lines, '{"v":1,"kind":"dec']) as BlobPart], 'a')));
  await phaseOf(logs, 'read');
  const { summary, ask } = readLog(logs);
  expect(summary.skipped).toContainEqual({ reason: 'incomplete', count: 1, firstLine: 4 });
  expect(await ask('usage', { state: shopState, most: 5 })).toMatchObject({ policies: { rows: [] }, undecided: 1 });
  const { notReplayed } = await ask('replay', { state: shopState, baseline: undefined, most: 5 });
  expect(notReplayed).toEqual([{ reason: 'incomplete', count: 1 }]);
});

test('a failed question rejects, and the log stays open', async () => {
  const { logs } = openLogs();
  logs.open(fileSource(new File([bytesOf(lines) as BlobPart], 'a')));
  await phaseOf(logs, 'read');
  const { ask } = readLog(logs);
  const broken = { ...shopState, policies: [{ name: 'x', policy: { statements: 1 } as never }] };
  await expect(ask('usage', { state: broken, most: 5 })).rejects.toThrow(/statements/);
  expect(await ask('view', { most: 5 })).toMatchObject({ denied: 1 });
});

/** A source that counts the chunks that were taken, and the iterations that ended. */
function countingSource(chunks: number, onTaken: (taken: number) => Promise<unknown> | undefined = () => undefined) {
  const counts = { taken: 0, ended: 0 };
  const source = {
    name: 'counted',
    size: 0,
    async *read() {
      try {
        for (; counts.taken < chunks; counts.taken += 1) {
          yield bytesOf([decisionOf()]);
          await onTaken(counts.taken);
        }
      } finally {
        counts.ended += 1;
      }
    },
  };
  return { source, counts };
}

test('no more than a few chunks are ahead of the reader', async () => {
  const sent: ToReader[] = [];
  const worker: LogWorker = {
    onmessage: null,
    onerror: null,
    postMessage: (one) => void sent.push(one),
    terminate() {},
  };
  const { source } = countingSource(100);
  const logs = createLogs(() => worker);
  logs.open(source);
  await expect.poll(() => sent.length).toBe(4);
  await turns(20);
  expect(sent).toHaveLength(4);
  worker.onmessage?.({ data: { type: 'pull' } } as MessageEvent<FromReader>);
  await expect.poll(() => sent.length).toBe(5);
});

test('closing stops the reader and the source', async () => {
  const { logs, workers } = openLogs();
  const never = new Promise(() => {});
  const { source, counts } = countingSource(1_000, (taken) => (taken === 10 ? never : undefined));
  let signal: AbortSignal | undefined;
  logs.open({
    ...source,
    read(given) {
      signal = given;
      return source.read();
    },
  });
  await expect.poll(() => counts.taken).toBe(10);
  logs.close();
  expect([logs.status.get().phase, workers[0]?.isTerminated(), signal?.aborted]).toEqual(['none', true, true]);
});

test('closing closes a source that waits for the reader', async () => {
  const worker: LogWorker = { onmessage: null, onerror: null, postMessage() {}, terminate() {} };
  const { source, counts } = countingSource(100);
  const logs = createLogs(() => worker);
  logs.open(source);
  await expect.poll(() => counts.taken).toBe(4);
  logs.close();
  await expect.poll(() => counts.ended).toBe(1);
  expect(counts.taken).toBe(4);
});

test('another log takes the place of one that is still read', async () => {
  const { logs, workers } = openLogs();
  const { source } = countingSource(1_000, () => new Promise(() => {}));
  logs.open(source);
  logs.open(fileSource(new File([bytesOf(lines) as BlobPart], 'second')));
  await phaseOf(logs, 'read');
  expect([readLog(logs).name, workers[0]?.isTerminated()]).toEqual(['second', true]);
});

test('a source that fails is shown with its own message, and so is a reader that stops', async () => {
  const { logs, workers } = openLogs();
  logs.open({
    name: 'broken',
    size: 10,
    async *read() {
      yield bytesOf([decisionOf()]);
      throw new Error('the disk is gone');
    },
  });
  await phaseOf(logs, 'failed');
  expect(logs.status.get()).toMatchObject({ name: 'broken', problem: 'the disk is gone' });
  expect(workers[0]?.isTerminated()).toBe(true);
  logs.open(countingSource(1_000, () => new Promise(() => {})).source);
  workers[1]?.onerror?.({} as ErrorEvent);
  expect(logs.status.get()).toMatchObject({ phase: 'failed', problem: expect.stringContaining('stopped') });
});
