import { createInterface } from 'node:readline';
import type { Surroundings } from '../shared/surroundings.js';

/** True if a question can be asked: a terminal for the question, and one for the answer. */
export const canAsk = ({ stdin, stderr }: Surroundings): boolean => stdin.isTTY === true && stderr.isTTY === true;

/**
 * Asks a question on the terminal. Only "yes" agrees; an end of the input does not.
 * @throws the reason of the signal, if it aborts first.
 */
export async function agree(question: string, { stdin, stderr, signal }: Surroundings): Promise<boolean> {
  stderr.write(question);
  // With `terminal: true` readline would read Ctrl-C as a key; so it stays a signal.
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    const answer = await new Promise<string | undefined>((resolve, reject) => {
      lines.once('line', resolve).once('close', () => resolve(undefined));
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
    return answer?.trim().toLowerCase() === 'yes';
  } catch (error) {
    stderr.write('\n');
    throw error;
  } finally {
    lines.close();
    stdin.pause();
  }
}
