import { connecting, deployed, owning } from '../shared/flags.js';
import type { Subcommand } from '../shared/subcommand.js';

/** The flags that name the state a question is about. */
const asking = ['file', 'deployment', ...connecting, ...owning, 'concurrency'] as const;
const revoking = ['group', 'role', 'until', 'reason', 'file', 'holds'] as const;
const applying = ['yes', 'record', 'valid-for', 'restore', 'allow-self-lockout', 'take-over', 'concurrency'] as const;
const logExits = 'Exit code: 0 if there is nothing to list, 1 if it failed, 64 for wrong flags or a file or log,';

const table: Readonly<Record<string, Omit<Subcommand, 'operands'> & Partial<Subcommand>>> = {
  plan: {
    summary: 'compares the file with a deployment: changes, and the access that they change',
    flags: [...deployed, 'record', 'allow-orphans', 'as', 'to', 'out', 'log', 'details', 'markdown', 'json'],
    load: async () => (await import('./plan-command.js')).plan,
  },
  apply: {
    summary: 'makes the changes of a plan: a saved one, or a new one after a question',
    operands: ['[plan.json]'],
    readsOperands: true,
    flags: [...deployed, ...applying, 'settle-ms', 'details', 'json'],
    load: async () => (await import('./apply-command.js')).apply,
  },
  diff: {
    summary: 'compares two files; needs no deployment',
    operands: ['<before>', '<after>'],
    readsOperands: true,
    flags: ['deployment', 'allow-orphans', 'fidelity', 'max-work', 'details', 'markdown', 'json'],
    load: async () => (await import('./diff-command.js')).diff,
  },
  test: {
    summary: 'runs the tests of the file: those named, or *.test.yaml beside it; needs no deployment',
    operands: ['[files…]'],
    readsOperands: true,
    flags: ['file', 'deployment', 'fidelity', 'max-work', 'coverage', 'junit', 'lcov', 'json'],
    load: async () => (await import('./test-command.js')).test,
    exits: 'Exit code: 0 if all expectations hold, 1 if one fails, 64 for a file that cannot be read.',
  },
  export: {
    summary: 'writes a file with what a deployment has, or the custom resources of a file (--from)',
    operands: ['[file]'],
    flags: [...connecting, 'from', 'deployment', 'out', ...owning, 'concurrency', 'json'],
    load: async () => (await import('./export-command.js')).exportFile,
  },
  adopt: {
    summary: 'adds to the file what a deployment has, and the file neither defines nor owns',
    flags: ['file', ...connecting, ...owning, 'concurrency', 'json'],
    load: async () => (await import('./adopt-command.js')).adopt,
  },
  lint: {
    summary: 'finds mistakes in the file, with line and column; needs no deployment',
    flags: ['file', 'deployment', 'holds', 'off', 'platform', 'json'],
    load: async () => (await import('./lint-command.js')).lint,
  },
  revoke: {
    summary: 'removes bindings of a user or a group at once, and holds them back until a time',
    operands: ['[user]'],
    flags: [...revoking, ...connecting, 'allow-self-lockout', 'fidelity', 'settle-ms'],
    load: async () => (await import('./revoke-command.js')).revoke,
    exits: 'Exit code: 0 when done, 1 if it failed or was refused, 64 for wrong flags or a file.',
  },
  explain: {
    summary: 'explains if a user may do something, by the file or a deployment (--url, --grpc)',
    operands: ['<user>', '<action>', '<resource>'],
    flags: ['file', 'deployment', ...connecting, 'groups', 'concurrency', 'fidelity', 'exit-code', 'json'],
    load: async () => (await import('./explain-command.js')).explain,
  },
  grants: {
    summary: 'lists all that a user may do, by the file or a deployment (--url, --grpc)',
    operands: ['<user>'],
    flags: ['file', 'deployment', ...connecting, 'groups', 'concurrency', 'fidelity', 'json'],
    load: async () => (await import('./grants-command.js')).grants,
  },
  excess: {
    summary: 'lists who may do more than a list allows, by the file or a deployment',
    flags: ['allow', ...asking, 'fidelity', 'json'],
    load: async () => (await import('./excess-command.js')).excess,
    exits: 'Exit code: 0 if there is none, 2 if there is, 1 if it failed, 64 for wrong flags or a file.',
  },
  rehearse: {
    summary: 'lists the requests of a log that enforcing the file or a deployment would deny',
    flags: ['log', ...asking, 'generalise', 'include-unknown', 'fidelity', 'max-work', 'out', 'markdown', 'json'],
    load: async () => (await import('./rehearse-command.js')).rehearseLog,
    exits:
      'Exit code: 0 if nothing would be denied, 2 if something would or is not known, 1 if it failed,\n' +
      '64 for wrong flags or a file or log.',
  },
  replay: {
    summary: 'decides a log again, by the file or a deployment, and lists what flips',
    flags: ['log', ...asking, 'fidelity', 'json'],
    load: async () => (await import('./replay-command.js')).replayLog,
    exits: `${logExits}\n2 if decisions change or are not known.`,
  },
  usage: {
    summary: 'lists statements, policies, roles and bindings that decided no question of a log',
    flags: ['log', ...asking, 'fidelity', 'json'],
    load: async () => (await import('./usage-command.js')).listUnused,
    exits: `${logExits} 2 if some are listed.`,
  },
  report: {
    summary: 'lists each binding with its access in words, place and last use, for a review',
    flags: ['log', 'since', ...asking, 'fidelity', 'csv', 'json'],
    load: async () => (await import('./report-command.js')).report,
    exits:
      'Exit code: 0 when done, 2 if bindings changed since the report of --since, 1 if it failed,\n' +
      '64 for wrong flags or a file.',
  },
  tighten: {
    summary: 'writes a file with the least permissions that allow what a log allowed',
    flags: ['log', ...asking, 'generalise', 'by', 'fidelity', 'out'],
    load: async () => (await import('./tighten-command.js')).tighten,
    exits: 'Exit code: 0 when done, 1 if it failed, 64 for wrong flags or a file or log.',
  },
  who: {
    summary: 'lists who may do something, by the file or, with --url or --grpc, by a deployment',
    operands: ['<action>', '<resource>'],
    flags: [...asking, 'match', 'by-minting', 'all', 'fidelity', 'json'],
    load: async () => (await import('./who-command.js')).who,
  },
  operations: {
    summary: 'lists the permissions of an OpenAPI document; needs no deployment',
    operands: ['<openapi.json>'],
    readsOperands: true,
    flags: ['responses'],
    load: async () => (await import('./operations-command.js')).operations,
  },
};

/** The subcommands by name, in the order of `--help`. */
export const subcommands: ReadonlyMap<string, Subcommand> = new Map(
  Object.entries(table).map(([name, row]) => [name, { operands: [], ...row }]),
);
