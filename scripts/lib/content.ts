import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root, run } from './exec.ts';
import { addressInRepository, manifest, readSubpaths } from './package.ts';

/** A file of the tarball, with its bytes. */
interface PackedFile {
  readonly path: string;
  readonly size: number;
}

/** The paths that the tarball may hold; no source maps, and no sources or tests but those of the examples. */
const allowed: readonly RegExp[] = [
  /^(?:package\.json|(?:README|SECURITY)\.md|LICENSE|llms\.txt|dist\/(?:decision|permissions(?:-test|-holds|-users)?|seed)\.schema\.json)$/,
  /^docs\/(?:guides\/)?[\w-]+\.(?:md|svg)$/,
  /^dist\/(?:[\w-]+\/)*[\w-]+\.js$/,
  /^dist\/(?:[\w-]+\/)*[\w-]+\.d\.ts$/,
  /^examples\/(?!tour|.*(?:dist|public|node_modules)\/|.*package-lock)[\w/.-]+(?:\.(?:[cm]?[jt]sx?|json|md|ya?ml|html)|\/CODEOWNERS)$/,
  /^dist\/console\/page\/(?:index\.html|console\.(?:js|css)|log\.js|icon\.svg|LICENSES\.txt)$/,
];

/** The content of the tarball that npm would pack: its files and its size. */
export interface PackedContent {
  readonly files: readonly PackedFile[];
  readonly size: number;
}

/** Bytes of the tarball, as it is downloaded and cached. */
const mostPacked = 772_000;
/** Bytes in `node_modules`: a second bound, so that growth is noticed there as well. */
const mostUnpacked = 2_325_000;

/** The files that the tarball must hold: the texts, and every file that package.json names. */
export function requiredFiles(): string[] {
  const modules = readSubpaths().flatMap(({ file }) => [file, file.replace(/\.js$/, '.d.ts')]);
  const named = [...Object.values(manifest.bin), ...Object.values(manifest.imports).flatMap(Object.values)];
  const texts = [
    'package.json',
    'README.md',
    'LICENSE',
    'llms.txt',
    'dist/seed.schema.json',
    'dist/permissions.schema.json',
    'docs/README.md',
    'examples/README.md',
    'examples/sidecar-service/src/service.ts',
    'examples/sidecar-service/test/platform.ts',
  ];
  return [...texts, ...modules, ...named.map((file) => file.replace(/^\.\//, ''))];
}

/** Finds problems in the content of a tarball. */
export function findContentFaults(
  { files, size }: PackedContent,
  required: readonly string[] = requiredFiles(),
): string[] {
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const paths = new Set(files.map(({ path }) => path));
  return [
    ...required.filter((path) => !paths.has(path)).map((path) => `${path} is missing`),
    ...[...paths].filter((path) => !allowed.some((one) => one.test(path))).map((path) => `${path} is not on the list`),
    ...(size > mostPacked ? [`it packs to ${size} bytes, more than ${mostPacked}`] : []),
    ...(bytes > mostUnpacked ? [`it unpacks to ${bytes} bytes, more than ${mostUnpacked}`] : []),
  ];
}

/** Lists what `npm pack` would put into the tarball. Rejects with npm's own words. */
export async function listContent(): Promise<PackedContent> {
  const packed = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts']);
  // Of npm before 12 it is a list, since then a record by name.
  const said = JSON.parse(packed) as Record<string, PackedContent>;
  const [content] = Object.values(said);
  if (content === undefined) throw new Error('npm pack named no tarball');
  return content;
}

/** The pages among the packed files. */
export const isPage = /\.md$|^llms\.txt$/;

/** A link of Markdown that leads to a file: the text before it, and the link. */
const links = /(\]\()(?!https?:|#)([^)\s#]+)/g;

/**
 * The text of a packed page whose links to files that are not packed lead to the repository: to a page about the file,
 * or to the bytes of a picture, which npm's page shows.
 */
export function linkRepository(page: string, markdown: string, packed: ReadonlySet<string>): string {
  return markdown.replace(links, (link, before: string, path: string) => {
    const file = posix.join(posix.dirname(page), path);
    const kind = /\.(?:png|svg)$/.test(file) ? 'raw' : 'blob';
    return packed.has(file) || !existsSync(join(root, file)) ? link : `${before}${addressInRepository(file, kind)}`;
  });
}

/** The links and pictures of a packed page that lead to no packed file, by the paths of all packed files. */
export function findDeadLinks(page: string, markdown: string, packed: ReadonlySet<string>): string[] {
  const paths = [...markdown.matchAll(links)].map(([, , path = '']) => path);
  return paths.filter((path) => !packed.has(posix.join(posix.dirname(page), path)));
}

/** The folders of a clone, and its pages at the top. */
const places = /(?:src|test|scripts|docs|bench|proto|examples|reports)\/[\w./*-]*[\w*]|\b[A-Z]+\.md\b/;

/**
 * The paths that a packed page names as code and that lead to no packed file, seen from the page or from the package,
 * by the paths of all packed files. A path may have asterisks, and may be a folder.
 */
export function findMissingPlaces(page: string, markdown: string, packed: ReadonlySet<string>): string[] {
  const named = [...markdown.matchAll(new RegExp(`\`(${places.source})\``, 'g'))].map(([, path = '']) => path);
  return named.filter((path) => {
    const found = [posix.join(posix.dirname(page), path), path].some((from) =>
      [...packed].some((file) => posix.matchesGlob(file, from) || file.startsWith(`${from}/`)),
    );
    return !found;
  });
}
