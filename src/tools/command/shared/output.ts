import { escapeUnprintable, printable } from '../../../base/lib/text/printable.js';
import type { Output, Surroundings } from './surroundings.js';

/** True if a stream is a terminal that interprets escape sequences. */
export const isTerminal = (output: Output, { env }: Surroundings): boolean =>
  output.isTTY === true && env.TERM !== 'dumb';

/** True if lines are colored: on a terminal, unless `NO_COLOR` is set. `FORCE_COLOR` overrides both, as in Node. */
function isColored(surroundings: Surroundings): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no = '' } = surroundings.env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return no === '' && isTerminal(surroundings.stdout, surroundings);
}

/** Writes lines of the result. What a terminal would obey is escaped, also in JSON and YAML. */
export const write = ({ stdout }: Surroundings, text: string): void => void stdout.write(escapeUnprintable(text));

/** Prints lines of the result. */
export const print = (surroundings: Surroundings, text: string): void => write(surroundings, `${text}\n`);

const colors: Readonly<Record<string, string>> = { '+': '32', '~': '33', '-': '31' };

/** Prints lines of changes, in color on a terminal. */
export function printChanges(surroundings: Surroundings, text: string): void {
  if (!isColored(surroundings)) return void print(surroundings, text);
  const colored = escapeUnprintable(text).replace(
    /^( *)([+~-]) .*$/gm,
    (line, _space, sign: string) => `\x1b[${colors[sign]}m${line}\x1b[0m`,
  );
  surroundings.stdout.write(`${colored}\n`);
}

/** Prints a line beside the result: a warning, an error, or progress. */
export const warn = ({ stderr }: Surroundings, line: string): void =>
  void stderr.write(`arango-services: ${printable(line)}\n`);
