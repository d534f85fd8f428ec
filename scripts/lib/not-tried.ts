/** Prints in a frame what did not run, and why. Fails in CI, where all of it has to run. */
export function reportNotTried(...lines: readonly string[]): void {
  const frame = '!'.repeat(72);
  console.error([frame, ...lines.map((line) => `!! ${line}`), frame].join('\n'));
  if (process.env.CI) process.exitCode = 1;
}
