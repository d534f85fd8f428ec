/**
 * Characters that many expressions treat differently: letters, digits, spaces, separators, controls, halves of code
 * points.
 */
const usual = ['a', 'A', '0', '_', ' ', '\n', '-', '.', '/', '%', '"', '\\', '&', '\0', 'é', '\ud83d', '\ude00'];

/** A recipe for a hostile text: a prefix, a repeated part, a suffix. */
export interface Recipe {
  readonly start: string;
  readonly pump: string;
  readonly end: string;
}

/** Creates a text of this many characters. */
const cook = ({ start, pump, end }: Recipe, length: number): string =>
  start + pump.repeat(Math.max(1, Math.floor((length - start.length - end.length) / pump.length))) + end;

/**
 * Candidates for the worst text of an expression: the characters it names, each two of its characters in turn, behind each
 * of its words, and an end that it may not expect.
 */
export function recipesFor(source: string): Recipe[] {
  const plain = source.replace(/\\[pPxu](\{\w+\}|\w{2,4})?|\\[bBdDsSwW]|[()[\]{}^$|?*+]/g, '\n');
  const words = [...new Set(plain.split('\n').map((part) => part.replaceAll('\\', '')))].filter(Boolean);
  const chars = [...new Set([...words.flatMap((word) => [...word]).slice(0, 8), ...usual])];
  const pairs = chars.slice(0, 10).flatMap((one) => chars.slice(0, 10).map((other) => one + other));
  const pumps = [...new Set([...chars, ...pairs, ...words])];
  const starts = ['', ...words.slice(0, 2), `a${words[0] ?? ''}`];
  return pumps.flatMap((pump) => starts.flatMap((start) => ['', '\n!'].map((end) => ({ start, pump, end }))));
}

/** The sizes, with the number of worst recipes that reach the next one. */
const sizes = [
  [1_024, 12],
  [65_536, 3],
  [2 ** 20, 1],
] as const;

/**
 * Finds the recipe with the slowest text of 1 MiB among those that were slowest for shorter texts; returns its
 * milliseconds.
 */
export async function findWorst(
  recipes: readonly Recipe[],
  work: (text: string) => unknown,
): Promise<{ readonly recipe: Recipe; readonly ms: number }> {
  let worst = recipes.map((recipe) => ({ recipe, ms: 0 }));
  for (const [length, kept] of sizes) {
    for (const one of worst) {
      const text = cook(one.recipe, length);
      // The faster of two runs, to exclude other load.
      one.ms = Math.min(await time(work, text), await time(work, text));
    }
    worst = worst.sort((one, other) => other.ms - one.ms).slice(0, kept);
  }
  const [{ recipe, ms } = { recipe: { start: '', pump: '', end: '' }, ms: 0 }] = worst;
  return { recipe, ms };
}

/** Returns milliseconds. Errors are ignored: most of these texts are rejected. */
async function time(work: (text: string) => unknown, text: string): Promise<number> {
  const started = performance.now();
  try {
    const done = work(text);
    if (done instanceof Promise) await done;
  } catch {}
  return performance.now() - started;
}

/** A recipe in words. */
export const describe = ({ start, pump, end }: Recipe): string =>
  [start && JSON.stringify(start), `${JSON.stringify(pump)}…`, end && JSON.stringify(end)].filter(Boolean).join(' ');
