/** The gRPC packages, with the expected major version. */
const packages = ['@connectrpc/connect@2', '@connectrpc/connect-node@2', '@bufbuild/protobuf@2'];

export type PeerImports = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Loads a module that needs the gRPC packages, which are optional peers.
 * @param imports the packages that may be missing.
 * @throws Error naming the missing packages and the command that installs them; any other loading error is rethrown.
 */
export async function loadWithPeers<T>(
  load: () => Promise<T>,
  imports: PeerImports,
  toError: (message: string) => Error,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const names = Object.keys(imports);
    const loads = await Promise.allSettled(names.map((name) => imports[name]?.()));
    const missing = names.filter((_, i) => loads[i]?.status === 'rejected');
    if (missing.length === 0) throw error;
    const are = missing.length === 1 ? 'is' : 'are';
    throw toError(`${missing.join(', ')} ${are} not installed: npm install ${packages.join(' ')}`);
  }
}
