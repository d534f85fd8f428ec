import { printable } from '../../lib/printable.js';
import { formatPlan, type Plan } from '../../permissions/index.js';
import type { Output, Surroundings } from '../surroundings.js';
import type { Flags } from './flags.js';

const colors: Readonly<Record<string, string>> = { '+': '32', '~': '33', '-': '31' };

/** True if a stream is a terminal that interprets escape sequences. */
export const isTerminal = (output: Output, { env }: Surroundings): boolean =>
  output.isTTY === true && env.TERM !== 'dumb';

/** Colors the lines of a plan on a terminal, unless `NO_COLOR` is set. */
function colorLines(text: string, surroundings: Surroundings): string {
  const { stdout, env } = surroundings;
  if (!isTerminal(stdout, surroundings) || (env.NO_COLOR ?? '') !== '') return text;
  return text.replace(/^( *)([+~-]) .*$/gm, (line, _space, sign: string) => `\x1b[${colors[sign]}m${line}\x1b[0m`);
}

/** Prints lines of the result. */
export const print = ({ stdout }: Surroundings, text: string): void => void stdout.write(`${text}\n`);

/** Prints a line beside the result: a warning, an error, or progress. */
export const warn = ({ stderr }: Surroundings, line: string): void =>
  void stderr.write(`arango-services: ${printable(line)}\n`);

/** Prints a plan as text, in color on a terminal, or as JSON. */
export const printPlan = (plan: Plan, { json }: Flags, surroundings: Surroundings): void =>
  print(surroundings, json ? formatPlan(plan, 'json') : colorLines(formatPlan(plan), surroundings));
