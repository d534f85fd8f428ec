import type { PermissionsState } from '../../../permissions/index.js';
import { knownGroupsOf } from '../../../permissions/model/known-owners.js';
import { shorten } from '../../../permissions/model/writable.js';
import { withoutEchoes } from '../../../permissions/plan/echoes.js';
import type { KnownParts } from '../../../policy/analysis/index.js';
import type { Questions } from '../../../policy/analysis/log/read-questions.js';
import { evaluationRules } from '../../../policy/model/fidelity.js';
import { nameFault } from '../../../policy/model/predefined-names.js';
import type { ConnectedDeployment } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { connecting } from '../shared/flags.js';
import { warn } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { readAsked } from './ask-command.js';
import { readKnownOwners } from './owners-command.js';
import { type LogGaps, readLogs, rulesOf } from './read-log.js';

/** A state, and the parts of the deployment that it holds: all of them if the state is that of files. */
interface KnownState {
  readonly state: PermissionsState;
  readonly known: KnownParts;
}

/** The questions of a log, the lines without one, and the state that they are about. */
export interface AskedLog extends KnownState {
  readonly questions: Questions;
  readonly gaps: LogGaps;
  /** The users whom the files, the flags or the last apply name. */
  readonly named: readonly string[];
}

/** The users of a log whose bindings the services can store, also those of lines that do not tell a decision. */
function usersOfLog({ questions, hidden }: Questions): string[] {
  const users = [...questions.map(({ subject }) => subject), ...hidden].map(({ user }) => user);
  const names = [...new Set(users)].filter((user) => typeof user === 'string');
  return names.filter((user) => nameFault(user) === undefined);
}

/** The groups of a log that the services can store. In a log of the services they are its roles. */
function groupsOfLog({ questions, hidden }: Questions): string[] {
  const names = [...questions.map(({ subject }) => subject), ...hidden].flatMap(({ roles = [] }) => roles);
  return [...new Set(names)].filter((group) => nameFault(group) === undefined);
}

const quoted = (names: readonly string[]): string => shorten(names.map((name) => JSON.stringify(name))).join(', ');

/** Finds out what was read of a deployment, and warns of the rest. */
function toKnown(read: PermissionsState, context: Context): KnownState {
  const { bindingsByName } = evaluationRules[rulesOf(context, read).fidelity ?? 'documented'];
  const state = bindingsByName ? withoutEchoes(read) : read;
  const { users = [], groups = [], roles = [], policies = [] } = state.unread ?? {};
  const lists = [
    ['bindings of user', users],
    ['bindings of group', groups],
    ['role', roles],
    ['policy', policies],
  ] as const;
  for (const [what, names] of lists) {
    if (names.length > 0)
      warn(context.surroundings, `not known: ${what} ${quoted(names)}; what depends on it is not decided`);
  }
  return { state, known: { users: state.users, groups: knownGroupsOf(state), unread: state.unread } };
}

/**
 * Reads the logs of `--log`, and the state that a subcommand is about: of a deployment with the bindings of all users
 * whom the log names, as the services cannot list users.
 * @param allowUnread true to leave out what the token may not read, with a warning.
 * @throws UsageError if a log is missing or cannot be read, or none holds decisions.
 */
export async function readAskedLog(context: Context, allowUnread = true): Promise<AskedLog> {
  const { log } = context.flags;
  if (log === undefined) throw new UsageError({ where: '--log', message: 'is missing: expected a file' });
  const hasDeployment = connecting.some((name) => context.flags[name] !== undefined);
  // A file is read first, so that its mistakes are found before a long log is read.
  const inFile = hasDeployment ? undefined : await readAsked(context, () => ({ users: [], groups: [] }));
  const { questions, gaps } = await readLogs(context, log);
  if (inFile) return { questions, gaps, named: inFile.users === 'all' ? [] : inFile.users, state: inFile, known: {} };
  const { users: named, groups } = await readKnownOwners(context);
  const owners = {
    users: [...new Set([...named, ...usersOfLog(questions)])],
    groups: [...new Set([...groups, ...groupsOfLog(questions)])],
  };
  return { questions, gaps, named, ...toKnown(await readAsked(context, () => owners, allowUnread), context) };
}

/** Adds the bindings of those users and groups of a log that a state of a deployment does not know. */
export async function addOwnersOfLog(
  state: PermissionsState,
  questions: Questions,
  deployment: ConnectedDeployment,
  context: Context,
): Promise<KnownState> {
  if (state.users === 'all') return { state, known: {} };
  const knownGroups = knownGroupsOf(state);
  const hasAll = typeof knownGroups !== 'object';
  const [ofUsers, ofGroups] = [new Set(state.users), new Set(hasAll ? [] : knownGroups)];
  const others = {
    users: usersOfLog(questions).filter((user) => !ofUsers.has(user)),
    groups: hasAll ? [] : groupsOfLog(questions).filter((group) => !ofGroups.has(group)),
  };
  const { bindings, users, groups, groupBindings = [], unread } = await deployment.readBindings(others);
  const whole = {
    ...state,
    bindings: [...state.bindings, ...bindings],
    users: [...state.users, ...users],
    groupBindings: [...(state.groupBindings ?? []), ...groupBindings],
    groups: hasAll ? knownGroups : groups === 'none' ? groups : [...knownGroups, ...(groups ?? [])],
    unread,
  };
  return toKnown(whole, context);
}
