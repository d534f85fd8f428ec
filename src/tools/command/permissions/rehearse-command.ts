import { readHomes } from '../../../permissions/files/item-homes.js';
import type { PermissionsState } from '../../../permissions/index.js';
import { bindingKey } from '../../../permissions/model/binding-key.js';
import { toMarkdown } from '../../../permissions/plan/to-markdown.js';
import type { GrantingChange } from '../../../policy/analysis/index.js';
import { readEnforced, rehearseQuestions } from '../../../policy/analysis/log/rehearse.js';
import type { Binding } from '../../../policy/index.js';
import type { Context, RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print, printChanges } from '../shared/output.js';
import { defaultFile } from '../shared/read-files.js';
import { formatRehearsal, summaryOf } from './format-rehearsal.js';
import { readAskedLog } from './log-state.js';
import { warnOfOmitted } from './omitted.js';
import { rulesOf } from './read-log.js';
import { describeWritten, isEdited, writeProposal } from './write-proposal.js';

/** Adds the items of a change to a state. The others stay as they are, such as policies that cannot be parsed. */
function withChange(source: PermissionsState, { items, state }: GrantingChange): PermissionsState {
  const [policies, roles] = [new Map(source.policies), new Map(source.roles)];
  const bindings = new Map(source.bindings.map((binding): [string, Binding] => [bindingKey(binding), binding]));
  const after = new Map(state.bindings().map((binding): [string, Binding] => [bindingKey(binding), binding]));
  const keep = <T>(map: Map<string, T>, key: string, value: T | undefined): void => {
    if (value !== undefined) map.set(key, value);
  };
  for (const item of items) {
    if (item.kind === 'policy') keep(policies, item.name, state.policy(item.name));
    else if (item.kind === 'role') keep(roles, item.name, state.role(item.name));
    else keep(bindings, bindingKey(item), after.get(bindingKey(item)));
  }
  return { ...source, policies, roles, bindings: [...bindings.values()] };
}

/** Names new items so that a file owns them, if the state is that of files. */
async function namesOf({ flags, inputs }: Context, state: PermissionsState) {
  if (!('manage' in state)) return undefined;
  const { file, ...access } = inputs.permissions('--file', flags.file ?? defaultFile);
  return (await readHomes(file, access))?.namesFor;
}

/** `permissions rehearse --log <file>`: the requests of a log that enforcing the state would deny. */
export const rehearseLog: RunSubcommand = async (context) => {
  const { flags, surroundings } = context;
  // First, so that a flag that is refused does not wait for a long log.
  const isInPlace = await isEdited(context);
  const { questions, gaps, state, known, named } = await readAskedLog(context);
  const evaluator = readEnforced(state, rulesOf(context, state));
  const { generalise, 'max-work': maxWork, 'include-unknown': isOpen } = flags;
  const grantTo = isOpen ? undefined : [...named, ...state.bindings.map(({ user }) => user)];
  const options = { generalise, maxWork, grantTo, namesFor: await namesOf(context, state) };
  const rehearsal = rehearseQuestions(questions, evaluator, { ...options, ...known });
  const { change, denied, undecided } = rehearsal;
  if (flags.json) {
    const { items, access, isExact } = change;
    print(surroundings, JSON.stringify({ ...rehearsal, change: { items, ...access, isExact }, ...gaps }));
  } else {
    const lines = formatRehearsal(rehearsal, evaluator.fidelity);
    const summary = summaryOf(rehearsal);
    if (flags.markdown) print(surroundings, toMarkdown(summary, lines));
    else printChanges(surroundings, [summary, ...lines].join('\n'));
  }
  if (flags.out !== undefined) {
    const desired = withChange(state, change);
    const written = await writeProposal(context, flags.out, { isInPlace, desired, source: state });
    if (!flags.json) print(surroundings, `\n${describeWritten(written, flags.out)}`);
    warnOfOmitted(written.omitted, surroundings);
  }
  return denied.count + undecided.count > 0 ? exitCodes.changes : exitCodes.done;
};
