// Stands in for vitest outside its runner: its own `expect`, and the one helper of `vi` that the suites use.
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import * as chai from 'chai';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

/** The `expect` of vitest. */
export const expect = chai.expect;

export const vi = {
  /** Calls `check` until it does not throw, every `interval` milliseconds, for at most `timeout`. */
  async waitFor(check: () => unknown, { timeout, interval }: { timeout: number; interval: number }): Promise<void> {
    for (const end = Date.now() + timeout; ; ) {
      try {
        await check();
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, interval));
      }
    }
  },
};
