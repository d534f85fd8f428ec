import { printable } from '../../lib/printable.js';
import type { ApplyProgress, Change } from '../../permissions/index.js';
import { describeItem } from '../../permissions/model/change.js';
import { isTerminal } from '../shared/output.js';
import type { Surroundings } from '../shared/surroundings.js';

/** The progress of an apply. */
export interface Progress {
  update(progress: ApplyProgress): void;
  /** Ends the line of the bar. */
  end(): void;
}

const barWidth = 20;
const redrawMs = 50;
const mostLines = 100;

/** The time that is left if the rest takes as long as what was done. */
function formatLeft(done: number, total: number, elapsedMs: number): string {
  if (done === 0) return '';
  const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${seconds % 60} s left` : `${seconds} s left`;
}

/** A bar on one line that is drawn again and again. */
function bar({ stderr }: Surroundings, total: number, now: () => number): Progress {
  const start = now();
  let drawn = Number.NEGATIVE_INFINITY;
  const draw = (done: number, what: string): void => {
    const full = Math.floor((done / total) * barWidth);
    const percent = `${Math.floor((done / total) * 100)}%`.padStart(4);
    const parts = [
      `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`,
      `${done}/${total}`,
      percent,
      formatLeft(done, total, now() - start),
      printable(what),
    ];
    const width = (stderr.columns || 80) - 1;
    stderr.write(`\r${parts.filter(Boolean).join('  ').slice(0, width)}\x1b[K`);
  };
  draw(0, '');
  return {
    update({ done, change }) {
      if (done < total && now() - drawn < redrawMs) return;
      drawn = now();
      draw(done, describeItem(change));
    },
    end: () => void stderr.write('\n'),
  };
}

const verbs: Readonly<Record<Change['action'], string>> = { create: 'created', update: 'updated', delete: 'deleted' };

/** A line for each call, or for every hundredth part of many. */
function lines({ stderr }: Surroundings, total: number): Progress {
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
  isTerminal(surroundings.stderr, surroundings) ? bar(surroundings, total, now) : lines(surroundings, total);
