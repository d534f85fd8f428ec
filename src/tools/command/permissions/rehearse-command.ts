import type { PermissionsState } from '../../../permissions/index.js';
import { bindingKey } from '../../../permissions/model/binding-key.js';
import { toMarkdown } from '../../../permissions/plan/to-markdown.js';
import type { GrantingChange } from '../../../policy/analysis/index.js';
import { readEnforced, rehearseQuestions } from '../../../policy/analysis/log/rehearse.js';
import type { Binding } from '../../../policy/index.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print, printChanges } from '../shared/output.js';
import { formatFile } from './format-file.js';
import { formatRehearsal, summaryOf } from './format-rehearsal.js';
import { readAskedLog } from './log-state.js';
import { warnOfOmitted } from './omitted.js';
import { rulesOf } from './read-log.js';
import { createFile } from './write-file.js';

/** Adds the items of a change to a state. The others stay as they are, such as policies that cannot be parsed. */
function withChange(given: PermissionsState, { items, state }: GrantingChange): PermissionsState {
  const [policies, roles] = [new Map(given.policies), new Map(given.roles)];
  const bindings = new Map(given.bindings.map((binding): [string, Binding] => [bindingKey(binding), binding]));
  const after = new Map(state.bindings().map((one): [string, Binding] => [bindingKey(one), one]));
  const keep = <T>(map: Map<string, T>, key: string, value: T | undefined): void => {
    if (value !== undefined) map.set(key, value);
  };
  for (const item of items) {
    if (item.kind === 'policy') keep(policies, item.name, state.policy(item.name));
    else if (item.kind === 'role') keep(roles, item.name, state.role(item.name));
    else keep(bindings, bindingKey(item), after.get(bindingKey(item)));
  }
  return { ...given, policies, roles, bindings: [...bindings.values()] };
}

/** `permissions rehearse --log <file>`: the requests of a log that enforcing the state would deny. */
export const rehearseLog: Run = async (context) => {
  const { flags, surroundings } = context;
  const { questions, gaps, state, known } = await readAskedLog(context);
  const evaluator = readEnforced(state, rulesOf(context, state));
  const { generalise, 'max-work': maxWork } = flags;
  const rehearsal = rehearseQuestions(questions, evaluator, { generalise, maxWork, ...known });
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
    const { text, omitted } = formatFile(withChange(state, change), state);
    await createFile(flags.out, text);
    if (!flags.json) print(surroundings, `\nWrote ${flags.out}; plan and diff compare it.`);
    warnOfOmitted(omitted, surroundings);
  }
  return denied.count + undecided.count > 0 ? exitCodes.changes : exitCodes.done;
};
