import { readParameters } from '../../../base/openapi-document/document-parameters.js';
import { readPaths } from '../../../base/openapi-document/document-paths.js';
import { usualStyle } from '../../../base/openapi-document/parameter-style.js';
import type { Context } from '../shared/context.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { readDocumentWith } from '../shared/read-document.js';
import { runnerOf } from '../shared/run-subcommand.js';
import type { Subcommand } from '../shared/subcommand.js';

/** The form of the command, as of a subcommand of `permissions`. */
const form: Subcommand = {
  whole: 'arango-services parameters',
  summary: 'prints the table of parameter styles of an OpenAPI document, for typed(route, { parameters })',
  operands: ['<openapi.json>'],
  readsOperands: true,
  load: async () => run,
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
        Map.groupBy(styled, (parameter) => parameter.in),
        ([place, all]) => [place, Object.fromEntries(all.map(({ name, style }) => [name, style]))] as const,
      );
      return places.length === 0 ? [] : [[key, Object.fromEntries(places)] as const];
    }),
  );
  return Object.fromEntries(operations);
}

async function run({ surroundings, ...context }: Context): Promise<ExitCode> {
  const styles = await readDocumentWith(context, stylesOf);
  print(
    surroundings,
    `// Written by \`arango-services parameters\`; do not edit.
import { parameterTable } from 'arango-services/openapi/parameters';

export const parameters = parameterTable(${JSON.stringify(styles, null, 2)});`,
  );
  return exitCodes.done;
}

/** Runs `arango-services parameters <openapi.json>`. */
export const runParameters = runnerOf('parameters', form);
