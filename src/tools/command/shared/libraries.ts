/**
 * Loads the entries of the package that connect to a deployment. By dynamic import, so that the build leaves each in
 * its own file, instead of one more that the entry would have to load.
 */
export async function loadLibraries() {
  const [{ createClient, credentials }, { fromEnv, superuser, tokenFile }] = await Promise.all([
    import('../../../index.js'),
    import('../../../client/node/index.js'),
  ]);
  return { createClient, credentials, fromEnv, superuser, tokenFile };
}

export type Libraries = Awaited<ReturnType<typeof loadLibraries>>;
