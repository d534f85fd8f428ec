import { useState } from 'preact/hooks';
import { messageOf } from './use-loaded.js';

/** Runs actions, and keeps the message of the last failure. */
export function useAction() {
  const [problem, setProblem] = useState<string>();
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    setProblem(undefined);
    try {
      await action();
      return true;
    } catch (error) {
      setProblem(messageOf(error));
      return false;
    }
  };
  return { problem, run };
}
