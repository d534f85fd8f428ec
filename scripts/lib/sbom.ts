import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './exec.ts';
import { manifest } from './package.ts';
import { npmInstall } from './tarball.ts';

/** The parts of a CycloneDX document that are used here. */
interface Sbom {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/** Finds the dependencies of a package that an SBOM of it lacks, and an SBOM of another package. */
export function findSbomFaults(
  { metadata: { component }, components }: Sbom,
  { name, version, dependencies }: { name: string; version: string; dependencies: Readonly<Record<string, string>> },
): string[] {
  const listed = new Set(components.map((part) => part.name));
  return [
    ...(component.name === name && component.version === version
      ? []
      : [`it is of ${component.name} ${component.version}, not of ${name} ${version}`]),
    ...Object.keys(dependencies).flatMap((dependency) => (listed.has(dependency) ? [] : [`it lacks ${dependency}`])),
  ];
}

/**
 * Makes the SBOM (CycloneDX, JSON) of what an install of a tarball brings. `npm sbom --omit=dev` in the clone leaves out
 * dependencies that a development dependency needs as well. Rejects with npm's own words, or what the SBOM lacks.
 */
export async function makeSbom(tarball: string): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'arango-services-sbom-'));
  // npm names the package after its folder.
  const folder = join(parent, manifest.name);
  try {
    await mkdir(folder);
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
    const file = join(folder, 'package.json');
    const { devDependencies, scripts, ...packed } = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify(packed));
    await npmInstall(folder, '--omit=peer');
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--omit', 'peer'];
    const text = await run('npm', args, folder);
    const faults = findSbomFaults(JSON.parse(text), packed);
    if (faults.length > 0) throw new Error(`the SBOM is wrong: ${faults.join(', ')}`);
    return text;
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}
