import type { PermissionsState } from '../../../permissions/index.js';
import { connect, type Owners } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { connecting, owning } from '../shared/flags.js';
import { UsageError } from '../shared/usage-error.js';
import { readDesired } from './make-plan.js';

const inDeployment = [...owning, 'concurrency'] as const;

/**
 * Reads the state that a question is about: of a deployment if a flag names one, else of the file.
 * @param ownersOf returns the users and groups whose bindings are read from a deployment.
 * @param allowUnread true to leave out what the token may not read.
 * @param ofDeployment the flags that are of no use without a deployment.
 */
export async function readAsked(
  context: Context,
  ownersOf: () => Owners | Promise<Owners>,
  allowUnread = false,
  ofDeployment: readonly (typeof inDeployment)[number][] = inDeployment,
): Promise<PermissionsState> {
  const { flags } = context;
  if (connecting.every((name) => flags[name] === undefined)) {
    const unused = ofDeployment.filter((name) => flags[name] !== undefined);
    if (unused.length === 0) return readDesired(context);
    throw new UsageError(...unused.map((name) => ({ where: `--${name}`, message: 'needs a deployment; see --url' })));
  }
  const owners = await ownersOf();
  await using deployment = await connect(context);
  // Awaited here: the deployment is closed at the end.
  return await deployment.readAsked(owners, allowUnread);
}

/**
 * Reads the state that a question about one user is about.
 * @throws UsageError for a file beside a deployment: only one of them can answer.
 */
export async function readAskedOf(user: string, context: Context): Promise<PermissionsState> {
  const { flags } = context;
  const deployment = connecting.find((name) => flags[name] !== undefined);
  const file = (['file', 'deployment'] as const).find((name) => flags[name] !== undefined);
  if (deployment !== undefined && file !== undefined) {
    throw new UsageError({ where: `--${file}`, message: `cannot be combined with --${deployment}` });
  }
  // `--groups` names the user's groups, over files as well as over a deployment.
  return readAsked(context, () => ({ users: [user], groups: flags.groups ?? [] }), false, ['concurrency']);
}
