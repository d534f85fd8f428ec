/**
 * Runs checks one after the other, prints one line for each, and ends the program with exit code 1 where one found
 * something.
 */
export class Checks {
  readonly #title: string;
  readonly #failures: string[] = [];

  constructor(title: string) {
    this.#title = title;
  }

  /** Runs one check; its result or its error is the finding. */
  async run(name: string, find: () => Promise<readonly string[]>): Promise<void> {
    const started = performance.now();
    const found = await find().catch((error: unknown) => [String(error)]);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
    this.#failures.push(...found.map((problem) => `${name}: ${problem}`));
  }

  /** True if a check found something. */
  get hasFailed(): boolean {
    return this.#failures.length > 0;
  }

  /** Prints the findings. */
  end(): void {
    if (this.#failures.length === 0) return;
    console.error(`\n${this.#title} failed:\n${this.#failures.map((failure) => `- ${failure}`).join('\n')}`);
    process.exitCode = 1;
  }
}
