/** Does what must not fail its caller: what it throws, or rejects with, counts as undefined. */
export const quietly = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
