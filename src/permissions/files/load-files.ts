import { anyText } from '../../base/lib/readers.js';
import { type ParsedFile, parseDocuments } from '../format/yaml.js';
import type { PermissionsIssue } from '../model/permissions-error.js';
import { readInput } from '../model/read-argument.js';
import { isResource } from '../model/resource-kinds.js';
import { type ReadFile, readContent } from './read-file.js';

/** The files of one call, in the order of their includes. */
interface LoadedFiles {
  readonly files: readonly ParsedFile[];
  /** The documents of files of custom resources. */
  readonly resources: readonly ParsedFile[];
  readonly names: readonly string[];
  readonly issues: readonly PermissionsIssue[];
  /** The paths of each file relative to the first one: by its name, and by its real path. */
  readonly paths: ReadonlyMap<string, FilePaths>;
  readonly inclusions: readonly Inclusion[];
}

/** The paths of a file, relative to the folder of the first file. */
export type FilePaths = readonly string[];

/** An entry of `include`, and the file that it names. */
export interface Inclusion {
  readonly from: ParsedFile;
  readonly index: number;
  readonly paths: FilePaths;
}

/** The maximum number of files of one call: stops endless chains of includes. */
const mostFiles = 1_000;

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/') + 1);

/** Joins a folder and an include path and resolves "." and "..". The result may begin with "../". */
function join(folder: string, file: string): string {
  const steps: string[] = [];
  for (const step of `${folder}${file}`.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..' && steps.at(-1) !== '') steps.pop();
    else if (step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** Describes a path that is absolute or has another separator than "/": includes must work on every system. */
function includeFault(file: string): string | undefined {
  if (file.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(file)) return 'must be relative to this file';
  return file.includes('\\') ? 'must use "/" between its parts' : undefined;
}

/** An entry of `include` that is read. */
interface Including {
  readonly from: ParsedFile;
  readonly index: number;
  /** The real paths of the files from the first one to `from`, to detect circles. */
  readonly above: readonly string[];
  readonly report: (message: string) => void;
}

/**
 * Reads a file and its includes, the first one before the files that it includes. Each file is read once, by its real
 * path. Faults of includes become issues at the entry of `include`; rejects only if the first file cannot be read.
 */
export async function loadFiles(
  first: string,
  read: ReadFile,
  realPath: (file: string) => string | Promise<string>,
): Promise<LoadedFiles> {
  const toReal = async (file: string) => readInput(await realPath(file), 'realPath', anyText).replaceAll('\\', '/');
  const top = join('', await toReal(first));
  const root = folderOf(top);
  const files: ParsedFile[] = [];
  const resources: ParsedFile[] = [];
  const names: string[] = [];
  const issues: PermissionsIssue[] = [];
  /** The real paths of the files read so far. */
  const realPaths = new Set<string>();
  const paths = new Map<string, FilePaths>();
  const inclusions: Inclusion[] = [];
  const folder = folderOf(join('', first.replaceAll('\\', '/')));
  /** The paths relative to the folder of the first file: as the include spells it, and with links resolved. */
  const pathsOf = (file: string, real: string) => [
    join('', file.replaceAll('\\', '/')).slice(folder.length),
    real.slice(root.length),
  ];

  /** Reads one file, then the files that it includes. */
  async function load(file: string, real: string, above: readonly string[]): Promise<void> {
    realPaths.add(real);
    const documents = parseDocuments(file, await readContent(file, read), isResource);
    names.push(file);
    paths.set(file, pathsOf(file, real));
    const [parsed] = documents;
    if (isResource(parsed.value)) return void resources.push(...documents);
    files.push(parsed);
    // The cast: anything else is reported when the file is checked.
    const { include } = (parsed.value ?? {}) as { readonly include?: unknown };
    if (!Array.isArray(include)) return;
    for (const [index, name] of include.entries()) {
      if (typeof name !== 'string' || name === '') continue;
      const report = (message: string) => void issues.push(parsed.issueAt(['include', index], message));
      const fault = includeFault(name);
      const below = join(folderOf(file.replaceAll('\\', '/')), name);
      if (fault !== undefined) report(fault);
      else if (names.length >= mostFiles) report(`there are more than ${mostFiles} files`);
      else await includeFile(below, { from: parsed, index, above: [...above, real], report });
    }
  }

  /** Checks where an included file is, and reads the file unless that was done before. */
  async function includeFile(file: string, { from, index, above, report }: Including): Promise<void> {
    let real: string;
    try {
      real = join('', await toReal(file));
    } catch {
      return report('cannot be read');
    }
    // The name of the folder itself may begin with "../".
    if (!real.startsWith(root) || /^(?:\.\.)?\//.test(real.slice(root.length))) {
      return report('is outside the folder of the first file');
    }
    inclusions.push({ from, index, paths: pathsOf(file, real) });
    if (above.includes(real)) return report('includes itself, by way of other files');
    // Two files may include the same file.
    if (realPaths.has(real)) return;
    try {
      await load(file, real, above);
    } catch {
      report('cannot be read');
    }
  }

  await load(first, top, []);
  return { files, resources, names, issues, paths, inclusions };
}
