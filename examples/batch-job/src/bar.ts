/** A function that draws a bar: on a terminal in place, elsewhere one line for each tenth. */
export function createBar({ isTTY, write }: { isTTY?: boolean; write: (text: string) => unknown }) {
  let last = -1;
  return (fraction: number): void => {
    const percent = Math.floor(fraction * 100);
    const step = isTTY ? percent : Math.floor(percent / 10);
    if (step === last) return;
    last = step;
    const bar = '#'.repeat(percent / 5).padEnd(20, '.');
    write(isTTY ? `\r[${bar}] ${percent} %${percent === 100 ? '\n' : ''}` : `[${bar}] ${percent} %\n`);
  };
}
