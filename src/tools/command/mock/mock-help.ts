import { flagRows, type MockFlag } from '../../../mock/config/mock-flags.js';

/** The part of the database that the mock serves, in one line. */
export const ofDatabase =
  'of the database: logins at /_open/auth, version, database names, your user; no documents, no AQL (see mock.route)';

/** A flag with its alias and value, as `--help` shows it. */
function flagUsage(name: string, { takes, value, short }: MockFlag): string {
  const letter = short === undefined ? '' : `-${short}, `;
  const behind = takes === 'switch' ? '[=true|false]' : value === undefined ? '' : ` ${value}`;
  return `${letter}--${name}${behind}`;
}

function describeFlags(rows: typeof flagRows): string {
  const width = Math.max(...rows.map(([name, flag]) => flagUsage(name, flag).length));
  return rows
    .map(([name, flag]) => {
      const { help = '', otherwise } = flag;
      const text = otherwise === undefined ? help : `${help} (default ${otherwise})`;
      return `  ${flagUsage(name, flag).padEnd(width)}  ${text}`.trimEnd();
    })
    .join('\n');
}

/** The text of `--help`. */
export function formatHelp(): string {
  return `arango-services mock: the platform's services on a port, for tests and local use

Usage: arango-services mock [flags]
       arango-services mock [flags] -- <program> [arguments]

With a program, the mock takes a free port and lives as long as the program, which finds it by the variables that
fromEnv reads; the exit code is the program's.

It serves ${ofDatabase}.

${describeFlags(flagRows.filter(([, { variable }]) => variable !== true))}

The services' own flags, which are also read from variables (INTEGRATION_AUTHORIZATION_V1_TYPE=never):

${describeFlags(flagRows.filter(([, { variable }]) => variable === true))}

Flags override variables, and variables override the seed file.
Exit code: 0 when stopped, 1 if the port is not available, 64 for an invalid flag, variable or seed file.`;
}
