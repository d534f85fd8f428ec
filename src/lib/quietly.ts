/** Runs work and ignores its failure: returns undefined for a throw or a rejection. */
export const quietly = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
