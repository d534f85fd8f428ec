import { printable } from '../../../base/lib/text/printable.js';
import type { ApplyProgress, PlanChange } from '../../../permissions/index.js';
import { describeItem } from '../../../permissions/model/plan-change.js';
import { isTerminal } from '../shared/output.js';
import { createThrottle, drawBar, eraseRest } from '../shared/progress-bar.js';
import type { Surroundings } from '../shared/surroundings.js';

/** The progress of an apply. */
export interface Progress {
  update(progress: ApplyProgress): void;
  /** Ends the line of the bar. */
  end(): void;
}

const mostLines = 100;

/** The progress of an apply as a bar. */
function bar(surroundings: Surroundings, total: number, now: () => number): Progress {
  const draw = drawBar(surroundings, total, now);
  const isDue = createThrottle(now);
  draw(0, '');
  return {
    update({ done, change }) {
      if (done >= total || isDue()) draw(done, describeItem(change));
    },
    end: () => void surroundings.stderr.write('\n'),
  };
}

/** The progress of reading a file. */
export interface ReadingProgress {
  /** Adds bytes that were read. */
  add(bytes: number): void;
  /** Erases the line. */
  end(): void;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Shows on a terminal how much of a file, or of a stream of unknown size, was read; nothing elsewhere. */
export function showReading(
  surroundings: Surroundings,
  size: number | undefined,
  now = () => performance.now(),
): ReadingProgress {
  const { stderr } = surroundings;
  if (!isTerminal(stderr, surroundings)) return { add() {}, end() {} };
  const draw = size ? drawBar(surroundings, size, now, megabytes) : undefined;
  const isDue = createThrottle(now);
  let done = 0;
  return {
    add(bytes) {
      done += bytes;
      if (!isDue()) return;
      if (draw) draw(Math.min(done, size ?? 0), '');
      else stderr.write(`\r${megabytes(done)} read${eraseRest}`);
    },
    end: () => void stderr.write(`\r${eraseRest}`),
  };
}

const verbs: Readonly<Record<PlanChange['action'], string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
};

/** A line for each call, or for every hundredth part of many. */
function progressLines({ stderr }: Surroundings, total: number): Progress {
  const step = Math.max(1, Math.floor(total / mostLines));
  return {
    update({ done, change, wrote }) {
      if (done % step !== 0 && done < total) return;
      const what = wrote ? verbs[change.action] : 'was done already';
      stderr.write(`${done}/${total} ${printable(describeItem(change))} ${what}\n`);
    },
    end() {},
  };
}

/** Shows progress on stderr: a bar on a terminal, lines elsewhere. */
export const showProgress = (surroundings: Surroundings, total: number, now = () => performance.now()): Progress =>
  isTerminal(surroundings.stderr, surroundings) ? bar(surroundings, total, now) : progressLines(surroundings, total);
