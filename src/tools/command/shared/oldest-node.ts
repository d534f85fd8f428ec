/** The oldest version of Node that the command runs on: that of `engines` in package.json. */
export const oldestNode = '22.12';

/**
 * Returns what is wrong with a version of Node that is too old; undefined if it is new enough, or is another runtime,
 * which only says which Node it resembles.
 */
export function nodeProblem({ node, bun, deno }: Readonly<Record<string, string | undefined>>): string | undefined {
  if (node === undefined || bun !== undefined || deno !== undefined) return undefined;
  const [current = 0, oldest = 0] = [node, oldestNode].map((version) => {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    return major * 1_000 + minor;
  });
  return current < oldest ? `Node ${oldestNode} or later is needed, this is ${node}` : undefined;
}
