import { InvalidArgumentError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import { readFields } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type { Platform } from '../platform.js';
import type { EndedEvent, Watcher } from '../wire/mock-events.js';
import { createBatchLog } from './batch-lines.js';
import { logChange } from './change-lines.js';
import { logDecision } from './decision-lines.js';
import { type PlatformLogOptions, readPlatformLogOptions } from './platform-log-options.js';
import { formatJson, formatPretty, type Log, levels } from './zerolog.js';

// The lines of the recorded services: test/vectors/logs has recordings. What they leave open follows its source
// (integrations/authorization/v1 and pkg/sidecar/services/authorization).

/** The JSON object that a service answered; empty for any other body. */
function bodyOf({ response: { body } }: EndedEvent): Readonly<Record<string, unknown>> {
  if (typeof body !== 'string') return {};
  const value: unknown = JSON.parse(body);
  return isObject(value) ? value : {};
}

/**
 * Writes the lines that the services of a deployment write.
 * @returns a function that stops it.
 * @throws InvalidArgumentError for invalid options, and in documented fidelity.
 */
export function startPlatformLog(platform: Platform, options: PlatformLogOptions): () => void {
  const { write, format, level: least } = readFields(options, 'options', readPlatformLogOptions);
  if (!platform.fidelity.hasLog) {
    throw new InvalidArgumentError('fidelity', 'expected "sidecar" for the log of the platform, got "documented"');
  }
  const lowest = levels.indexOf(least);
  const formatLine = format === 'json' ? formatJson : formatPretty;
  const log: Log = (level, fields, message) => {
    if (levels.indexOf(level) < lowest) return;
    const time = `${new Date(platform.clock.now()).toISOString().slice(0, 19)}Z`;
    const line = formatLine({ level, time, fields, message });
    void quietly(() => write(line));
  };
  const isDebug = lowest === 0 && platform.version.logsEvaluations;
  const batches = isDebug ? createBatchLog(platform, log) : undefined;
  const watch: Watcher = (event, exchange) => {
    if (event.kind === 'decided') {
      batches?.before(event, exchange);
      logDecision(event, platform, log, isDebug);
      batches?.after(event, exchange);
      return;
    }
    const { status } = event.response;
    if (exchange.family !== 'services') return;
    if (status === 200) logChange(exchange, log);
    batches?.end(status, bodyOf(event), exchange);
  };
  // A log never changes an answer.
  const watcher: Watcher = (event, exchange) => void quietly(() => watch(event, exchange));
  platform.watchers.add(watcher);
  return () => void platform.watchers.delete(watcher);
}
