import { rows } from '../shared/help.js';
import { subcommands } from './subcommands.js';

/** The text of `permissions --help`. */
export const formatHelp = (): string => `arango-services permissions: policies, roles and bindings in files

Usage: arango-services permissions <subcommand> [flags]

${rows([...subcommands].map(([name, { summary }]) => [name, summary]))}

arango-services permissions <subcommand> --help lists its flags.
Exit code: 0 when done or with nothing to do, 1 if it failed or was refused, 2 if there are changes or findings,
64 for wrong flags or a file that cannot be read.`;
