import type { IssuePath } from '../../base/lib/text/paths.js';
import type { CollectedFiles, Managed } from '../format/collected-files.js';
import type { FileLimit } from '../format/file-schema.js';
import type { ParsedFile } from '../format/yaml.js';
import { LimitedAccess } from './limited-access.js';
import { beyondRoles, Limit, limitsByFile } from './limits.js';
import type { FilePaths, Inclusion } from './load-files.js';
import type { Raw } from './sound-parts.js';

/** The files of one call, with their valid parts; the first one may have limits. */
interface LimitedFiles {
  readonly contents: readonly (readonly [ParsedFile, Raw])[];
  /** The documents of files of custom resources. */
  readonly documents: readonly ParsedFile[];
  readonly paths: ReadonlyMap<string, FilePaths>;
  readonly inclusions: readonly Inclusion[];
}

/** The scopes of the items of a file, with their paths: by name, in place, or missing. */
function* namedScopes(raw: Raw): Generator<readonly [path: IssuePath, scope: unknown]> {
  for (const section of ['roles', 'bindings', 'groupBindings'] as const) {
    const items = raw[section] ?? [];
    for (const [key, item] of Object.entries(items)) {
      yield [[section, Array.isArray(items) ? Number(key) : key, 'scope'], Object(item).scope];
    }
  }
}

/** Reads the limits of the first file, and reports those of other files and those that no file has. */
function readLimits(all: CollectedFiles, { contents, paths }: LimitedFiles): Limit[] {
  return contents.flatMap(([parsed, { limits }], index) => {
    if (limits === undefined || limits === null) return [];
    if (index > 0) {
      all.report({ parsed, path: ['limits'] }, 'limits stand in the first file, which includes this one', true);
      return [];
    }
    const names = [...paths.values()];
    // The cast: `checkFile` has validated the file.
    return Object.entries(limits as Readonly<Record<string, FileLimit>>).map(([path, content]) => {
      const limit = new Limit(path, content, { parsed, path: ['limits', path] });
      if (all.knowsNames && !names.some((name) => limit.isOf(name))) {
        const candidates = names.flatMap(([name = '']) => [name, name.slice(0, name.lastIndexOf('/') + 1)]);
        const hint = all.suggest(path, candidates);
        all.report(limit.owned, `no file that is read has this path${hint}; that of a folder ends with "/"`, true);
      }
      return limit;
    });
  });
}

/** Checks the files with limits, and what other files take from them. */
class LimitedFilesCheck {
  readonly #all: CollectedFiles;
  readonly #limitsOf: (parsed: ParsedFile) => readonly Limit[];

  constructor(all: CollectedFiles, limitsOf: (parsed: ParsedFile) => readonly Limit[]) {
    this.#all = all;
    this.#limitsOf = limitsOf;
  }

  /** Reports patterns of names that a file owns beyond its limits: another file could not define them any more. */
  pattern({ parsed, path, kind, pattern }: Managed): void {
    for (const limit of this.#limitsOf(parsed)) {
      if (kind === 'roles' || kind === 'bindings') {
        if (!limit.hasRoles(pattern)) this.#all.report({ parsed, path }, beyondRoles('pattern', pattern, limit));
      } else if (kind !== 'policies' && path.at(-1) === 0 && !limit.hasRoles('*')) {
        const what = `owns bindings to all roles, beyond the limits of this file (${limit.place})`;
        const message = `${what}: own those to its roles (bindings: { roles: […] }), and ${kind} in the first file`;
        this.#all.report({ parsed, path: ['manage', kind] }, message, true);
      }
    }
  }

  /** Reports a file that defines policies or roles, where its limits have names of roles only. */
  access(parsed: ParsedFile, { policies, roles }: Raw): void {
    const limits = this.#limitsOf(parsed);
    const [limit] = limits;
    const defines = [policies, roles].some((section) => Object.keys(Object(section)).length > 0);
    if (limit === undefined || !defines || limits.some(({ allowed }) => allowed)) return;
    const why = `${parsed.file} defines roles or policies, which could allow anything`;
    this.#all.report(limit.owned, `needs "actions" or "resources": ${why}`, true);
  }

  /** Reports a file that a limited file includes without its limits. */
  inclusion({ from, index, paths }: Inclusion): void {
    const limit = this.#limitsOf(from).find((limit) => !limit.isOf(paths));
    if (limit === undefined) return;
    const owned = { parsed: from, path: ['include', index] };
    this.#all.report(owned, `the limits of this file (${limit.place}) do not reach it: include it in the first file`);
  }

  /** Reports a file of custom resources. */
  resources(parsed: ParsedFile): void {
    const [limit] = this.#limitsOf(parsed);
    if (limit === undefined) return;
    const message = `limits (${limit.place}) do not reach custom resources, which kubectl applies: limit them there`;
    this.#all.report({ parsed, path: [] }, message);
  }

  /** Reports a scope of a limited file in a file without its limits: the former could widen what the latter grants. */
  scopes(parsed: ParsedFile, raw: Raw): void {
    const own = this.#limitsOf(parsed);
    for (const [path, scope] of namedScopes(raw)) {
      const owner = typeof scope === 'string' ? this.#all.owners.get(`scope ${scope}`) : undefined;
      const limit = owner && this.#limitsOf(owner.parsed).find((limit) => !own.includes(limit));
      if (limit === undefined) continue;
      const message = `the scope ${JSON.stringify(scope)} is of a file with limits (${limit.place}): define one here`;
      this.#all.report({ parsed, path }, message);
    }
  }
}

/** Reports what files grant, own and include beyond the limits of the first file. */
export function checkLimits(all: CollectedFiles, files: LimitedFiles): void {
  const limits = readLimits(all, files);
  if (limits.length === 0) return;
  const limitsOf = limitsByFile(limits, files.paths);
  const check = new LimitedFilesCheck(all, limitsOf);
  const access = new LimitedAccess(all, limitsOf);
  for (const managed of all.patterns) check.pattern(managed);
  for (const inclusion of files.inclusions) check.inclusion(inclusion);
  for (const parsed of files.documents) check.resources(parsed);
  for (const [parsed, raw] of files.contents) {
    check.scopes(parsed, raw);
    check.access(parsed, raw);
  }
  for (const [id, owned] of all.owners) access.check(id, owned);
}
