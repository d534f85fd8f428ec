import type { Policy } from '../../policy/index.js';
import { covers } from '../../policy/model/overlap.js';
import { Pattern, parseSegments } from '../../policy/model/pattern.js';
import type { FileLimit } from '../format/file-schema.js';
import type { Owned } from '../format/locate.js';
import type { ParsedFile } from '../format/yaml.js';
import type { FilePaths } from './load-files.js';

const everything = ['*'];

/** A limit of a file or of the files of a folder. */
export class Limit {
  readonly owned: Owned;
  readonly #path: string;
  readonly #roles: readonly string[] | undefined;
  readonly #patterns: readonly Pattern[] | undefined;
  /** A policy of all that its files may allow; undefined if it limits roles only. */
  readonly allowed: Policy | undefined;

  constructor(path: string, { roles, actions, resources }: FileLimit, owned: Owned) {
    this.owned = owned;
    this.#path = path.startsWith('./') ? path.slice(2) : path;
    this.#roles = roles;
    this.#patterns = roles?.map((role) => new Pattern(role));
    if (actions || resources) {
      const statement = {
        effect: 'Allow',
        actions: actions ?? everything,
        resources: resources ?? everything,
      } as const;
      this.allowed = { statements: [statement] };
    }
  }

  /** True if the limit applies to a file with these paths. */
  isOf(paths: FilePaths): boolean {
    const isFolder = this.#path === '' || this.#path.endsWith('/');
    return paths.some((path) => (isFolder ? path.startsWith(this.#path) : path === this.#path));
  }

  hasRole(role: string): boolean {
    return this.#patterns?.some((pattern) => pattern.matches(role)) ?? true;
  }

  /** True if each role that a pattern matches is within the limit. */
  hasRoles(pattern: string): boolean {
    const segments = parseSegments(pattern);
    return this.#roles?.some((outer) => covers(parseSegments(outer), segments)) ?? true;
  }

  /** Names the roles that the limit has. */
  get roles(): string {
    return this.#roles?.map((role) => JSON.stringify(role)).join(', ') || 'none';
  }

  /** The place of the limit. */
  get place(): string {
    const { file, line } = this.owned.parsed.issueAt(this.owned.path, '', true);
    return `${file}:${line}`;
  }
}

/** Describes a role, or a pattern of roles, that a limit does not have. */
export const beyondRoles = (noun: 'role' | 'pattern', name: string, { place, roles }: Limit): string =>
  `the ${noun} ${JSON.stringify(name)} is beyond the limits of this file (${place}): its roles are ${roles}`;

/** Returns a function that finds the limits of a file. */
export function limitsByFile(
  limits: readonly Limit[],
  paths: ReadonlyMap<string, FilePaths>,
): (parsed: ParsedFile) => readonly Limit[] {
  const byFile = new Map([...paths].map(([file, names]) => [file, limits.filter((limit) => limit.isOf(names))]));
  return ({ file }) => byFile.get(file) ?? [];
}
