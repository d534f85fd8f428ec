/** Runs work and ignores its failure: returns undefined for a throw or a rejection. */
export const quietly = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
