import { readParameters } from '../../../base/openapi-document/document-parameters.js';
import { readPaths } from '../../../base/openapi-document/document-paths.js';
import { usualStyle } from '../../../base/openapi-document/parameter-style.js';
import { readArguments } from '../shared/arguments.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { formatSubcommandHelp } from '../shared/help.js';
import { Inputs } from '../shared/inputs.js';
import { print } from '../shared/output.js';
import { readDocumentWith } from '../shared/read-document.js';
import { report } from '../shared/report-failure.js';
import type { Subcommand } from '../shared/subcommand.js';
import type { Surroundings } from '../shared/surroundings.js';

/** The form of the command, as of a subcommand of `permissions`. */
const form: Omit<Subcommand, 'load'> = {
  whole: 'arango-services parameters',
  summary: 'prints the table of parameter styles of an OpenAPI document, for typed(route, { parameters })',
  operands: ['<openapi.json>'],
  readsOperands: true,
  flags: [],
  exits: 'Exit code: 0 when printed, 1 if it failed, 64 for a document that cannot be read or has another style.',
};

/** The styles of a document's parameters that are not the default of their place, by operation, place and name. */
export function stylesOf(document: unknown): Record<string, Record<string, Record<string, string>>> {
  const operations = readPaths(document).flatMap(({ path, item, operations }) =>
    [...operations.keys()].flatMap((method) => {
      const key = `${method.toUpperCase()} ${path}`;
      // The cast: `readPaths` has checked that operations are objects.
      const operation = item[method] as Readonly<Record<string, unknown>>;
      const styled = readParameters(document, key, item.parameters ?? [], operation.parameters ?? []).filter(
        ({ in: place, style }) => style !== usualStyle(place),
      );
      const places = Array.from(
        Map.groupBy(styled, (one) => one.in),
        ([place, all]) => [place, Object.fromEntries(all.map(({ name, style }) => [name, style]))] as const,
      );
      return places.length === 0 ? [] : [[key, Object.fromEntries(places)] as const];
    }),
  );
  return Object.fromEntries(operations);
}

async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, 'parameters', form);
  if (flags.help) {
    print(surroundings, formatSubcommandHelp('parameters', form));
    return exitCodes.done;
  }
  const styles = await readDocumentWith({ operands, inputs: new Inputs(surroundings) }, stylesOf);
  print(
    surroundings,
    `// Written by \`arango-services parameters\`; do not edit.
import { parameterTable } from 'arango-services/openapi';

export const parameters = parameterTable(${JSON.stringify(styles, null, 2)});`,
  );
  return exitCodes.done;
}

/**
 * Runs `arango-services parameters <openapi.json>`.
 * @param args the arguments behind `parameters`.
 */
export const runParameters = (args: readonly string[], surroundings: Surroundings): Promise<ExitCode> =>
  run(args, surroundings).catch((error: unknown) => report(error, surroundings));
