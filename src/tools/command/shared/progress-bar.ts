import { printable } from '../../../base/lib/text/printable.js';
import type { PermissionKind, ReadStateProgress } from '../../../permissions/index.js';
import { isTerminal } from './output.js';
import type { Surroundings } from './surroundings.js';

const barWidth = 20;
const redrawMs = 50;
/** Erases the rest of a line. */
export const eraseRest = '\x1b[K';

/** The time that is left if the rest takes as long as what was done. */
function formatLeft(done: number, total: number, elapsedMs: number): string {
  if (done === 0) return '';
  const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${seconds % 60} s left` : `${seconds} s left`;
}

/** Draws a bar on one line, again and again; `amount` formats a number of the counted things. */
export function drawBar(
  { stderr }: Surroundings,
  total: number,
  now: () => number,
  amount: (count: number) => string = String,
) {
  const start = now();
  return (done: number, what: string): void => {
    const full = Math.floor((done / total) * barWidth);
    const percent = `${Math.floor((done / total) * 100)}%`.padStart(4);
    const parts = [
      `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`,
      `${amount(done)}/${amount(total)}`,
      percent,
      formatLeft(done, total, now() - start),
      printable(what),
    ];
    const width = (stderr.columns || 80) - 1;
    stderr.write(`\r${parts.filter(Boolean).join('  ').slice(0, width)}${eraseRest}`);
  };
}

/** Creates a function that is true at most once in a while. */
export function createThrottle(now: () => number): () => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const isDue = now() - last >= redrawMs;
    if (isDue) last = now();
    return isDue;
  };
}

/** Fewer items are read at once. */
const fewestShown = 50;

const nouns: Readonly<Record<PermissionKind, string>> = {
  binding: 'bindings of users',
  role: 'roles',
  policy: 'policies',
};

/** The progress of reading a deployment. */
export interface StateProgress {
  update(progress: ReadStateProgress): void;
  /** Erases the line. */
  end(): void;
}

/** Shows on a terminal how much of a deployment was read, one kind of items after the other; nothing elsewhere. */
export function showState(surroundings: Surroundings, now = () => performance.now()): StateProgress {
  const { stderr } = surroundings;
  if (!isTerminal(stderr, surroundings)) return { update() {}, end() {} };
  const isDue = createThrottle(now);
  let bar: { readonly kind: PermissionKind; readonly draw: ReturnType<typeof drawBar> } | undefined;
  return {
    update({ kind, done, total }) {
      if (total < fewestShown) return;
      if (bar?.kind !== kind) bar = { kind, draw: drawBar(surroundings, total, now) };
      if (isDue()) bar.draw(done, nouns[kind]);
    },
    end: () => void (bar && stderr.write(`\r${eraseRest}`)),
  };
}
