/** Runs work whose failure must not reach the caller: a throw or a rejection gives undefined. */
export const quietly = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
