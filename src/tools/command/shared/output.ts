import { printable } from '../../../base/lib/text/printable.js';
import type { Output, Surroundings } from './surroundings.js';

/** True if a stream is a terminal that interprets escape sequences. */
export const isTerminal = (output: Output, { env }: Surroundings): boolean =>
  output.isTTY === true && env.TERM !== 'dumb';

/** True if lines are colored: on a terminal, unless `NO_COLOR` is set. `FORCE_COLOR` overrides both, as in Node. */
export function isColored(surroundings: Surroundings): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no = '' } = surroundings.env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return no === '' && isTerminal(surroundings.stdout, surroundings);
}

/** Prints lines of the result. */
export const print = ({ stdout }: Surroundings, text: string): void => void stdout.write(`${text}\n`);

/** Prints a line beside the result: a warning, an error, or progress. */
export const warn = ({ stderr }: Surroundings, line: string): void =>
  void stderr.write(`arango-services: ${printable(line)}\n`);
