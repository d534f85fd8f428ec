import { type Usage, usage } from '../../analysis/index.js';
import { printable } from '../../lib/printable.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { formatExtent } from './format-log.js';
import { askLog, rulesOf } from './read-log.js';

const unusedOf = ({ statements, policies, roles, bindings }: Usage): string[] => {
  const whole = new Set(policies);
  const quote = (text: string) => JSON.stringify(text);
  return [
    ...policies.map((name) => `policy ${quote(name)}`),
    ...statements
      .filter(({ policy }) => !whole.has(policy))
      .map(({ policy, statement }) => `policy ${quote(policy)} statement ${statement + 1}`),
    ...roles.map((name) => `role ${quote(name)}`),
    ...bindings.map(({ user, role }) => `binding of user ${quote(user)} to role ${quote(role)}`),
  ];
};

/** `permissions usage --log <file>`: the parts of the state that decided no question of a log. */
export const findUnused: Run = async (context) => {
  const { flags, surroundings } = context;
  const { answer } = await askLog(context, (log, state) => usage(log, state, rulesOf(context, state)));
  const unused = unusedOf(answer);
  if (flags.json) print(surroundings, JSON.stringify(answer));
  else {
    const title =
      unused.length > 0 ? `Decided nothing since ${answer.log.firstSeen}:` : 'Every part decided something.';
    for (const line of [formatExtent(answer.log), title, ...unused]) print(surroundings, printable(line));
  }
  return unused.length > 0 ? exitCodes.changes : exitCodes.done;
};
