import { counted } from '../../base/lib/counted.js';
import { jsonText } from '../../base/lib/json-text.js';
import { oneOf, optionsOf, type ReadersOf, readFields } from '../../base/lib/readers.js';
import { mostBytes } from '../format/file-text.js';
import { yamlLines } from '../format/yaml-text.js';
import { checkState } from '../model/check-state.js';
import { PermissionsError } from '../model/permissions-error.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { findWritable, formatOmitted, type Omitted, shorten } from '../model/writable.js';
import { contentOf, type FileContent } from './file-content.js';

/** Options of {@link exportPermissions}. */
export interface ExportOptions {
  /** The format. Default `yaml`. */
  readonly as?: 'yaml' | 'json' | undefined;
}

export const readExportOptions = optionsOf({
  as: oneOf('yaml', 'json'),
} satisfies ReadersOf<ExportOptions>);

/** The text of a file of permissions, and the items that are left out of it. */
export interface Exported {
  readonly text: string;
  /** The users whose bindings the text holds. */
  readonly users: readonly string[] | 'all';
  /** Items that a file cannot hold, or that the platform or its operator manages. A plan does not change them. */
  readonly omitted: readonly Omitted[];
}

const schema = './node_modules/arango-services/dist/permissions.schema.json';

/** For each section, the number of nested levels written as blocks: names, fields, statements. */
export const openLevels = { scopes: 3, policies: 3, roles: 1, bindings: 1, groupBindings: 1 } as const;

export type Section = keyof typeof openLevels;

export const sectionLines = (name: Section, content: FileContent, indent: number): readonly string[] =>
  Object.keys(content[name]).length === 0
    ? []
    : [`${' '.repeat(indent)}${name}:`, ...yamlLines(content[name], indent + 2, openLevels[name])];

function headOf({ users, groups }: PermissionsState, omitted: readonly Omitted[]): string[] {
  const list = (names: readonly string[]) =>
    names.length === 0 ? '' : `: ${shorten(names.map((name) => jsonText(name))).join(', ')}`;
  return [
    `yaml-language-server: $schema=${schema}`,
    users === 'all'
      ? 'The bindings of all users.'
      : users.length === 0
        ? 'The bindings of users are missing: the services cannot list users. Name users (--users), or read all (--grpc).'
        : `The bindings of ${counted(users.length, 'named user')} only; others are not known${list(users)}`,
    ...(typeof groups === 'object'
      ? [`The bindings of ${counted(groups.length, 'named group')} only${list(groups)}`]
      : []),
    ...formatOmitted(omitted),
  ].map((line) => `# ${line}`);
}

/**
 * Writes a state as a file of permissions. The file reads back to the same state, and a plan from the deployment to it
 * is empty. Sorted, so that two exports of the same state are equal; scopes that occur more than once get a name.
 *
 * Items that a file cannot hold are left out and listed in `omitted`: `managed:predefined:` and `managed:operator:`
 * names, which the platform or its operator manages, roles that name a missing policy, bindings without a scope, and
 * users with a `:`.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
 * @throws PermissionsError (code `PERMISSIONS`) if the text is longer than a file of permissions may be.
 *
 * @example
 * ```ts
 * import { exportPermissions, readState } from 'arango-services/permissions';
 *
 * const { text, omitted } = exportPermissions(await readState(client, { users: ['alice', 'bob'] }));
 * console.log(text, omitted.length);
 * ```
 */
export function exportPermissions(state: PermissionsState, options: ExportOptions = {}): Exported {
  const { as = 'yaml' } = readFields(options, 'options', readExportOptions);
  checkState(state, ['as']);
  const writable = findWritable(state);
  const content = contentOf(writable);
  const { users } = state;
  const { omitted } = writable;
  const filled = (Object.keys(openLevels) as Section[]).filter((name) => Object.keys(content[name]).length > 0);
  const lines =
    as === 'json'
      ? [jsonText({ $schema: schema, ...Object.fromEntries(filled.map((name) => [name, content[name]])) }, '  ')]
      : [...headOf(state, omitted), ...filled.flatMap((name) => ['', ...sectionLines(name, content, 0)])];
  const text = `${lines.join('\n')}\n`;
  const size = new TextEncoder().encode(text).byteLength;
  if (size > mostBytes) {
    const limit = `${mostBytes / 1_000_000} MB, the limit of a file`;
    throw new PermissionsError(`The export has ${Math.ceil(size / 1_000_000)} MB, more than ${limit}`);
  }
  return { text, users, omitted };
}
